"""An answer no longer than its reference is brief."""

from __future__ import annotations

import pytest

from evaluation.metrics.base import metrics
from tests.evaluation.samples import make_context, make_sample


def brevity(sample, label="attempt"):
    (score,) = metrics.get("brevity")().score_many([sample], make_context([label]))
    return score


@pytest.mark.parametrize(
    "answer, references, value",
    [
        ("in Memphis", ["Memphis"], 1 / 2),
        ("Memphis", ["in the city of Memphis"], 1),
        ("one two three four", ["one two three", "one", " "], 1 / 4),  # the shortest reference counts
        ("a b c d e f g h", ["the a an"], 3 / 8),  # words, not tokens: articles count
        ("東京都です", ["東京"], 2 / 5),
    ],
)
def test_words_of_the_reference_over_words_of_the_answer(answer, references, value):
    assert brevity(make_sample(answer, references)).value == pytest.approx(value)


def test_it_says_the_numbers():
    assert brevity(make_sample("in Memphis", ["Memphis"])).reason == "2 words; the shortest reference has 1"
    assert brevity(make_sample("Memphis", ["in Memphis"])).reason == "1 word; the shortest reference has 2"


def test_a_refusal_has_no_brevity_but_a_partial_answer_has():
    assert brevity(make_sample("I do not know."), "refused").reason == "the answer declines"
    assert brevity(make_sample("I am not sure. However, Memphis."), "partial").value == pytest.approx(1 / 6)


@pytest.mark.parametrize(
    "sample, reason",
    [
        (make_sample(" \n"), "the answer is empty"),
        (make_sample("Memphis", []), "the question has no reference answer"),
        (make_sample("Memphis", kind="out_of_scope"), "counts only for simple and complex questions"),
    ],
)
def test_what_has_no_length_to_compare_is_empty(sample, reason):
    assert brevity(sample).value is None
    assert brevity(sample).reason == reason
