"""Whether the tokenizer of a metric's model knows the script of a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rag_pipeline.local_models.scripts import MOST_UNKNOWN, mostly_known

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


def knows(tokenizer: PreTrainedTokenizerBase, text: str) -> bool:
    """Tell whether most of a text is in the vocabulary: a model reads all Chinese texts as the same unknown token."""
    if tokenizer.unk_token_id is None:
        return True
    if not tokenizer.is_fast:  # no offsets: count tokens
        ids: list[int] = tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        return ids.count(tokenizer.unk_token_id) <= MOST_UNKNOWN * len(ids)
    read = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
    return mostly_known(text, read["input_ids"], read["offset_mapping"], tokenizer.unk_token_id)
