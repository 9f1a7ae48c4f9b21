"""What an answer took: seconds, tokens, money, and ranges without an upper end."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.base import metrics
from evaluation.scoring.summaries import summarise
from evaluation.spec import EvaluationSpec
from evaluation.statistics.intervals import Term, estimate
from evaluation.types import Sample, Score
from rag_pipeline.types import Usage
from tests.evaluation.samples import make_context, make_sample

USAGE = ("latency_s", "ttft_s", "tpot_s", "prompt_tokens", "completion_tokens", "cost_usd")
SECONDS = st.lists(st.floats(0, 1e6), min_size=1, max_size=12)


TOOK = Usage(300, 4, 0.001)


def took(latency: float | None = 2.0, ttft: float | None = 0.5, usage: Usage = TOOK) -> Sample:
    sample = make_sample()
    return replace(sample, trace=replace(sample.trace, latency_s=latency, ttft_s=ttft, usage=usage))


def scored(name: str, sample: Sample) -> Score:
    return metrics.get(name)().score_many([sample], make_context())[0]


def test_by_hand():
    # 1.5 s for the three tokens after the first
    expected = {"latency_s": 2.0, "ttft_s": 0.5, "tpot_s": 0.5, "prompt_tokens": 300, "completion_tokens": 4}
    assert {name: scored(name, took()).value for name in expected} == expected
    assert scored("cost_usd", took()).value == 0.001


@pytest.mark.parametrize("name", USAGE)
def test_unknown_is_null_with_its_reason(name):
    found = scored(name, took(None, None, Usage()))
    assert found.value is None
    assert "not" in found.reason
    assert scored(name, replace(took(), missing=frozenset({"usage"}))).reason.startswith(
        "the row has no measured times"
    )


def test_an_answer_of_one_token_has_no_pace():
    assert scored("tpot_s", took(usage=Usage(300, 1))) == Score.unscored("the model wrote no token after the first")


def test_a_first_token_after_the_end_gives_no_pace():
    assert scored("tpot_s", took(2.0, 2.5)).reason == (
        "the first token came after the whole answer: ttft_s is more than latency_s"
    )


def test_the_pace_is_that_of_the_answer_without_what_retrieval_wrote():
    sample = took(usage=Usage(500, 40))
    rewritten = replace(sample, trace=replace(sample.trace, details={"answer_tokens": 4}))
    assert scored("tpot_s", rewritten).value == 0.5


def test_free_is_0_and_not_unknown():
    assert scored("cost_usd", took(usage=Usage(0, 0, 0.0))).value == 0.0


def test_a_run_of_equal_times_is_not_certain():
    # Wilson's bound for 0 of 2: q = 1.96² / (2 + 1.96²) = 0.6576 of unseen values, up to 2 s more and 2 s less
    samples = [replace(took(), pair_id=name) for name in ("a", "b")]
    summary = summarise(samples, {"latency_s": [Score(2.0)] * 2}, EvaluationSpec())["latency_s", ""]
    assert summary.mean == 2.0
    assert (summary.ci_low, summary.ci_high) == pytest.approx((2 - 2 * 0.6576, 2 + 2 * 0.6576), abs=1e-3)


@given(SECONDS)
def test_intervals_without_an_upper_end_are_finite_and_hold_the_mean(values):
    clusters = [("answerable", str(place)) for place in range(len(values))]
    found = estimate([Term(values, clusters, high=math.inf)])
    assert 0 <= found.low <= found.mean <= found.high < math.inf


@given(SECONDS)
def test_an_interval_is_not_cut_at_1(values):
    clusters = [("answerable", str(place)) for place in range(len(values))]
    one = estimate([Term(values, clusters, high=math.inf)])
    scaled = estimate([Term([1000 * value for value in values], clusters, high=math.inf)])
    assert scaled.high == pytest.approx(1000 * one.high, rel=1e-6, abs=1e-6)
