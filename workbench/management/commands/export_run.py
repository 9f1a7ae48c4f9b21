"""`manage.py export_run`: a run as a file that others read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from evaluation.exchange.base import RunWriter
from evaluation.management.output_files import check_place, write_to
from evaluation.models import Run
from evaluation.queries.runs import find_run
from evaluation.services.files import export_run
from rag_pipeline.english.wording import listed
from rag_pipeline.errors import ConfigError
from rag_pipeline.management.base import WorkbenchCommand, wrong_usage
from workbench.services.run_report import run_report

_REPORT = ".html"
_BY_ENDING = {ending: unit for unit in RunWriter.units() for ending in unit.extensions}


class Command(WorkbenchCommand):
    """Export a run."""

    help = (
        f"Write a run to a file, by the ending of its name: {', '.join(unit.help for unit in RunWriter.units())}, or "
        "its report as .html, which opens without a network. "
        "manage.py score gives answers.jsonl the scores that the run has."
    )
    example = "manage.py export_run 12 --out answers.jsonl"

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("run", metavar="RUN", help="its id or name")
        parser.add_argument("--out", type=Path, required=True, metavar="FILE", help=f"ends in {_endings()}")

    def run(self, **options: Any) -> None:
        """Write the file and print its path."""
        out: Path = options["out"]
        with wrong_usage():
            written = _writer_for(out)
        check_place(out)
        run = find_run(wanted=options["run"])
        if run is None:
            raise ConfigError(f"There is no run “{options['run']}”. The Dashboard shows the ids and names there are.")
        write_to(out, written(run))
        self.out(str(out.resolve()))


def _writer_for(path: Path) -> Callable[[Run], bytes]:
    """Return what writes a file of this name. Raises ConfigError for an ending of none."""
    ending = path.suffix.lower()
    if ending == _REPORT:
        return lambda run: run_report(run).encode(errors="replace")
    unit = _BY_ENDING.get(ending)
    if unit is None:
        raise ConfigError(f"“{path.name}” ends in none of {_endings()}. Choose one of these.", "out")
    return lambda run: export_run(run=run, writer=unit)


def _endings() -> str:
    return listed(sorted([*_BY_ENDING, _REPORT]), "or")
