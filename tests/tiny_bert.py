"""A BERT of a few thousand weights in the format of sentence-transformers, written file by file: no torch, no time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

HIDDEN, LAYERS, HEADS = 32, 2, 4
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def make_tiny_bert(
    folder: Path,
    texts: Iterable[str],
    *,
    window: int = 64,
    pooling: str = "mean",
    old_format: bool = False,
    prompts: Mapping[str, str] | None = None,
    mixing: float = 0.2,
    seed: int = 0,
) -> Path:
    """Write a model whose vocabulary are the words of `texts`; return its folder.

    `window`: tokens it reads at once, special ones included. `old_format`: settings as before version 6 of the
    library, which named window and pooling otherwise. `mixing`: size of the layers' weights; small ones leave each
    word much as it is.
    """
    words = sorted({word for text in texts for word in re.findall(r"\w+|[^\w\s]", text.lower())})
    vocabulary = [*_SPECIAL, *words]
    (folder / "1_Pooling").mkdir(parents=True)
    _write_tokenizer(folder, vocabulary)
    _write_weights(folder, len(vocabulary), mixing, seed)
    _write(folder / "config.json", _config(len(vocabulary)))
    _write(folder / "modules.json", [_module(0, "", "Transformer"), _module(1, "1_Pooling", "Pooling")])
    _write(folder / "config_sentence_transformers.json", {"prompts": dict(prompts or {})})
    if old_format:
        ways = ("cls_token", "mean_tokens", "max_tokens")
        flags = {f"pooling_mode_{way}": way.startswith(pooling) for way in ways}
        _write(folder / "1_Pooling" / "config.json", {"word_embedding_dimension": HIDDEN} | flags)
        _write(folder / "sentence_bert_config.json", {"max_seq_length": window, "do_lower_case": False})
    else:
        mode = {"embedding_dimension": HIDDEN, "pooling_mode": pooling, "include_prompt": True}
        _write(folder / "1_Pooling" / "config.json", mode)
    _write(
        folder / "tokenizer_config.json",
        {"tokenizer_class": "BertTokenizer", "do_lower_case": True, "model_max_length": window, "pad_token": "[PAD]"}
        | {"unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]"},
    )
    return folder


def _module(number: int, path: str, kind: str) -> dict[str, Any]:
    return {"idx": number, "name": str(number), "path": path, "type": f"sentence_transformers.models.{kind}"}


def _config(size: int) -> dict[str, Any]:
    return {
        "architectures": ["BertModel"],
        "model_type": "bert",
        "vocab_size": size,
        "hidden_size": HIDDEN,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "intermediate_size": 2 * HIDDEN,
        "hidden_act": "gelu",
        "hidden_dropout_prob": 0.1,
        "attention_probs_dropout_prob": 0.1,
        "max_position_embeddings": 512,
        "type_vocab_size": 2,
        "layer_norm_eps": 1e-12,
        "pad_token_id": 0,
        "position_embedding_type": "absolute",
    }


def _write_tokenizer(folder: Path, vocabulary: list[str]) -> None:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    numbers = {word: number for number, word in enumerate(vocabulary)}
    tokenizer = Tokenizer(models.WordPiece(numbers, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n", encoding="utf-8")


def _write_weights(folder: Path, size: int, mixing: float, seed: int) -> None:
    from safetensors.numpy import save_file

    random = np.random.default_rng(seed)

    def matrix(rows: int, columns: int, scale: float) -> Any:
        return random.normal(0, scale, (rows, columns)).astype(np.float32)

    def norm(name: str) -> dict[str, Any]:
        return {f"{name}.weight": np.ones(HIDDEN, np.float32), f"{name}.bias": np.zeros(HIDDEN, np.float32)}

    weights: dict[str, Any] = {
        "embeddings.word_embeddings.weight": matrix(size, HIDDEN, 1.0),
        "embeddings.position_embeddings.weight": matrix(512, HIDDEN, 0.02),
        "embeddings.token_type_embeddings.weight": matrix(2, HIDDEN, 0.02),
    } | norm("embeddings.LayerNorm")
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        shapes = {f"attention.self.{part}": (HIDDEN, HIDDEN) for part in ("query", "key", "value")}
        shapes |= {
            "attention.output.dense": (HIDDEN, HIDDEN),
            "intermediate.dense": (2 * HIDDEN, HIDDEN),
            "output.dense": (HIDDEN, 2 * HIDDEN),
        }
        for part, (rows, columns) in shapes.items():
            weights[f"{name}.{part}.weight"] = matrix(rows, columns, mixing)
            weights[f"{name}.{part}.bias"] = np.zeros(rows, np.float32)
        weights |= norm(f"{name}.attention.output.LayerNorm") | norm(f"{name}.output.LayerNorm")
    weights |= {"pooler.dense.weight": matrix(HIDDEN, HIDDEN, 0.2), "pooler.dense.bias": np.zeros(HIDDEN, np.float32)}
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


def _write(file: Path, values: Any) -> None:
    file.write_text(json.dumps(values), encoding="utf-8")
