"""`manage.py clear_replies`: empties the store of model replies."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from rag_pipeline.management.base import WRONG_USAGE, WorkbenchCommand
from rag_pipeline.services.replies import clear_replies


class Command(WorkbenchCommand):
    """Clear kept replies."""

    help = "Forget what models replied earlier: the same calls are made, and paid for, again. Results stay."
    example = "manage.py clear_replies --older-than 30"

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("--older-than", type=int, metavar="DAYS", help="only those older than so many days")

    def run(self, **options: Any) -> None:
        """Delete and say how many."""
        days = options["older_than"]
        if days is not None and days < 1:
            raise CommandError("--older-than must be at least 1 day.", returncode=WRONG_USAGE)
        count = clear_replies(older_than_days=days or 0)
        self.out(f"Deleted {count:,} kept {'reply' if count == 1 else 'replies'}.")
