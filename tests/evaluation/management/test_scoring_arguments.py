"""Options of a metric on the command line."""

from __future__ import annotations

import argparse

import pytest

from evaluation.management.scoring_arguments import add_scoring_arguments, scoring_settings
from evaluation.spec import EvaluationSpec
from rag_pipeline.errors import ConfigError


def settings_of(*arguments: str) -> dict:
    parser = argparse.ArgumentParser(exit_on_error=False)
    add_scoring_arguments(parser, metrics_help="")
    return scoring_settings(vars(parser.parse_args(arguments)))


def test_options_reach_their_metrics():
    given = settings_of(
        "--metrics", "max_words,must_match", "--metric-option", "max_words.limit=50",
        "--metric-option", r"must_match.pattern=a=b\.c", "--metric-option", "must_match.ignore_case=true",
        "--judge", "openai:gpt-4.1", "--judge-votes", "3",
    )  # fmt: skip
    spec = EvaluationSpec.create(given)
    assert spec.metrics == ("max_words", "must_match")
    assert spec.metric_options == {
        "max_words": {"limit": 50},
        "must_match": {"pattern": r"a=b\.c", "ignore_case": True},
    }
    assert (spec.judge, spec.judge_votes) == ("openai:gpt-4.1", 3)


def test_nothing_given_sets_nothing():
    assert settings_of() == {}


@pytest.mark.parametrize("text", ["max_words", "limit=5", "max_words.=5", ".limit=5"])
def test_another_form_is_wrong_usage(text):
    with pytest.raises(argparse.ArgumentError, match=r"is not of the form metric\.option=value"):
        settings_of("--metric-option", text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("max_words.limit=0", "Metric max_words: Limit must be at least 1, not “0”."),
        ("max_words.most=5", "The metric max_words has no option called “most”. It has: limit."),
        ("no_such.limit=5", "There is no metric called “no_such”."),
        ("must_match.pattern=a(", "Metric must_match: “a(” is not a regular expression: missing ) at character 3."),
    ],
)
def test_a_wrong_option_is_named_with_its_metric(text, words):
    with pytest.raises(ConfigError) as told:
        EvaluationSpec.create(settings_of("--metric-option", text))
    assert str(told.value) == words
