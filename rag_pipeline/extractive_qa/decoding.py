"""From the network's logits to answers: the best span of each sentence of a window, with its scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rag_pipeline.extractive_qa.encoding import Window

START, END, SUPPORT, ANSWERABLE = range(4)
LONGEST_ANSWER = 24
"""Word pieces of the longest answer."""
_STARTS = 10

Logits = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class AnswerSpan:
    """A possible answer: characters `start` to `end` of the passage, in its sentence number `sentence`.

    `score` = start + end − those of no answer; `support`: mean support of the sentence's pieces; `answerable`: whether
    the window answers the question at all. All are logits.
    """

    start: int
    end: int
    sentence: int
    score: float
    support: float
    answerable: float

    @property
    def worth(self) -> float:
        """What spans are compared by, within a passage and across passages."""
        return self.score + self.support


def best_spans(window: Window, logits: Logits) -> list[AnswerSpan]:
    """Return spans of a window, best first, at most one a sentence; `logits` (length, 4). Empty for no passage."""
    first, last = window.first, window.last
    if last <= first:
        return []
    starts, ends = logits[first:last, START], logits[first:last, END]
    null = float(logits[0, START] + logits[0, END])
    numbers = np.array(window.sentences)
    support = {int(number): float(logits[first:last, SUPPORT][numbers == number].mean()) for number in set(numbers)}
    answerable = float(logits[0, ANSWERABLE])
    found: dict[int, AnswerSpan] = {}
    for start in np.argsort(-starts, kind="stable")[:_STARTS]:
        number = int(numbers[start])
        longest = min(start + LONGEST_ANSWER, int(np.searchsorted(numbers, number, side="right")))
        end = int(start + np.argmax(ends[start:longest]))
        score = float(starts[start] + ends[end]) - null
        span = AnswerSpan(window.offsets[start][0], window.offsets[end][1], number, score, support[number], answerable)
        if number not in found or span.worth > found[number].worth:
            found[number] = span
    return sorted(found.values(), key=lambda span: -span.worth)


def best_of(windows: Sequence[Window], logits: Sequence[Logits]) -> list[AnswerSpan]:
    """Return the spans of one passage, read in overlapping windows, best first, at most one a sentence."""
    found: dict[int, AnswerSpan] = {}
    for window, values in zip(windows, logits, strict=True):
        for span in best_spans(window, values):
            held = found.get(span.sentence)
            if held is None or span.worth > held.worth:
                found[span.sentence] = span
    return sorted(found.values(), key=lambda span: -span.worth)
