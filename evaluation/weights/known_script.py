"""Whether a model's vocabulary has the script of a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

_MOST_UNKNOWN = 0.5
"""Share of characters, white space not counted, in unknown tokens above which a model has not read a text."""


def knows(tokenizer: PreTrainedTokenizerBase, text: str) -> bool:
    """Tell whether most of a text is in the vocabulary: a model reads all Chinese texts as the same unknown token."""
    if tokenizer.unk_token_id is None:
        return True
    if not tokenizer.is_fast:  # no offsets: count tokens
        ids: list[int] = tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        return ids.count(tokenizer.unk_token_id) <= _MOST_UNKNOWN * len(ids)
    read = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
    unknown = sum(
        len("".join(text[start:end].split()))
        for token, (start, end) in zip(read["input_ids"], read["offset_mapping"], strict=True)
        if token == tokenizer.unk_token_id
    )
    return bool(read["input_ids"]) and unknown <= _MOST_UNKNOWN * len("".join(text.split()))
