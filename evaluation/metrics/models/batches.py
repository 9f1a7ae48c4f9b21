"""Batches for models: texts of like length together, so that little is padding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

_LARGEST = 32


def batches(lengths: Sequence[int], tokens: int) -> Iterator[list[int]]:
    """Yield positions, longest texts first, so that each batch has at most `tokens` tokens with its padding.

    A text longer than that is a batch of its own.
    """
    batch: list[int] = []
    for position in sorted(range(len(lengths)), key=lambda each: -lengths[each]):
        longest = lengths[batch[0]] if batch else lengths[position]
        if batch and (len(batch) == _LARGEST or longest * (len(batch) + 1) > tokens):
            yield batch
            batch = []
        batch.append(position)
    if batch:
        yield batch
