"""A network over pairs of texts at work: windows to logits, without torch where OpenVINO is there."""

from __future__ import annotations

import importlib.util
import json
import re
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rag_pipeline.embedders.bert_graph import build_pair_reader
from rag_pipeline.embedders.streams import MULTIPLE, Streams, batches_of
from rag_pipeline.extractive_qa.decoding import Logits
from rag_pipeline.extractive_qa.encoding import Window, padded

WORD_TABLE = "embeddings.word_embeddings.weight"
"""The one part of the encoder that is not trained: it comes from the installed package."""
_LAYER = re.compile(r"encoder\.layer\.(\d+)\.")
_Batch = tuple[tuple[Any, Any, Any], list[int]]
_Keep = Callable[[Any, list[int]], None]


class PairNetwork:
    """`encoder`: folder of the encoder's configuration; `weights`: of as many of its layers as there are, and the head.

    `logits` may be called from several threads.
    """

    def __init__(self, encoder: Path, weights: dict[str, Any]) -> None:
        self._torch = None
        layers = 1 + max(int(found[1]) for name in weights if (found := _LAYER.match(name)))
        if importlib.util.find_spec("openvino") is None:
            self._torch = _torch_network(encoder, weights, layers)
            return
        config = json.loads((encoder / "config.json").read_text()) | {"num_hidden_layers": layers}
        self._streams = Streams(build_pair_reader(weights, config))

    def logits(self, windows: Sequence[Window]) -> list[Logits]:
        """Return the logits (length, outputs of the head) of each window, in order."""
        found: list[Logits] = [np.zeros((0, 0), np.float32)] * len(windows)
        batches = batches_of([window.ids for window in windows])

        def keep(values: Any, batch: list[int]) -> None:
            for row, place in enumerate(batch):
                found[place] = np.array(values[row, : len(windows[place].ids)], np.float32)

        padded_ones = [(padded([windows[place] for place in batch], MULTIPLE), batch) for batch in batches]
        if self._torch is not None:
            self._by_torch(padded_ones, keep)
        else:
            self._streams.run(padded_ones, keep, output=0)
        return found

    def _by_torch(self, batches: Sequence[_Batch], keep: _Keep) -> None:
        import torch

        for arrays, batch in batches:
            with torch.inference_mode():
                keep(self._torch(*(torch.from_numpy(array) for array in arrays)).numpy(), batch)  # type: ignore[misc]


class LateNetwork:
    """The reader's network, opened when something is read for the first time: what was read before needs none.

    `encoder`: folder of the encoder's weights and configuration; `trained`: safetensors of all but its word table.
    """

    def __init__(self, encoder: Path, trained: Path) -> None:
        self._encoder, self._trained = encoder, trained
        self._opening = threading.Lock()
        self._network: PairNetwork | None = None
        self.opening_s = 0.0

    def logits(self, windows: Sequence[Window]) -> list[Logits]:
        """Return the logits (length, 4) of each window, in order."""
        with self._opening:
            if self._network is None:
                start = time.perf_counter()
                self._network = PairNetwork(self._encoder, joined(self._encoder, self._trained))
                self.opening_s = time.perf_counter() - start
        return self._network.logits(windows)


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


def _torch_network(encoder: Path, weights: dict[str, Any], layers: int) -> Any:
    import torch

    from rag_pipeline.extractive_qa.torch_network import build

    network = build(encoder, layers, len(weights["head.bias"]))
    state = {
        (name if name.startswith("head.") else f"encoder.{name}"): torch.from_numpy(value)
        for name, value in weights.items()
    }
    network.load_state_dict(state, strict=False)
    return network.eval()
