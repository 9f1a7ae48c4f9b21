"""A compiled OpenVINO graph that keeps every core busy: a stream a core, and batches that wait for no other."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from itertools import groupby
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from rag_pipeline.local_models.processor import cpu_has_bfloat16

Array = npt.NDArray[Any]
T = TypeVar("T")

MULTIPLE = 16
"""Lengths are padded to multiples of it: the processor's matrix units like that (10 % quicker)."""
_BATCH_TOKENS = 512
"""A batch this large stays in the cache of a core (measured: 256 and 1,024 are slower)."""


class Streams:
    """Runs batches on a graph. `run` may be called from several threads."""

    def __init__(self, graph: Any) -> None:
        import openvino as ov

        precision = "bf16" if cpu_has_bfloat16() else "f32"
        # A stream a core: cores that share a batch wait for each other (13 % slower, far more on a busy machine).
        options = {"INFERENCE_PRECISION_HINT": precision, "NUM_STREAMS": str(_cores())}
        self._compiled = ov.Core().compile_model(graph, "CPU", options)
        self._idle: list[list[Any]] = []

    def width(self, output: int = 0) -> int:
        """Return the size of the last axis of an output."""
        return int(self._compiled.output(output).partial_shape[-1].get_length())

    def run(self, batches: Iterable[tuple[Sequence[Array], T]], keep: Callable[[Array, T], None], output: int) -> None:
        """Compute each batch of inputs and hand `keep` the values of an output, in order; they last for that call."""
        # They are not safe to share, and slow to make: who has done leaves them for the next, maybe of another thread.
        # No callbacks in Python: one that ends late wants the lock that whoever closes the network holds.
        try:
            idle = self._idle.pop()
        except IndexError:
            idle = [self._compiled.create_infer_request() for _ in range(_cores())]
        running: deque[tuple[Any, T]] = deque()

        def finish() -> None:
            request, batch = running.popleft()
            request.wait()
            keep(request.get_output_tensor(output).data, batch)
            idle.append(request)

        for inputs, batch in batches:
            if not idle:
                finish()
            request = idle.pop()
            request.start_async(list(inputs))
            running.append((request, batch))
        while running:
            finish()
        self._idle.append(idle)


def batches_of(rows: Sequence[Sized]) -> Iterator[list[int]]:
    """Yield the places of rows that are computed together.

    All of a batch are padded to the same length, so that nobody is padded for another's sake. The longest come first,
    so that all cores end together.
    """
    order = sorted(range(len(rows)), key=lambda place: -len(rows[place]))
    for length, alike in groupby(order, key=lambda place: _padded_length(len(rows[place]))):
        places, count = list(alike), max(1, _BATCH_TOKENS // max(1, length))
        yield from (places[start : start + count] for start in range(0, len(places), count))


def padded(rows: Sequence[Sequence[int] | Array]) -> tuple[Array, Array]:
    """Return the ids and the mask of some token rows as int64, each (rows, longest), up to a multiple of `MULTIPLE`."""
    length = _padded_length(max(len(row) for row in rows))
    ids = np.zeros((len(rows), length), np.int64)
    mask = np.zeros((len(rows), length), np.int64)
    for number, row in enumerate(rows):
        ids[number, : len(row)] = row
        mask[number, : len(row)] = 1
    return ids, mask


def _padded_length(length: int) -> int:
    return length + -length % MULTIPLE


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
