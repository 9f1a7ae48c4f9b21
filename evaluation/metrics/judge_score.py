"""With a judge: the plain “rate this answer”, as a baseline for the other metrics."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from evaluation.judge.forms import JudgeForm
from evaluation.judge.judge import Request, Unjudged
from evaluation.judge.material import expected_answer
from evaluation.metrics.base import MetricContext, metrics
from evaluation.metrics.judged import JudgedMetric, judge_of
from evaluation.metrics.worked import WorkedExample
from evaluation.types import Sample, Score

PROMPT = "rate_answer"
BEST = 10


class AnswerRating(JudgeForm):
    """How good an answer is, on the whole; the reason comes first, so that the rating follows from it."""

    reason: str
    rating: int = Field(ge=0, le=BEST)


@metrics.register
class JudgeScore(JudgedMetric):
    """One prompt, one number: what the more careful metrics have to be better than."""

    key = "judge_score"
    label = "Judge score"
    known_as = {"TruLens": ("Ground Truth Agreement",), "DeepEval": ("GEval",)}
    help = "The judge rates the answer as a whole, in one prompt: the plain baseline."
    group = "judge"
    needs: ClassVar[frozenset[str]] = frozenset({"question", "answer", "judge"})
    judge_prompts: ClassVar[frozenset[str]] = frozenset({PROMPT})
    formula = "the judge's rating from 0 to 10, divided by 10"
    source = "Zheng et al. 2023 (LLM-as-a-judge, single answer grading)"
    cannot_see = "what its judge does not see: judges like long and confident answers"
    worked = WorkedExample(
        0.5,
        "The judge rates the answer 5 of 10, as it names one of the two towns: 5 / 10 = 0.5.",
        question="Which two towns does the night ferry connect?",
        answer="It leaves from Porthmere at nine.",
        references=("Porthmere and Lund Bay",),
        judge=((PROMPT, {"reason": "It names one of the two towns.", "rating": 5}),),
    )

    async def ask(self, sample: Sample, context: MetricContext) -> AnswerRating | Unjudged:
        """Have the answer rated."""
        return await judge_of(context).ask(Request(PROMPT, AnswerRating, _fields(sample)))

    def read(self, sample: Sample, found: AnswerRating | Unjudged) -> Score:
        """Return the rating as a share of the best one."""
        return _score(found)


def _fields(sample: Sample) -> dict[str, str]:
    return {
        "question": sample.trace.question.strip(),
        "reference": expected_answer(sample),
        "answer": sample.trace.answer.strip(),
    }


def _score(rating: AnswerRating | Unjudged) -> Score:
    if isinstance(rating, Unjudged):
        return Score.unjudged(rating.reason)
    return Score(rating.rating / BEST, rating.reason, {"rating": f"{rating.rating} of {BEST}"})
