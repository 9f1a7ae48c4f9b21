"""Whether a model's vocabulary has the script of a text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

Reads = Callable[[str], bool]
"""Whether an embedding model knows the script of a text."""
_MOST_UNKNOWN = 0.5
"""Share of a text in unknown tokens above which a model has not read it."""


def reads_all(text: str) -> bool:
    """Take a text as read, as with models whose vocabulary is not known here."""
    return True


def mostly_known(text: str, tokens: Sequence[int], offsets: Sequence[tuple[int, int]], unknown: int) -> bool:
    """Tell whether most characters of a text, white space not counted, lie outside tokens that are `unknown`.

    A model reads all emoji, and all Thai words, as the same unknown token: whatever it makes of them is no comparison.
    """
    missed = sum(
        len("".join(text[start:end].split()))
        for token, (start, end) in zip(tokens, offsets, strict=True)
        if token == unknown
    )
    return bool(tokens) and missed <= _MOST_UNKNOWN * len("".join(text.split()))


def tokenizer_knows(tokenizer: PreTrainedTokenizerBase, text: str) -> bool:
    """Tell whether most of a text is in the vocabulary: a model reads all Chinese texts as the same unknown token."""
    if tokenizer.unk_token_id is None:
        return True
    if not tokenizer.is_fast:  # no offsets: count tokens
        ids: list[int] = tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        return ids.count(tokenizer.unk_token_id) <= _MOST_UNKNOWN * len(ids)
    read = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
    return mostly_known(text, read["input_ids"], read["offset_mapping"], tokenizer.unk_token_id)
