"""What happened to a sweep on the way, changed by several at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db import transaction

from evaluation.models import Sweep

AFTER = "after"
"""In a sweep's state: the stages that were asked for once it was done, in that order."""


def change_state(sweep: Sweep, change: Callable[[dict[str, Any]], None]) -> None:
    """Change a sweep's state, whoever else does so meanwhile."""
    with transaction.atomic():
        stored = Sweep.objects.select_for_update().get(pk=sweep.pk)
        change(stored.state)
        stored.save(update_fields=["state"])
    sweep.state = stored.state


def then(sweep: Sweep, *stages: str) -> None:
    """Let a sweep go on with further stages after all it has."""
    change_state(sweep, lambda state: state.setdefault(AFTER, []).extend(stages))
