"""Examples as tensors: windows with their labels, in batches of about equal length."""

from __future__ import annotations

import random
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rag_pipeline.extractive_qa.encoding import PairEncoder, Window, padded, sentence_numbers
from tests.bench.reader_training.dataset import ReadingExample
from tests.bench.reader_training.losses import Batch

_SORTED_TOGETHER = 50
"""Batches whose examples are sorted by length together: enough to save padding, few enough to stay mixed."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A window with the places of its gold spans (start, end; in the window) and the sentences that hold them."""

    window: Window
    spans: list[tuple[int, int]]
    held: set[int]


def labelled(examples: Sequence[ReadingExample], encoder: PairEncoder, draw: random.Random) -> list[Labelled]:
    """Return one window of each example: one with an answer where the passage has one, else any."""
    questions = encoder.pieces([example.question for example in examples])
    passages = encoder.pieces([example.passage for example in examples])
    found = []
    for example, question, passage in zip(examples, questions, passages, strict=True):
        numbers = sentence_numbers(example.passage, passage.offsets)
        windows = [_label(window, example) for window in encoder.windows(question, passage, numbers)]
        with_answer = [each for each in windows if each.spans]
        if with_answer or not example.answers:
            found.append(draw.choice(with_answer or windows))
    return found


def _label(window: Window, example: ReadingExample) -> Labelled:
    starts = [start for start, _ in window.offsets]
    ends = [end for _, end in window.offsets]
    spans, held = [], set()
    for answer in example.answers:
        first, last = bisect_right(ends, answer.start), bisect_left(starts, answer.end) - 1
        whole = first <= last < len(ends) and starts[first] <= answer.start and ends[last] >= answer.end
        if whole:
            spans.append((window.first + first, window.first + last))
            held.update(window.sentences[first : last + 1])
    return Labelled(window, spans, held)


def in_batches(examples: Sequence[Labelled], size: int, draw: random.Random) -> Iterator[list[Labelled]]:
    """Yield batches of `size` of about equal length, in random order."""
    for start in range(0, len(examples), size * _SORTED_TOGETHER):
        block = sorted(examples[start : start + size * _SORTED_TOGETHER], key=lambda each: len(each.window.ids))
        batches = [block[place : place + size] for place in range(0, len(block), size)]
        draw.shuffle(batches)
        yield from batches


def tensors(rows: Sequence[Labelled]) -> Batch:
    """Return a batch as tensors."""
    import torch

    ids, mask, kinds = padded([row.window for row in rows])
    shape = ids.shape
    starts, ends, choices = np.zeros(shape, np.float32), np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    sentences = np.full(shape, -1, np.int64)
    firsts = [min(row.window.sentences, default=0) for row in rows]
    count = max((max(row.window.sentences, default=0) - first + 1 for row, first in zip(rows, firsts, strict=True)))
    supports = np.full((len(rows), count), -1, np.float32)
    for place, (row, first) in enumerate(zip(rows, firsts, strict=True)):
        window = row.window
        choices[place, 0] = 1
        choices[place, window.first : window.last] = 1
        numbers = np.array(window.sentences, np.int64) - first
        sentences[place, window.first : window.last] = numbers
        supports[place, numbers] = 0
        for number in row.held:
            supports[place, number - first] = 1
        for start, end in row.spans or [(0, 0)]:
            starts[place, start] = 1
            ends[place, end] = 1
    answerable = np.array([float(bool(row.spans)) for row in rows], np.float32)
    arrays = (ids, mask, kinds, starts, ends, choices, sentences, supports, answerable)
    return Batch(*(torch.from_numpy(array) for array in arrays))
