"""RAGAS: whether the contexts that help stand before those that do not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from evaluation.judge.forms import JudgeForm
from evaluation.judge.judge import Request, Unjudged
from evaluation.metrics.base import MetricContext, metrics
from evaluation.metrics.claim_based import ANSWERABLE
from evaluation.metrics.judged import JudgedMetric, judge_of
from evaluation.metrics.worked import WorkedExample
from evaluation.types import Sample, Score
from rag_pipeline.llm.loop_thread import together


class Usefulness(JudgeForm):
    """Whether a passage was useful for an answer; the reason comes first, so that the verdict follows from it."""

    reason: str = ""
    useful: bool


@metrics.register
class ContextPrecision(JudgedMetric):
    """Average precision over the ranks, from one verdict a context: did it help to arrive at the reference?

    Where there is no reference the answer takes its place. 0 where no context helped or none was retrieved.
    """

    key = "context_precision"
    label = "Context precision"
    known_as = {"RAGAS": ("LLMContextPrecisionWithReference",), "DeepEval": ("ContextualPrecisionMetric",)}
    help = "Whether the contexts that help to arrive at the reference come first (average precision)."
    group = "ragas"
    kinds = ANSWERABLE
    asks_each_context = True
    needs: ClassVar[frozenset[str]] = frozenset({"question", "contexts", "judge"})
    reads_answer: ClassVar[bool] = False
    formula = "Σ precision@k · useful@k / number of useful contexts, over the ranks k"
    source = "RAGAS documentation (Es et al. 2024); average precision"
    cannot_see = "useful contexts that were not retrieved; what its judge does not see"
    worked = WorkedExample(
        question="Where is France and what is its capital?",
        references=("France is in Western Europe and its capital is Paris.",),
        contexts=(
            "The country is also renowned for its wines and sophisticated cuisine.",
            "France, in Western Europe, encompasses medieval cities. Paris, its capital, is famed for its fashion.",
        ),
        judge=(
            ("useful_context", {"reason": "It speaks of wines and cuisine.", "useful": False}),
            ("useful_context", {"reason": "It names “Western Europe” and “Paris, its capital”.", "useful": True}),
        ),
        value=0.5,
        working="Only the second context is useful; precision at rank 2 is 1/2, and there is one useful context: 0.5. "
        "The other way round it would be 1.",
    )

    async def ask(self, sample: Sample, context: MetricContext) -> list[Usefulness | Unjudged]:
        """Ask about all contexts of a sample at once."""
        return await together(*(judge_of(context).ask(request) for request in _requests(sample)))

    def read(self, sample: Sample, found: list[Usefulness | Unjudged]) -> Score:
        """Return the average precision of the verdicts."""
        return _score(sample, found)

    def why_null(self, sample: Sample, context: MetricContext) -> str:
        """A row needs a reference or, in its place, an answer."""
        reason = super().why_null(sample, context)
        return reason or ("" if _target(sample)[0] else "there is neither a reference answer nor an answer")


def average_precision(useful: Sequence[bool]) -> float:
    """Return the mean of precision@k over the ranks of the useful ones; 0 where none is."""
    hits = [rank for rank, verdict in enumerate(useful, 1) if verdict]
    return sum(count / rank for count, rank in enumerate(hits, 1)) / len(hits) if hits else 0.0


def _target(sample: Sample) -> tuple[str, str]:
    """Return what the contexts are to lead to, and what that is."""
    reference = next((text.strip() for text in sample.reference_answers if text.strip()), "")
    return (reference, "the reference") if reference else (sample.trace.answer.strip(), "the answer")


def _requests(sample: Sample) -> list[Request[Usefulness]]:
    """Return one request for each context that is not empty."""
    fields = {"question": sample.trace.question.strip(), "answer": _target(sample)[0]}
    texts = [context.text for context in sample.trace.contexts]
    return [Request("useful_context", Usefulness, fields | {"passage": text}) for text in texts if text.strip()]


def _score(sample: Sample, verdicts: Sequence[Usefulness | Unjudged]) -> Score:
    lost = next((verdict for verdict in verdicts if isinstance(verdict, Unjudged)), None)
    if lost is not None:
        return Score.unjudged(lost.reason)
    left = iter(verdict for verdict in verdicts if isinstance(verdict, Usefulness))
    judged = [
        (verdict.useful, verdict.reason) if context.text.strip() and (verdict := next(left)) else (False, "it is empty")
        for context in sample.trace.contexts
    ]
    if not judged:
        return Score.without_judge(0.0, "nothing was retrieved")
    useful = [verdict for verdict, _ in judged]
    reason = f"{sum(useful)} of {len(useful)} contexts helped to arrive at {_target(sample)[1]}"
    details = {f"context {rank}": f"{'✓' if good else '✗'} {why}" for rank, (good, why) in enumerate(judged, 1)}
    return Score(average_precision(useful), reason, details)
