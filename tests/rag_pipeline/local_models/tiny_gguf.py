"""A tiny Llama model in a GGUF file, with weights by chance and bytes for tokens; and what it says by its formulas."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers.pre_tokenizers import ByteLevel

from rag_pipeline.local_models.llama_graph import LlamaShape

SHAPE = LlamaShape(layers=2, hidden=64, heads=4, key_heads=2, base=10_000.0, epsilon=1e-5)
INNER = 96
Q4_1, Q8_0, F32, F16 = 3, 8, 0, 1
NAMES = {
    "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj", "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj", "attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm",
}  # fmt: skip
"""Parts of a layer as files and as transformers name them."""
_TEXT, _LIST, _UINT32, _FLOAT = 8, 9, 4, 6


def tokens() -> list[str]:
    """Return the vocabulary: every byte, and the two tokens that texts begin and end with."""
    return [*sorted(ByteLevel.alphabet()), "<|im_start|>", "<|endoftext|>"]


def write_model(file: Path, seed: int = 0) -> dict[str, Any]:
    """Write a model with weights by chance; return them as the file stores them, float32 by name."""
    rng = np.random.default_rng(seed)
    size, keys = SHAPE.hidden, SHAPE.key_heads * SHAPE.head
    shapes = {"token_embd.weight": (len(tokens()), size), "output_norm.weight": (size,)}
    for layer in range(SHAPE.layers):
        sides = {
            "attn_q": (size, size), "attn_k": (keys, size), "attn_v": (keys, size), "attn_output": (size, size),
            "ffn_gate": (INNER, size), "ffn_up": (INNER, size), "ffn_down": (size, INNER),
            "attn_norm": (size,), "ffn_norm": (size,),
        }  # fmt: skip
        shapes |= {f"blk.{layer}.{name}.weight": shape for name, shape in sides.items()}
    weights = {name: rng.normal(0, 0.3, shape).astype(np.float32) for name, shape in shapes.items()}
    kinds = {name: F32 if value.ndim == 1 else Q4_1 for name, value in weights.items()} | {"token_embd.weight": Q8_0}
    return write_gguf(file, weights, kinds)


def write_gguf(file: Path, weights: dict[str, Any], kinds: dict[str, int]) -> dict[str, Any]:
    """Write tensors in these formats, and the fields of `SHAPE`; return them as they are read back."""
    fields = b"".join(_field(name, value) for name, value in _fields().items())
    described, data, stored = b"", b"", {}
    for name, value in weights.items():
        packed, stored[name] = _PACKED[kinds[name]](value)
        shape = struct.pack(f"<I{value.ndim}Q", value.ndim, *reversed(value.shape))
        described += _text(name) + shape + struct.pack("<IQ", kinds[name], len(data))
        data += packed + b"\0" * (-len(packed) % 32)
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(weights), len(_fields())) + fields + described
    file.write_bytes(head + b"\0" * (-len(head) % 32) + data)
    return stored


def _fields() -> dict[str, Any]:
    return {
        "llama.block_count": SHAPE.layers, "llama.embedding_length": SHAPE.hidden,
        "llama.attention.head_count": SHAPE.heads, "llama.attention.head_count_kv": SHAPE.key_heads,
        "llama.rope.freq_base": SHAPE.base, "llama.attention.layer_norm_rms_epsilon": SHAPE.epsilon,
        "tokenizer.ggml.model": "gpt2", "tokenizer.ggml.pre": "smollm", "tokenizer.ggml.tokens": tokens(),
        "tokenizer.ggml.merges": [], "tokenizer.ggml.eos_token_id": len(tokens()) - 1,
    }  # fmt: skip


def _field(name: str, value: Any) -> bytes:
    if isinstance(value, str):
        return _text(name) + struct.pack("<I", _TEXT) + _text(value)
    if isinstance(value, list):
        return _text(name) + struct.pack("<IIQ", _LIST, _TEXT, len(value)) + b"".join(map(_text, value))
    kind, form = (_FLOAT, "f") if isinstance(value, float) else (_UINT32, "I")
    return _text(name) + struct.pack(f"<I{form}", kind, value)


def _text(text: str) -> bytes:
    raw = text.encode()
    return struct.pack("<Q", len(raw)) + raw


def _f32(value: Any) -> tuple[bytes, Any]:
    return value.astype("<f4").tobytes(), value


def _f16(value: Any) -> tuple[bytes, Any]:
    return value.astype("<f2").tobytes(), value.astype(np.float16).astype(np.float32)


def _q4_1(value: Any) -> tuple[bytes, Any]:
    blocks = value.reshape(-1, 32)
    least = blocks.min(axis=1, keepdims=True).astype(np.float16)
    scale = ((blocks.max(axis=1, keepdims=True) - least) / 15).astype(np.float16)
    bits = np.clip(np.round((blocks - least) / scale.astype(np.float32)), 0, 15).astype(np.uint8)
    packed = np.concatenate([scale.view(np.uint8), least.view(np.uint8), bits[:, :16] | (bits[:, 16:] << 4)], axis=1)
    return packed.tobytes(), (bits * scale.astype(np.float32) + least).reshape(value.shape).astype(np.float32)


def _q8_0(value: Any) -> tuple[bytes, Any]:
    blocks = value.reshape(-1, 32)
    scale = (np.abs(blocks).max(axis=1, keepdims=True) / 127).astype(np.float16)
    numbers = np.round(blocks / scale.astype(np.float32)).astype(np.int8)
    packed = np.concatenate([scale.view(np.uint8), numbers.view(np.uint8)], axis=1)
    return packed.tobytes(), (numbers * scale.astype(np.float32)).reshape(value.shape).astype(np.float32)


_PACKED = {F32: _f32, F16: _f16, Q4_1: _q4_1, Q8_0: _q8_0}


def reference(weights: dict[str, Any]) -> Any:
    """Return the same model as transformers computes it."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=len(tokens()), hidden_size=SHAPE.hidden, intermediate_size=INNER, num_hidden_layers=SHAPE.layers,
        num_attention_heads=SHAPE.heads, num_key_value_heads=SHAPE.key_heads, rms_norm_eps=SHAPE.epsilon,
        rope_theta=SHAPE.base, tie_word_embeddings=True, pad_token_id=None, bos_token_id=None, eos_token_id=None,
    )  # fmt: skip
    model = LlamaForCausalLM(config).eval()
    state = {"model.embed_tokens.weight": "token_embd.weight", "model.norm.weight": "output_norm.weight"}
    for layer in range(SHAPE.layers):
        state |= {f"model.layers.{layer}.{name}.weight": f"blk.{layer}.{part}.weight" for part, name in NAMES.items()}
    found = {name: torch.from_numpy(_in_halves(part, weights[part])) for name, part in state.items()}
    left_out = model.load_state_dict(found, strict=False)
    assert set(left_out.missing_keys) <= {"lm_head.weight"}
    model.tie_weights()
    return model


def _in_halves(name: str, value: Any) -> Any:
    """Return the rows of queries and keys as transformers orders them: file and library turn other pairs."""
    heads = {"attn_q": SHAPE.heads, "attn_k": SHAPE.key_heads}.get(name.split(".")[-2])
    if heads is None:
        return value
    rows = [
        head * SHAPE.head + 2 * place + half
        for head in range(heads) for half in (0, 1) for place in range(SHAPE.head // 2)
    ]  # fmt: skip
    return np.ascontiguousarray(value[rows])
