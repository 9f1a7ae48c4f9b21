"""`manage.py import_testset`: questions, references and evidence from a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from evaluation.exchange.base import TestSetReader
from evaluation.services.imports import import_testset
from rag_pipeline.english.wording import counted, listed
from rag_pipeline.errors import ConfigError
from rag_pipeline.management.base import WorkbenchCommand
from rag_pipeline.services.corpora import get_corpus


class Command(WorkbenchCommand):
    """Import a test set."""

    help = (
        f"Import a test set: {listed([unit.label for unit in TestSetReader.units()], 'or', ';')}. "
        "A file that does not fit is refused as a whole."
    )
    example = "manage.py import_testset questions.csv answers.csv --corpus handbook --name support"

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("file", type=Path, metavar="FILE", help="the questions")
        parser.add_argument("answers", type=Path, metavar="ANSWERS", nargs="?", help="their answers, in the same order")
        parser.add_argument("--corpus", required=True, metavar="NAME", help="whose documents hold the evidence")
        parser.add_argument("--name", required=True, metavar="T", help="name of the new test set")

    def run(self, **options: Any) -> None:
        """Import and say what came in."""
        corpus = get_corpus(name=options["corpus"])
        answers = _read(options["answers"]) if options["answers"] else None
        testset = import_testset(corpus=corpus, name=options["name"], file=_read(options["file"]), answers=answers)
        made = testset.report["made"]
        self.out(f"{testset}: {counted(made['pairs'], 'answerable pair')}, {made['out_of_scope']} out of scope.")


def _read(path: Path) -> tuple[str, bytes]:
    try:
        return path.name, path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.", "file") from error
