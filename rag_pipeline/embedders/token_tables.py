"""Texts as tokens, each tokenised once: chunks of any size, and late chunking, begin with the same tokens."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_KEPT_TOKENS = 8_000_000
"""Tokens of the texts used last, 12 bytes each: some 35 MB of English."""
_SHORT = 5_000
"""Texts with fewer characters are quick to tokenise and are not kept: pieces of documents would push these out."""


@dataclass(frozen=True, slots=True)
class TokenTable:
    """Tokens of one text, special ones left out. `offsets`: int32 (n, 2), start and end in characters; `ids`: (n,)."""

    ids: npt.NDArray[np.int32]
    offsets: npt.NDArray[np.int32]


class TokenTables:
    """The tables of the texts used last. Safe with several threads. No text is kept."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._kept: OrderedDict[bytes, TokenTable] = OrderedDict()
        self._lock = Lock()

    def of(self, text: str) -> TokenTable:
        """Return the tokens of a text."""
        if len(text) < _SHORT:
            return self._tokenised(text)
        key = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        table = self._tokenised(text)
        with self._lock:
            self._kept[key] = table
            while len(self._kept) > 1 and sum(len(each.ids) for each in self._kept.values()) > _KEPT_TOKENS:
                self._kept.popitem(last=False)
        return table

    def _tokenised(self, text: str) -> TokenTable:
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        offsets = np.asarray(encoding.offsets, np.int32).reshape(-1, 2)
        return TokenTable(np.asarray(encoding.ids, np.int32), offsets)
