"""Options of commands that say how answers are scored, one for each setting that declares one."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.spec import evaluation_settings
from rag_pipeline.errors import ConfigError
from rag_pipeline.management.base import read_by
from rag_pipeline.management.setting_options import add_setting_option, given_settings, help_of
from rag_pipeline.setting_fields import ReadBy

_OF_METRICS = "metric_options"


def add_scoring_arguments(parser: argparse.ArgumentParser, *readers: ReadBy, metrics_help: str = "") -> None:
    """Add the options of EvaluationSpec, or of the settings that `readers` read alone.

    `--metric-option` gives one option of one metric, and is repeatable. `metrics_help` in place of what is declared.
    """
    for name, setting in evaluation_settings(*readers).items():
        option = setting.info.option
        if name != _OF_METRICS or option is None:
            add_setting_option(parser, setting, metrics_help if name == "metrics" else "")
            continue
        parser.add_argument(
            "--metric-option",
            action="append",
            default=[],
            type=read_by(parse_metric_options),
            metavar=option.metavar,
            help=help_of(setting, option),
        )


def scoring_settings(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what these options set, by the names of EvaluationSpec."""
    given = given_settings(evaluation_settings(), options)
    if options["metric_option"]:
        given[_OF_METRICS] = parse_metric_options(options["metric_option"])
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
