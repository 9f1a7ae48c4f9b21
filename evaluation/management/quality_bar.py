"""The options of `evaluate` that end it with status 1 when a run is not good enough."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from evaluation.management.output_files import write_to
from evaluation.models import Run
from evaluation.spec import EvaluationSpec
from rag_pipeline.english.wording import counted
from rag_pipeline.errors import ConfigError, PipelineError
from rag_pipeline.management.base import WorkbenchCommand, wrong_usage

DELTA = 0.02


def add_bar_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--fail-under", metavar="SCORE=V,...", help="exit 1 below, such as recall=0.8,total=4")
    parser.add_argument("--no-worse-than", metavar="RUN", help="exit 1 when worse than this run (id or name) by delta")
    parser.add_argument("--strict", action="store_true", help="hold the worse end of the interval to it, not the mean")
    parser.add_argument(
        "--delta", type=float, default=DELTA, help=f"difference that does not matter, of a score from 0 to 1 ({DELTA})"
    )
    parser.add_argument("--junit", type=Path, metavar="FILE", help="also write the checks here as JUnit XML")


def given_bars(options: dict[str, Any], spec: EvaluationSpec) -> dict[str, float]:
    """Return the least scores that were given; a wrong one, or a check of nothing, is wrong usage."""
    with wrong_usage():
        if not 0 <= options["delta"] < 1:
            raise ConfigError("--delta must be 0 or more and less than 1, such as 0.02.")
        if not (options["fail_under"] or options["no_worse_than"]) and (options["strict"] or options["junit"]):
            raise ConfigError("There is nothing to check. Give --fail-under recall=0.8 or --no-worse-than RUN.")
        if not options["fail_under"]:
            return {}
        from evaluation.queries.quality_bar import read_bars  # with all that compares runs

        return read_bars(options["fail_under"], spec.metrics)


def hold_to_bar(
    command: WorkbenchCommand, run: Run, bars: dict[str, float], other: Run | None, options: dict[str, Any]
) -> None:
    """Print each check and write the JUnit file. Raises PipelineError when one failed."""
    if not bars and other is None:
        return
    from evaluation.queries.quality_bar import check_no_worse, check_scores, junit_xml

    strict = options["strict"]
    checks = list(check_scores(run, bars, strict=strict))
    if other is not None:
        checks += check_no_worse(run, other, options["delta"], strict=strict)
    for each in checks:
        command.out(f"{'passed' if each.passed else 'FAILED'}: {each.said}")
    if options["junit"]:
        write_to(options["junit"], junit_xml(run, checks))
        command.out(str(options["junit"].resolve()))
    if failed := [each for each in checks if not each.passed]:
        raise PipelineError(f"{counted(len(failed), 'check')} failed. {failed[0].said}")
