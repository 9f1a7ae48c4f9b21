"""The trained reader's network at work: windows to logits, without torch where OpenVINO is there."""

from __future__ import annotations

import importlib.util
import json
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rag_pipeline.embedders.bert_graph import build_pair_reader
from rag_pipeline.embedders.fast_encoder import cpu_has_bfloat16
from rag_pipeline.extractive_qa.decoding import Logits
from rag_pipeline.extractive_qa.encoding import Window, padded

WORD_TABLE = "embeddings.word_embeddings.weight"
"""The one part of the encoder that is not trained: it comes from the installed package."""
_BATCH = 2
"""Windows a batch: small, so that the few of one question keep all cores busy."""

_MULTIPLE = 16
"""Lengths are padded to multiples of it: the processor's matrix units like that (10 % quicker)."""
_Batch = tuple[tuple[Any, Any, Any], list[int]]
_Keep = Callable[[Any, list[int]], None]


class SpanNetwork:
    """`encoder`: folder of the encoder's weights and configuration; `trained`: safetensors of all but its word table.

    `logits` may be called from several threads.
    """

    def __init__(self, encoder: Path, trained: Path) -> None:
        config = json.loads((encoder / "config.json").read_text())
        weights = joined(encoder, trained)
        self._idle: list[list[Any]] = []
        self._torch = None
        if importlib.util.find_spec("openvino") is None:
            self._torch = _torch_network(encoder, weights)
            return
        import openvino as ov

        precision = "bf16" if cpu_has_bfloat16() else "f32"
        graph = build_pair_reader(weights, config)
        # A stream a core: cores that share a batch wait for each other (13 % slower, far more on a busy machine).
        streams = {"INFERENCE_PRECISION_HINT": precision, "NUM_STREAMS": str(_cores())}
        self._compiled = ov.Core().compile_model(graph, "CPU", streams)

    def logits(self, windows: Sequence[Window]) -> list[Logits]:
        """Return the logits (length, 4) of each window, in order."""
        found: list[Logits] = [np.zeros((0, 4), np.float32)] * len(windows)
        # Of like length together: a batch costs as much as its longest window.
        order = sorted(range(len(windows)), key=lambda place: len(windows[place].ids))
        batches = [order[start : start + _BATCH] for start in range(0, len(order), _BATCH)]

        def keep(values: Any, batch: list[int]) -> None:
            for row, place in enumerate(batch):
                found[place] = np.array(values[row, : len(windows[place].ids)], np.float32)

        read = self._by_torch if self._torch is not None else self._by_streams
        read([(padded([windows[place] for place in batch], _MULTIPLE), batch) for batch in batches], keep)
        return found

    def _by_torch(self, batches: Sequence[_Batch], keep: _Keep) -> None:
        import torch

        for arrays, batch in batches:
            with torch.inference_mode():
                keep(self._torch(*(torch.from_numpy(array) for array in arrays)).numpy(), batch)  # type: ignore[misc]

    def _by_streams(self, batches: Sequence[_Batch], keep: _Keep) -> None:
        # They are not safe to share, and slow to make: who has done leaves them for the next, maybe of another thread.
        # No callbacks in Python: one that ends late wants the lock that whoever closes the network holds.
        try:
            idle = self._idle.pop()
        except IndexError:
            idle = [self._compiled.create_infer_request() for _ in range(_cores())]
        running: deque[tuple[Any, list[int]]] = deque()

        def finish() -> None:
            request, batch = running.popleft()
            request.wait()
            keep(request.get_output_tensor(0).data, batch)
            idle.append(request)

        for arrays, batch in batches:
            if not idle:
                finish()
            request = idle.pop()
            request.start_async(list(arrays))
            running.append((request, batch))
        while running:
            finish()
        self._idle.append(idle)


class LateNetwork:
    """A `SpanNetwork` that is opened when something is read for the first time: what was read before needs none."""

    def __init__(self, encoder: Path, trained: Path) -> None:
        self._files = encoder, trained
        self._opening = threading.Lock()
        self._network: SpanNetwork | None = None
        self.opening_s = 0.0

    def logits(self, windows: Sequence[Window]) -> list[Logits]:
        """Return the logits (length, 4) of each window, in order."""
        with self._opening:
            if self._network is None:
                start = time.perf_counter()
                self._network = SpanNetwork(*self._files)
                self.opening_s = time.perf_counter() - start
        return self._network.logits(windows)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def joined(encoder: Path, trained: Path) -> dict[str, Any]:
    """Return the trained weights, float32, with the encoder's word table."""
    from safetensors import safe_open
    from safetensors.numpy import load_file

    with safe_open(encoder / "model.safetensors", framework="numpy") as file:
        table = next(name for name in file.keys() if name.endswith(WORD_TABLE))  # noqa: SIM118
        words = file.get_tensor(table)
    found = {WORD_TABLE: words} | {_plain(name): value for name, value in load_file(trained).items()}
    return {name: np.asarray(value, np.float32) for name, value in found.items()}


def _plain(name: str) -> str:
    """Return the encoder's own name of a weight: the network calls its encoder “encoder”, and so does the encoder."""
    return name.removeprefix("encoder.")


def _torch_network(encoder: Path, weights: dict[str, Any]) -> Any:
    import torch

    from rag_pipeline.extractive_qa.torch_network import build

    network = build(encoder)
    state = {
        (name if name.startswith("head.") else f"encoder.{name}"): torch.from_numpy(value)
        for name, value in weights.items()
    }
    network.load_state_dict(state, strict=False)
    return network.eval()
