"""The trained reader's network at work: windows to logits, without torch where OpenVINO is there."""

from __future__ import annotations

import importlib.util
import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rag_pipeline.embedders.bert_graph import build_pair_reader
from rag_pipeline.embedders.fast_encoder import cpu_has_bfloat16
from rag_pipeline.reader.decoding import Logits
from rag_pipeline.reader.encoding import Window, padded

WORD_TABLE = "embeddings.word_embeddings.weight"
"""The one part of the encoder that is not trained: it comes from the installed package."""
_BATCH = 16


class SpanNetwork:
    """`encoder`: folder of the encoder's weights and configuration; `trained`: safetensors of all but its word table.

    `logits` may be called from several threads.
    """

    def __init__(self, encoder: Path, trained: Path) -> None:
        config = json.loads((encoder / "config.json").read_text())
        weights = joined(encoder, trained)
        self._local = threading.local()
        self._torch = None
        if importlib.util.find_spec("openvino") is None:
            self._torch = _torch_network(encoder, weights)
            return
        import openvino as ov

        precision = "bf16" if cpu_has_bfloat16() else "f32"
        graph = build_pair_reader(weights, config)
        self._compiled = ov.Core().compile_model(graph, "CPU", {"INFERENCE_PRECISION_HINT": precision})

    def logits(self, windows: Sequence[Window]) -> list[Logits]:
        """Return the logits (length, 4) of each window, in order."""
        found: list[Logits] = [np.zeros((0, 4), np.float32)] * len(windows)
        # Of like length together: a batch costs as much as its longest window.
        order = sorted(range(len(windows)), key=lambda place: len(windows[place].ids))
        for start in range(0, len(order), _BATCH):
            batch = order[start : start + _BATCH]
            values = self._infer([windows[place] for place in batch])
            for row, place in enumerate(batch):
                found[place] = values[row, : len(windows[place].ids)]
        return found

    def _infer(self, windows: Sequence[Window]) -> Any:
        arrays = padded(windows, multiple=1)
        if self._torch is not None:
            import torch

            with torch.inference_mode():
                return self._torch(*(torch.from_numpy(array) for array in arrays)).numpy()
        if not hasattr(self._local, "request"):
            self._local.request = self._compiled.create_infer_request()  # not safe to share: one a thread
        return np.array(self._local.request.infer(list(arrays))[0], np.float32)


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

    from rag_pipeline.reader_training.network import build

    network = build(encoder)
    state = {
        (name if name.startswith("head.") else f"encoder.{name}"): torch.from_numpy(value)
        for name, value in weights.items()
    }
    network.load_state_dict(state, strict=False)
    return network.eval()
