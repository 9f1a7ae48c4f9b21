"""A small language model at work: how likely it finds a text behind another one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rag_pipeline.local_models.gguf_file import GgufFile
from rag_pipeline.local_models.llama_graph import LlamaShape, build_llama
from rag_pipeline.local_models.processor import cpu_has_bfloat16

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Array = npt.NDArray[Any]
_BATCH_TOKENS = 512
"""With more the log-probabilities of all tokens no longer stay in the cache of the processor (a sixth slower)."""
_TURNED = ("attn_q", "attn_k")
"""Matrices whose rows GGUF files keep in another order (pairs side by side) than the graph reads (half behind half)."""


class LanguageModel:
    """`file`: a Llama model in GGUF. Raises OSError, ValueError, KeyError for a file that is none."""

    def __init__(self, file: Path) -> None:
        import openvino as ov

        model = GgufFile(file)
        self.tokenizer: Tokenizer = model.tokenizer
        self._begin = int(model.fields["tokenizer.ggml.eos_token_id"])  # the texts that it read were joined by it
        precision = "bf16" if cpu_has_bfloat16() else "f32"
        graph = build_llama(_weights(model), _shape(model))
        self._graph = ov.Core().compile_model(graph, "CPU", {"INFERENCE_PRECISION_HINT": precision, "NUM_STREAMS": "1"})

    def ids(self, text: str) -> list[int]:
        """Return the tokens of a text."""
        found: list[int] = self.tokenizer.encode(text, add_special_tokens=False).ids
        return found

    def likelihoods(self, rows: Sequence[tuple[Sequence[int], Sequence[int]]]) -> list[Array]:
        """Return the log-probability of each token of the second part of each row, where the first stands before it."""
        found: list[Array] = [np.zeros(0)] * len(rows)
        request = self._graph.create_infer_request()
        order = sorted(range(len(rows)), key=lambda place: -len(rows[place][0]) - len(rows[place][1]))
        while order:
            first = rows[order[0]]
            count = max(1, _BATCH_TOKENS // (1 + len(first[0]) + len(first[1])))
            places, order = order[:count], order[count:]
            batch = [rows[place] for place in places]
            start = 1 + min(len(before) for before, _ in batch)
            values = request.infer({"input_ids": self._padded(batch), "start": np.array([start], np.int64)})[0]
            for place, (before, behind), row in zip(places, batch, values, strict=True):
                skipped = 1 + len(before) - start
                found[place] = row[skipped : skipped + len(behind)].copy()
        return found

    def _padded(self, rows: Sequence[tuple[Sequence[int], Sequence[int]]]) -> Array:
        ids = np.full((len(rows), 1 + max(len(before) + len(behind) for before, behind in rows)), self._begin, np.int64)
        for number, (before, behind) in enumerate(rows):
            ids[number, 1 : 1 + len(before) + len(behind)] = [*before, *behind]
        return ids


def _shape(model: GgufFile) -> LlamaShape:
    def field(name: str) -> Any:
        return model.fields[f"llama.{name}"]

    return LlamaShape(
        layers=field("block_count"), hidden=field("embedding_length"), heads=field("attention.head_count"),
        key_heads=field("attention.head_count_kv"), base=field("rope.freq_base"),
        epsilon=field("attention.layer_norm_rms_epsilon"),
    )  # fmt: skip


def _weights(model: GgufFile) -> dict[str, Array]:
    shape = _shape(model)
    found = {name: model.tensor(name) for name in model.tensors}
    for name, weights in found.items():
        part = name.split(".")[-2]
        if part in _TURNED:
            heads = shape.heads if part == "attn_q" else shape.key_heads
            paired = weights.reshape(heads, shape.head // 2, 2, -1)
            found[name] = np.ascontiguousarray(paired.swapaxes(1, 2)).reshape(weights.shape)
    return found
