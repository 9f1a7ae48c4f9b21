"""Metrics with a judge: what one makes of its replies is worked out while those of another are awaited."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

import pytest

from evaluation.judge.judge import make_judge
from evaluation.judge.prompts import JudgePrompts
from evaluation.metrics.base import Metric, MetricContext, make_metric
from evaluation.metrics.judged import JudgedMetric
from evaluation.scoring import scoring
from evaluation.scoring.scoring import finished, score_samples
from evaluation.spec import EvaluationSpec
from evaluation.types import Sample, Score
from rag_pipeline.types import Trace
from tests.fake_embedder import embed_words


class Read:
    """Whether the replies to `Quick` have been read."""

    event = threading.Event()


class Quick(JudgedMetric):
    """Answered at once; there is more to do than to look at its replies."""

    key = "quick"

    async def ask(self, sample: Sample, context: MetricContext) -> float:
        return 1.0 if sample.question_id == "q0" else 0.5

    def read_block(self, samples: Sequence[Sample], found: Sequence[Any], context: MetricContext) -> list[Score]:
        Read.event.set()
        return list(map(Score, found))


class Slow(JudgedMetric):
    """Answered when those of the other metric were read."""

    key = "slow"

    async def ask(self, sample: Sample, context: MetricContext) -> bool:
        return await asyncio.to_thread(Read.event.wait, 60)

    def read(self, sample: Sample, found: bool) -> Score:
        return Score(float(found))


@pytest.fixture
def two_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the two metrics in place of any that are called so."""
    Read.event.clear()
    made: dict[str, type[Metric]] = {unit.key: unit for unit in (Quick, Slow)}
    monkeypatch.setattr(
        scoring, "make_metric", lambda name, spec: made[name]() if name in made else make_metric(name, spec)
    )
    monkeypatch.setattr(scoring, "summarise", lambda samples, scores, spec: {})


@pytest.mark.usefixtures("two_metrics")
def test_what_is_made_of_replies_does_not_wait_for_other_replies() -> None:
    samples = [Sample(f"q{n}", f"q{n}", "simple", Trace("What?", f"Answer {n}")) for n in range(2)]
    judge = make_judge("openai:judge-1", JudgePrompts())
    scored = finished(
        score_samples(samples, EvaluationSpec(), "I do not know.", embed_words, names=("slow", "quick"), judge=judge)
    )
    assert scored.scores == {"slow": [Score(1.0), Score(1.0)], "quick": [Score(1.0), Score(0.5)]}
