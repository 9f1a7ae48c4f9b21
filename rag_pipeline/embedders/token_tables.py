"""Texts as tokens: chunks of any size, and late chunking, begin with the same tokens of a document."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from rag_pipeline.kept_by_text import KeptByText

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_KEPT_TOKENS = 8_000_000
"""Tokens of the documents used last, 12 bytes each: some 35 MB of English."""


def tokenizer_of(file: Path) -> Tokenizer:
    """Return the tokenizer in a file, which cuts and pads nothing; opened once for all who use it."""
    return _opened(file, file.stat().st_mtime_ns)


@lru_cache(maxsize=4)
def _opened(file: Path, changed: int) -> Tokenizer:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


@dataclass(frozen=True, slots=True)
class TokenTable:
    """Tokens of one text, special ones left out. `offsets`: int32 (n, 2), start and end in characters; `ids`: (n,)."""

    ids: npt.NDArray[np.int32]
    offsets: npt.NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.ids)


def token_tables(tokenizer: Tokenizer) -> KeptByText[TokenTable]:
    """Return the tables of a tokenizer, each made once."""

    def tokenised(text: str) -> TokenTable:
        encoding = tokenizer.encode(text, add_special_tokens=False)
        offsets = np.asarray(encoding.offsets, np.int32).reshape(-1, 2)
        return TokenTable(np.asarray(encoding.ids, np.int32), offsets)

    return KeptByText(tokenised, _KEPT_TOKENS)
