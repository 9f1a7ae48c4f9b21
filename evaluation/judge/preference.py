"""Which of two answers is better: asked in both orders, so that the place of an answer does not decide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal, Self

from evaluation.judge.forms import JudgeForm
from evaluation.judge.judge import Judge, Request, Unjudged
from evaluation.judge.material import expected_answer
from evaluation.types import JUDGE, NOT_NEEDED, Sample, Score
from rag_pipeline.llm.loop_thread import gather_blocking, together

PROMPT = "prefer_answer"
FIRST, SECOND, TIE = "first", "second", "tie"
WIN, DRAW, LOSS = 1.0, 0.5, 0.0

OTHER_WAY = {FIRST: SECOND, SECOND: FIRST, TIE: TIE}


class PreferredAnswer(JudgeForm):
    """Which of two answers is better; the reason comes first, so that the verdict follows from it."""

    reason: str
    better: Literal["first", "second", "tie"]

    @classmethod
    def combine(cls, replies: Sequence[Self]) -> Self:
        """Return what more than half of the replies say, else a tie."""
        verdict, votes = Counter(reply.better for reply in replies).most_common(1)[0]
        if 2 * votes > len(replies):
            return next(reply for reply in replies if reply.better == verdict)
        reason = next((reply.reason for reply in replies if reply.better == TIE), "The votes do not agree.")
        return replies[0].model_copy(update={"better": TIE, "reason": reason})


async def prefer(sample: Sample, judge: Judge) -> Score:
    """Return whether a sample's answer (1) or its `other_answer` (0) is better, 0.5 where neither is.

    Details: `shown_first` and `shown_second`, the verdicts with this answer in that place (this, other or tie; absent
    where the answers are the same and nobody was asked); `orders_agree`; `place_taken`, first or second where the
    answer in that place won both times, absent otherwise.
    """
    if _same(sample):
        return Score(DRAW, "The answers are the same.", {"orders_agree": True, JUDGE: NOT_NEEDED})
    return decided(*await together(*(judge.ask(_request(sample, swapped)) for swapped in (False, True))))


def prefer_many(samples: Sequence[Sample], judge: Judge) -> list[Score]:
    """Return `prefer` of each sample, all asked about at once; for callers without an event loop."""
    return gather_blocking([prefer(sample, judge) for sample in samples])


def decided(in_order: PreferredAnswer | Unjudged, swapped: PreferredAnswer | Unjudged) -> Score:
    """Return the score from the verdict with this answer first and the one with this answer second."""
    for verdict in (in_order, swapped):
        if isinstance(verdict, Unjudged):
            return Score.unjudged(verdict.reason)
    assert isinstance(in_order, PreferredAnswer)
    assert isinstance(swapped, PreferredAnswer)
    seen, seen_swapped = in_order.better, OTHER_WAY[swapped.better]
    names = {FIRST: "this", SECOND: "other", TIE: TIE}
    details: dict[str, str | bool] = {
        "shown_first": names[seen],
        "shown_second": names[seen_swapped],
        "orders_agree": seen == seen_swapped,
    }
    if in_order.better == swapped.better != TIE:
        details["place_taken"] = in_order.better
    if seen == seen_swapped:
        return Score({FIRST: WIN, SECOND: LOSS, TIE: DRAW}[seen], in_order.reason, details)
    return Score(DRAW, _disagreement(in_order, swapped), details)


def _disagreement(in_order: PreferredAnswer, swapped: PreferredAnswer) -> str:
    if in_order.better == swapped.better:
        start = f"A tie: in both orders the judge took the answer that stood {in_order.better}."
    else:
        start = "A tie: the two orders disagree."
    return f"{start} With this answer first: {in_order.reason} With it second: {swapped.reason}"


def _same(sample: Sample) -> bool:
    return sample.trace.answer.strip() == (sample.other_answer or "").strip()


def _request(sample: Sample, swapped: bool) -> Request[PreferredAnswer]:
    answers = [text.strip() or "(no answer)" for text in (sample.trace.answer, sample.other_answer or "")]
    first, second = reversed(answers) if swapped else answers
    fields = {
        "question": sample.trace.question.strip(),
        "reference": expected_answer(sample),
        "first": first,
        "second": second,
    }
    return Request(PROMPT, PreferredAnswer, fields)
