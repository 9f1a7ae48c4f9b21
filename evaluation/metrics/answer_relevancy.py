"""RAGAS: how well the answer fits the question that was asked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from evaluation.judge.forms import JudgeForm
from evaluation.judge.judge import Request, Unjudged
from evaluation.metrics.base import REFUSALS_IN_LANGUAGES, UNREAD, MetricContext, metrics
from evaluation.metrics.judged import IN_ITS_LANGUAGE, JudgedMetric, judge_of
from evaluation.metrics.worked import WorkedExample
from evaluation.types import Refusal, Sample, Score
from rag_pipeline.registry import UnitOptions

_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


class RelevancyOptions(UnitOptions):
    """How many questions the judge makes of an answer."""

    questions: int = Field(
        3, ge=1, le=len(_WORDS), title="Questions", description="Questions that the judge makes of each answer."
    )


class QuestionsBack(JudgeForm):
    """Questions that the answer would answer, and whether it evades."""

    voted: ClassVar[bool] = False

    questions: list[str]
    evasive: bool


@metrics.register
class AnswerRelevancy(JudgedMetric):
    """Mean cosine of the question and some different ones, three unless told, that the judge makes of the answer alone.

    An evasive answer is 0, and so is a refusal. For an out-of-scope question, where declining is right, both are null.
    It says nothing of whether the answer is true.
    """

    key = "answer_relevancy"
    label = "Answer relevancy"
    known_as = {
        "RAGAS": ("ResponseRelevancy",),
        "TruLens": ("Answer Relevance",),
        "DeepEval": ("AnswerRelevancyMetric",),
    }
    help = "How close the questions that the answer would answer are to the one that was asked; 0 where it evades."
    group = "ragas"
    voted = False
    needs: ClassVar[frozenset[str]] = frozenset({"question", "answer", "judge"})
    changes = f"{IN_ITS_LANGUAGE}; {REFUSALS_IN_LANGUAGES}"
    formula = "max(0, mean cosine(question, question made of the answer)) over 3 questions; 0 where the answer evades"
    source = "Es et al. 2024 (RAGAS)"
    cannot_see = "whether the answer is right: it asks only whether the answer is one to this question"
    worked = WorkedExample(
        question="Where is France and what is its capital?",
        answer="France is in western Europe.",
        judge=(
            (
                "questions_back",
                {
                    "questions": [
                        "In which part of Europe is France located?",
                        "What is the geographical location of France within Europe?",
                        "Can you identify the region of Europe where France is situated?",
                    ],
                    "evasive": False,
                },
            ),
        ),
        value=0.73,
        working="The three questions have cosines of 0.74, 0.76 and 0.71 with the one that was asked "
        "(all-MiniLM-L6-v2), 0.73 in the mean. They ask for the place alone, for the answer leaves the capital out.",
    )

    Options = RelevancyOptions
    options: RelevancyOptions

    async def ask(self, sample: Sample, context: MetricContext) -> QuestionsBack | Unjudged | None:
        """Return the questions that the answer would answer; None for a refusal."""
        if context.refusals[0].refused:
            return None
        return await judge_of(context).ask(_request(sample.trace.answer, self.options.questions))

    def read_block(self, samples: Sequence[Sample], found: Sequence[Any], context: MetricContext) -> list[Score]:
        """Embed all questions at once."""
        cosines = context.cosines(list(map(_pairs, samples, found)))
        return [_score(*each) for each in zip(samples, context.refusals, found, cosines, strict=True)]


def _request(answer: str, count: int) -> Request[QuestionsBack]:
    fields = {"answer": answer.strip(), "count": _WORDS[count - 1]}
    return Request("questions_back", QuestionsBack, fields, partial(_different, count))


def _different(count: int, reply: QuestionsBack) -> str:
    """Return what is wrong unless there are so many questions that differ in more than case and marks."""
    plain = {"".join(letter for letter in text.casefold() if letter.isalnum()) for text in reply.questions}
    if len(reply.questions) == count and len(plain - {""}) == count:
        return ""
    return f"“questions” must have exactly {count} questions, each in other words than the others."


def _pairs(sample: Sample, found: QuestionsBack | Unjudged | None) -> list[tuple[str, str]]:
    """Return a sample's question with each question made of its answer."""
    made = found.questions if isinstance(found, QuestionsBack) else []
    return [(sample.trace.question.strip(), text) for text in made]


def _score(
    sample: Sample, refusal: Refusal, found: QuestionsBack | Unjudged | None, cosines: list[float | None]
) -> Score:
    if found is None:
        if sample.answerable:
            return Score.without_judge(0.0, "the answer declines")
        return Score.unscored("the question is out of scope and was rightly declined")
    if isinstance(found, Unjudged):
        return Score.unjudged(found.reason)
    read = [cosine for cosine in cosines if cosine is not None]
    rounded = (None if cosine is None else round(cosine, 4) for cosine in cosines)
    details = {"questions": dict(zip(found.questions, rounded, strict=True))}
    if found.evasive and not sample.answerable:
        return Score.unscored("the question is out of scope, and the answer does not commit itself")
    if found.evasive:
        return Score(0.0, "the judge finds the answer evasive", details)
    if len(read) < len(cosines):
        return Score.unscored(UNREAD)
    # Opposite meanings are no worse than unrelated ones; rounding may leave the cosine of equal texts above 1.
    value = float(np.clip(np.mean(read), 0.0, 1.0))
    return Score(value, f"mean cosine {value:.2f} with {len(found.questions)} questions made of the answer", details)
