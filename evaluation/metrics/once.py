"""What several metrics ask of the same sample, one after another, computed once."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

from evaluation.types import Sample

T = TypeVar("T")
_SAMPLES = 512
"""Samples of which results are kept: a block of rows is scored metric by metric."""


class _Same:
    """A sample as a key: hashing all its texts would take longer than most of what is kept."""

    __slots__ = ("sample",)

    def __init__(self, sample: Sample) -> None:
        self.sample = sample

    def __hash__(self) -> int:
        return id(self.sample)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.sample is self.sample


def once_a_sample(compute: Callable[[Sample], T]) -> Callable[[Sample], T]:
    """Decorate a function of a sample: its result for the same object is kept for a while, and must not be changed."""

    @lru_cache(maxsize=_SAMPLES)
    def kept(same: _Same) -> T:
        return compute(same.sample)

    @wraps(compute)
    def once(sample: Sample) -> T:
        return kept(_Same(sample))

    return once
