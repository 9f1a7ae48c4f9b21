"""What a judge fills in, and how several replies to one question become one: the majority."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median_low
from typing import Any, ClassVar, Self, TypeVar

from pydantic import BaseModel

from rag_pipeline.llm.structured import Form

M = TypeVar("M", bound=BaseModel)


class JudgeForm(Form):
    """Base of the judge's forms.

    `voted`: False where a majority makes no sense, as when statements are extracted: such a question is asked once.
    """

    voted: ClassVar[bool] = True

    @classmethod
    def combine(cls, replies: Sequence[Self]) -> Self:
        """Return what most of the replies say; numbers become their median, reasons come with the majority."""
        return _combined(replies)


def _combined(replies: Sequence[M]) -> M:
    """Return the first of the replies that agree most with the majority, with the majority's values in it."""
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
        return _combined(values)
    if isinstance(first, list):
        if any(len(value) != len(first) for value in values):
            return first
        return [_majority(items) for items in zip(*values, strict=True)]
    if isinstance(first, int | float) and not isinstance(first, bool):
        return median_low(values)
    return Counter(values).most_common(1)[0][0]
