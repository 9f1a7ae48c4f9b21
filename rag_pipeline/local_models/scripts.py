"""Whether a model's vocabulary has the script of a text."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenizers import Tokenizer
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


_LONGEST_WORD = 100
_LETTERS = string.ascii_lowercase + string.digits
_UNSPELLED = re.compile(rf"[^ \t\r\n]{{{_LONGEST_WORD + 1}}}|[\[<]unk[\]>]", re.IGNORECASE)
"""A word that WordPiece takes for unknown by its length, and the unknown token itself, written out."""


def spells_ascii(tokenizer: Tokenizer) -> bool:
    """Tell whether a tokenizer, like those of BERT in lower case, can spell every word of ASCII letters and digits."""
    from tokenizers import models, normalizers, pre_tokenizers

    model, normalizer = tokenizer.model, tokenizer.normalizer
    alike = isinstance(model, models.WordPiece) and isinstance(tokenizer.pre_tokenizer, pre_tokenizers.BertPreTokenizer)
    if not (alike and isinstance(normalizer, normalizers.BertNormalizer) and normalizer.lowercase):
        return False
    alone = (*_LETTERS, *string.punctuation)
    within = (f"{model.continuing_subword_prefix}{letter}" for letter in _LETTERS)
    known = all(tokenizer.token_to_id(piece) is not None for piece in (*alone, *within))
    return known and model.max_input_chars_per_word >= _LONGEST_WORD


def spelled_in_ascii(text: str) -> bool:
    """Tell whether a text is words that `spells_ascii` is about, so that none of its tokens is unknown."""
    return text.isascii() and any(map(str.isalnum, text)) and _UNSPELLED.search(text) is None


def tokenizer_knows(tokenizer: PreTrainedTokenizerBase, text: str) -> bool:
    """Tell whether most of a text is in the vocabulary: a model reads all Chinese texts as the same unknown token."""
    if tokenizer.unk_token_id is None:
        return True
    if not tokenizer.is_fast:  # no offsets: count tokens
        ids: list[int] = tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        return ids.count(tokenizer.unk_token_id) <= _MOST_UNKNOWN * len(ids)
    read = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
    return mostly_known(text, read["input_ids"], read["offset_mapping"], tokenizer.unk_token_id)
