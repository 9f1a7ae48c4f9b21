"""What a judge fills in, and how several replies to one question become one: the majority."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median_high, median_low
from typing import Any, ClassVar, Self, TypeVar

from pydantic import BaseModel

from rag_pipeline.llm.structured import Form

M = TypeVar("M", bound=BaseModel)

FARTHEST = 1
"""How far the middle two of an even number of votes may lie apart for their mean to say anything."""


class NoMajorityError(Exception):
    """The votes do not agree, because one that would have decided could not be used; the text says how they stand."""


class JudgeForm(Form):
    """Base of the judge's forms.

    `voted`: False where a majority makes no sense, as when statements are extracted: such a question is asked once.
    """

    voted: ClassVar[bool] = True

    @classmethod
    def combine(cls, replies: Sequence[Self]) -> Self:
        """Return what most of the replies say; numbers become their median, reasons come with the majority.

        Raises NoMajorityError where they do not agree.
        """
        return majority(replies)


def majority(replies: Sequence[M]) -> M:
    """Return the first of the replies that agree most with the majority, with the majority's values in it.

    Raises NoMajorityError where there is none.
    """
    kind = type(replies[0])
    decided = {
        name: _majority([getattr(reply, name) for reply in replies])
        for name, info in kind.model_fields.items()
        if info.annotation is not str
    }
    nearest = max(replies, key=lambda reply: sum(getattr(reply, name) == value for name, value in decided.items()))
    return nearest.model_copy(update=decided)


def _majority(values: Sequence[Any]) -> Any:
    first = values[0]
    if isinstance(first, BaseModel):
        return majority(values)
    if isinstance(first, list):
        if any(len(value) != len(first) for value in values):
            return first
        return [_majority(items) for items in zip(*values, strict=True)]
    if isinstance(first, int | float) and not isinstance(first, bool):
        return _middle(values)
    counts = Counter(values).most_common()
    value, votes = counts[0]
    if 2 * votes <= len(values):
        raise NoMajorityError(" : ".join(str(count) for _, count in counts))
    return value


def _middle(values: Sequence[float]) -> float:
    """Return the median, also half way between two numbers, unless they are so far apart that nobody said it."""
    low, high = median_low(values), median_high(values)
    if high - low > FARTHEST:
        raise NoMajorityError(" and ".join(f"{value:g}" for value in sorted(values)))
    return low if low == high else (low + high) / 2
