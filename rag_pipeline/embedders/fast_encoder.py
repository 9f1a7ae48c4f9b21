"""Encodes texts with the OpenVINO graph of a BERT model: quick to start, quick to run, no torch."""

from __future__ import annotations

import importlib.util
import platform
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rag_pipeline.embedders.base import Vectors
from rag_pipeline.embedders.bert_graph import build, can_build

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_BATCH = 16


class FastEncoder:
    """One compiled model. `encode` may be called from several threads."""

    def __init__(self, folder: Path, tokenizer: Tokenizer, max_tokens: int) -> None:
        import openvino as ov

        precision = "bf16" if cpu_has_bfloat16() else "f32"
        self._compiled = ov.Core().compile_model(build(folder), "CPU", {"INFERENCE_PRECISION_HINT": precision})
        self._tokenizer = tokenizer
        self._max_tokens = max_tokens
        self._local = threading.local()
        self.dimension = int(self._compiled.output(0).partial_shape[1].get_length())

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors of shape (n, dimension); a text is cut at the model's window."""
        rows = [self._cut(encoding.ids) for encoding in self._tokenizer.encode_batch(list(texts))]
        vectors = np.zeros((len(rows), self.dimension), np.float32)
        # Of like length together: a batch costs as much as its longest text.
        order = sorted(range(len(rows)), key=lambda row: len(rows[row]))
        for start in range(0, len(order), _BATCH):
            batch = order[start : start + _BATCH]
            vectors[batch] = self._infer([rows[row] for row in batch])
        return vectors

    def _cut(self, ids: list[int]) -> list[int]:
        return ids if len(ids) <= self._max_tokens else [*ids[: self._max_tokens - 1], ids[-1]]

    def _infer(self, rows: Sequence[Sequence[int]]) -> Vectors:
        length = max(len(row) for row in rows)
        ids = np.zeros((len(rows), length), np.int64)
        mask = np.zeros((len(rows), length), np.int64)
        for number, row in enumerate(rows):
            ids[number, : len(row)] = row
            mask[number, : len(row)] = 1
        return np.array(self._request().infer([ids, mask])[0], np.float32)

    def _request(self) -> Any:
        """An inference request is not safe to share: one a thread."""
        if not hasattr(self._local, "request"):
            self._local.request = self._compiled.create_infer_request()
        return self._local.request


def can_encode(folder: Path) -> bool:
    """True when this machine and this model allow the fast way: OpenVINO is there, a GPU is not."""
    return importlib.util.find_spec("openvino") is not None and not Path("/dev/nvidia0").exists() and can_build(folder)


def cpu_has_bfloat16() -> bool:
    """True where the processor computes in bfloat16 itself: faster, at cosine 0.9999 to float32."""
    if platform.system() != "Linux":
        return False
    try:
        flags = Path("/proc/cpuinfo").read_text()
    except OSError:
        return False
    return "avx512_bf16" in flags or "amx_bf16" in flags
