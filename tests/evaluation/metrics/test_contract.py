"""What every registered metric promises."""

from __future__ import annotations

import pytest

from evaluation.metrics.base import metrics
from evaluation.spec import HEADLINE
from evaluation.types import Score
from tests.evaluation.samples import make_context, make_sample

TEXT = "The decree was issued in Memphis in 196 BC."
SAMPLES = [
    make_sample("Memphis", document=TEXT, evidence=[(0, 43)], contexts=[(1, 0, 20)]),
    make_sample("In Memphis, I think", kind="complex", document=TEXT, evidence=[(0, 43)], contexts=[(1, 20, 43)]),
    make_sample("", document=TEXT, evidence=[(0, 43)]),
    make_sample("I do not know.", [], kind="out_of_scope"),
    make_sample(error="The server is down.", document=TEXT, evidence=[(0, 43)]),
]
CONTEXT = make_context(["attempt", "partial", "empty", "refused", "empty"], [Score(0.5)] * 5)


@pytest.mark.parametrize("metric", list(metrics), ids=lambda metric: metric.key)
class TestMetric:
    def test_gives_one_score_a_sample_within_its_range(self, metric):
        scores = metric().score_many(SAMPLES, CONTEXT)
        assert len(scores) == len(SAMPLES)
        for score in scores:
            assert score.value is None or metric.low <= score.value <= metric.high

    def test_scores_a_block_as_it_scores_one_by_one(self, metric):
        alone = [metric().score_many([sample], CONTEXT.only([at]))[0] for at, sample in enumerate(SAMPLES)]
        assert metric().score_many(SAMPLES, CONTEXT) == alone

    def test_leaves_failed_questions_empty_with_the_reason(self, metric):
        assert metric().score_many(SAMPLES, CONTEXT)[-1] == Score.unscored("the question failed: The server is down.")

    def test_says_what_it_cannot_see(self, metric):
        assert metric.cannot_see

    def test_says_what_a_revision_of_its_formula_brought(self, metric):
        assert bool(metric.changes) == (metric.revision > 1)

    def test_scores_nothing_when_there_is_nothing(self, metric):
        assert metric().score_many([], make_context([])) == []


def test_the_five_are_there():
    assert set(HEADLINE) <= set(metrics.keys())
