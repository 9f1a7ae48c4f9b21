"""A quiz: the questions of a test set, or of some documents, asked of a person one after the other."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field

from evaluation.models import Question, QuizReply, TestSet
from rag_pipeline.models import Document
from rag_pipeline.types import Span

_AROUND = 400
"""Characters of the document shown before and after the evidence."""


@dataclass(frozen=True)
class Source:
    """Where an answer stands: the text before it, itself, and after it."""

    document: Document
    span: Span
    before: str
    text: str
    after: str


@dataclass(frozen=True)
class Quiz:
    """How far a quiz is. `left`: the questions to come, in their order."""

    testset: TestSet
    round: str
    left: list[Question]
    replies: dict[str, list[Question]] = field(default_factory=dict)

    @property
    def next(self) -> Question | None:
        """The question that is asked; None at the end."""
        return self.left[0] if self.left else None

    @property
    def asked(self) -> int:
        """How many questions were replied to."""
        return sum(map(len, self.replies.values()))

    @property
    def total(self) -> int:
        """How many questions there are."""
        return self.asked + len(self.left)

    @property
    def right(self) -> int:
        """How many the person knew."""
        return len(self.replies.get(QuizReply.Verdict.RIGHT, []))

    @property
    def judged(self) -> int:
        """How many were right or wrong: what is doubted says nothing of the person."""
        return self.right + len(self.replies.get(QuizReply.Verdict.WRONG, []))


def sections_of(testset: TestSet) -> list[tuple[Document, int]]:
    """Return the documents that a test set asks about, with the number of questions for each, by name."""
    counts: Counter[int] = Counter()
    for question in _askable(testset):
        counts.update({each.document_id for each in question.evidence.all()})
    documents = Document.objects.defer("text").in_bulk(list(counts))
    return sorted(((documents[pk], count) for pk, count in counts.items()), key=lambda each: each[0].name)


def quiz_of(testset: TestSet, round_: str, sections: Collection[int]) -> Quiz:
    """Return a quiz; `sections`: ids of the documents that it is about, none for all. A round has its own order."""
    said = dict(QuizReply.objects.filter(round=round_, question__testset=testset).values_list("question_id", "verdict"))
    questions = [
        each
        for each in _askable(testset)
        if not sections or any(evidence.document_id in sections for evidence in each.evidence.all())
    ]
    random.Random(round_).shuffle(questions)
    replies: dict[str, list[Question]] = {}
    for each in questions:
        if each.pk in said:
            replies.setdefault(said[each.pk], []).append(each)
    return Quiz(testset, round_, [each for each in questions if each.pk not in said], replies)


def _askable(testset: TestSet) -> list[Question]:
    """Return one question of each pair, the simple one if there is one; those out of scope ask nothing of a person."""
    found: dict[str, Question] = {}
    questions = testset.questions.exclude(status=Question.Status.REJECTED).exclude(kind=Question.Kind.OUT_OF_SCOPE)
    for each in questions.prefetch_related("evidence").order_by("position", "id"):
        if each.pair_id not in found or each.kind == Question.Kind.SIMPLE:
            found[each.pair_id] = each
    return list(found.values())


def sources_of(question: Question) -> list[Source]:
    """Return the passages that an answer rests on."""
    found = []
    for evidence in question.evidence.select_related("document"):
        text, span = evidence.document.text, evidence.span
        found.append(
            Source(
                evidence.document,
                span,
                _whole_words(text[max(0, span.start - _AROUND) : span.start], cut_left=span.start > _AROUND),
                text[span.start : span.end],
                _whole_words(text[span.end : span.end + _AROUND], cut_right=span.end + _AROUND < len(text)),
            )
        )
    return found


def _whole_words(text: str, *, cut_left: bool = False, cut_right: bool = False) -> str:
    """Return a text without the half of a word at the end where it was cut, an ellipsis in its place."""
    if cut_left:
        return f"… {text.partition(' ')[2] or text}"
    return f"{text.rpartition(' ')[0] or text} …" if cut_right else text


def doubted_questions(testset: TestSet) -> list[Question]:
    """Return the questions that somebody doubted and nobody has reviewed since, in the order of the test set."""
    doubted = testset.questions.filter(quiz_replies__verdict=QuizReply.Verdict.DOUBTFUL)
    return list(doubted.filter(status=Question.Status.NEW).distinct().order_by("position"))
