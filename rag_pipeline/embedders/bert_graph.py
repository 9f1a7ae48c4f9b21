"""A BERT sentence encoder as an OpenVINO graph, built straight from its safetensors weights.

No torch and no export: the default model answers its first question in about a second, and encodes several times
faster than the plain model where the processor computes in bfloat16. Covers `model_type: bert` with mean pooling,
which is what all-MiniLM-L6-v2 and its kin are; everything else goes through sentence-transformers.
Architecture: Devlin et al. 2019, "BERT: Pre-training of Deep Bidirectional Transformers", section 3.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
_MEAN_POOLING = "pooling_mode_mean_tokens"
_OTHER_POOLINGS = ("pooling_mode_cls_token", "pooling_mode_max_tokens", "pooling_mode_mean_sqrt_len_tokens")


def can_build(folder: Path) -> bool:
    """True when the folder holds a BERT encoder with mean pooling and nothing that changes its vectors otherwise."""
    try:
        config = json.loads((folder / "config.json").read_text())
        modules = [entry["type"].rpartition(".")[2] for entry in json.loads((folder / "modules.json").read_text())]
        pooling = json.loads((folder / "1_Pooling" / "config.json").read_text())
    except (OSError, ValueError, KeyError):
        return False
    return (
        config.get("model_type") == "bert"
        and config.get("hidden_act") == "gelu"
        and config.get("position_embedding_type", "absolute") == "absolute"
        and modules in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"])
        and _is_mean(pooling)
        and (folder / "model.safetensors").exists()
    )


def averages_tokens(modules: Sequence[Any]) -> bool:
    """Tell whether a sentence-transformers model, behind its first module, takes the mean of its tokens and no more."""
    kinds = [type(module).__name__ for module in modules]
    return kinds in (["Pooling"], ["Pooling", "Normalize"]) and _is_mean(modules[0].get_config_dict())


def _is_mean(pooling: dict[str, Any]) -> bool:
    """Read the pooling's settings as older (a flag for each way) and newer versions of the library write them."""
    if not pooling.get("include_prompt", True):
        return False
    if "pooling_mode" in pooling:
        return bool(pooling["pooling_mode"] == "mean")
    return pooling.get(_MEAN_POOLING) is True and not any(pooling.get(name) for name in _OTHER_POOLINGS)


def build(folder: Path) -> Any:
    """Return an `openvino.Model` of input_ids and attention_mask, int64 (batch, length).

    Out: unit vectors of the texts (batch, d), and vectors of their tokens (batch, length, d).
    """
    import openvino as ov
    from openvino import opset13 as op
    from safetensors.numpy import load_file

    weights = load_file(folder / "model.safetensors")
    prefix = "bert." if "bert.embeddings.word_embeddings.weight" in weights else ""
    config = json.loads((folder / "config.json").read_text())
    graph = _Graph({name.removeprefix(prefix): value for name, value in weights.items()}, config)
    ids = op.parameter([-1, -1], np.int64, name="input_ids")
    mask = op.parameter([-1, -1], np.int64, name="attention_mask")
    hidden = graph.encoded(ids, mask, config["num_hidden_layers"])
    return ov.Model([graph.mean(hidden, mask), hidden], [ids, mask], "bert")


def build_pair_reader(weights: dict[str, Array], config: dict[str, Any]) -> Any:
    """Return an `openvino.Model` of an encoder over pairs of texts with a linear head on every piece.

    `weights` are those of the encoder and `head.weight`, `head.bias`. In: input_ids, attention_mask, token_type_ids,
    int64 (batch, length); out: logits, float32 (batch, length, outputs of the head).
    """
    import openvino as ov
    from openvino import opset13 as op

    graph = _Graph(weights, config)
    names = ("input_ids", "attention_mask", "token_type_ids")
    ids, mask, kinds = (op.parameter([-1, -1], np.int64, name=name) for name in names)
    hidden = graph.encoded(ids, mask, config["num_hidden_layers"], kinds)
    return ov.Model([graph.linear(hidden, "head")], [ids, mask, kinds], "reader")


class _Graph:
    """Operations with the weights of one model. Shapes: b batch, l length, h hidden, n heads, d = h / n."""

    def __init__(self, weights: dict[str, Array], config: dict[str, Any]) -> None:
        from openvino import opset13

        self.op = opset13
        self.weights = weights
        self.heads = int(config["num_attention_heads"])
        self.hidden = int(config["hidden_size"])
        self.epsilon = float(config["layer_norm_eps"])

    def constant(self, name: str) -> Any:
        return self.op.constant(np.ascontiguousarray(self.weights[name], np.float32))

    def number(self, value: float) -> Any:
        return self.op.constant(np.float32(value))

    def axes(self, *values: int) -> Any:
        return self.op.constant(np.array(values, np.int64))

    def encoded(self, ids: Any, mask: Any, layers: int, kinds: Any = None) -> Any:
        """All layers: (b, l) to (b, l, h)."""
        hidden = self.embeddings(ids, kinds)
        bias = self.attention_bias(mask)
        for layer in range(layers):
            hidden = self.layer(hidden, bias, f"encoder.layer.{layer}")
        return hidden

    def embeddings(self, ids: Any, kinds: Any = None) -> Any:
        """Word, position and segment embeddings (without `kinds` all of segment 0), normalised: (b, l) to (b, l, h)."""
        op, name = self.op, "embeddings"
        words = op.gather(self.constant(f"{name}.word_embeddings.weight"), ids, self.axes(0))
        length = op.gather(op.shape_of(ids), op.constant(np.int64(1)), op.constant(np.int64(0)))
        places = op.range(op.constant(np.int64(0)), length, op.constant(np.int64(1)), output_type="i64")
        positions = op.gather(self.constant(f"{name}.position_embeddings.weight"), places, self.axes(0))
        segments = f"{name}.token_type_embeddings.weight"
        if kinds is None:
            segment = op.constant(np.ascontiguousarray(self.weights[segments][0], np.float32))
        else:
            segment = op.gather(self.constant(segments), kinds, self.axes(0))
        return self.norm(op.add(op.add(words, positions), segment), f"{name}.LayerNorm")

    def attention_bias(self, mask: Any) -> Any:
        """0 where a token may be read, a large negative number on padding: (b, l) to (b, 1, 1, l)."""
        op = self.op
        kept = op.unsqueeze(op.convert(mask, np.float32), self.axes(1, 2))
        return op.multiply(op.subtract(kept, self.number(1.0)), self.number(1e4))

    def layer(self, hidden: Any, bias: Any, name: str) -> Any:
        """Self-attention and feed-forward, each with residual and norm: (b, l, h) to (b, l, h)."""
        op, attention = self.op, f"{name}.attention"
        query, key, value = (self.split_heads(hidden, f"{attention}.self.{part}") for part in ("query", "key", "value"))
        scale = self.number(1 / math.sqrt(self.hidden / self.heads))
        mixed = op.scaled_dot_product_attention(query, key, value, bias, scale)
        joined = op.reshape(op.transpose(mixed, self.axes(0, 2, 1, 3)), self.axes(0, 0, self.hidden), True)
        attended = op.add(hidden, self.linear(joined, f"{attention}.output.dense"))
        attended = self.norm(attended, f"{attention}.output.LayerNorm")
        inner = op.gelu(self.linear(attended, f"{name}.intermediate.dense"), "erf")
        return self.norm(op.add(attended, self.linear(inner, f"{name}.output.dense")), f"{name}.output.LayerNorm")

    def split_heads(self, hidden: Any, name: str) -> Any:
        """Project and cut into heads: (b, l, h) to (b, n, l, d)."""
        shape = self.axes(0, 0, self.heads, self.hidden // self.heads)
        return self.op.transpose(self.op.reshape(self.linear(hidden, name), shape, True), self.axes(0, 2, 1, 3))

    def linear(self, hidden: Any, name: str) -> Any:
        product = self.op.matmul(hidden, self.constant(f"{name}.weight"), False, True)
        return self.op.add(product, self.constant(f"{name}.bias"))

    def norm(self, hidden: Any, name: str) -> Any:
        centred = self.op.mvn(hidden, self.axes(-1), True, self.epsilon, "inside_sqrt")
        return self.op.add(self.op.multiply(centred, self.constant(f"{name}.weight")), self.constant(f"{name}.bias"))

    def mean(self, hidden: Any, mask: Any) -> Any:
        """Mean over the real tokens, scaled to length 1: (b, l, h) to (b, h)."""
        op = self.op
        kept = op.unsqueeze(op.convert(mask, np.float32), self.axes(2))
        total = op.reduce_sum(op.multiply(hidden, kept), self.axes(1), False)
        mean = op.divide(total, op.maximum(op.reduce_sum(kept, self.axes(1), False), self.number(1e-9)))
        return op.normalize_l2(mean, self.axes(1), 1e-12, "max")
