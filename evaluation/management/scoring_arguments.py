"""Options of commands that say how answers are scored: metrics, their options, the judge."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from rag_pipeline.errors import ConfigError


def add_scoring_arguments(parser: argparse.ArgumentParser, *, metrics_help: str) -> None:
    """Add `--metrics`, `--metric-option` (repeatable), `--judge` and `--judge-votes`."""
    parser.add_argument("--metrics", metavar="A,B", help=metrics_help)
    parser.add_argument(
        "--metric-option",
        action="append",
        default=[],
        type=_assignment,
        metavar="NAME.OPTION=VALUE",
        help="an option of a metric, such as max_words.limit=50; repeatable; an aspect of your own: "
        'aspect:polite.definition="Is the answer polite?"',
    )
    parser.add_argument("--judge", metavar="MODEL", help="provider:model that judges answers (none)")
    parser.add_argument(
        "--judge-votes", type=int, metavar="N", help="differently worded calls of which the majority counts (1)"
    )


def scoring_settings(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what these options set, by the names of EvaluationSpec."""
    given = {name: options[name] for name in ("metrics", "judge", "judge_votes") if options[name] is not None}
    if options["metric_option"]:
        given["metric_options"] = parse_metric_options(options["metric_option"])
    return given


def parse_metric_options(items: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return options by metric from `name.option=value` items. Raises ConfigError for one of another form."""
    found: dict[str, dict[str, str]] = {}
    for item in items:
        left, equals, value = item.partition("=")
        name, dot, option = left.strip().partition(".")
        if not (equals and dot and name and option):
            raise ConfigError(f"“{item}” is not of the form metric.option=value, such as max_words.limit=50.")
        found.setdefault(name, {})[option] = value
    return found


def _assignment(text: str) -> str:
    """Check an item while the arguments are read, so that a wrong one is wrong usage."""
    try:
        parse_metric_options([text])
    except ConfigError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return text
