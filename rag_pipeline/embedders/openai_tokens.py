"""Tokens of OpenAI's embedding models, where tiktoken's table is on this machine; nothing is fetched."""

from __future__ import annotations

import hashlib
import os
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rag_pipeline.embedders.base import Offsets
from rag_pipeline.errors import ConfigError
from rag_pipeline.llm.target import Target

if TYPE_CHECKING:
    from tiktoken import Encoding

_ENCODING = "cl100k_base"
_TABLE_URL = f"https://openaipublic.blob.core.windows.net/encodings/{_ENCODING}.tiktoken"


def openai_token_offsets(target: Target, text: str) -> Offsets:
    """Return the characters of each token. Raises ConfigError where they cannot be known here.

    A character of several tokens is given to each of them.
    """
    if target.is_compatible_server or not target.name.startswith("text-embedding-") or not _table().exists():
        raise ConfigError(
            f"Tokens cannot be counted for {target.setting}: its tokenizer is not on this machine. "
            "Choose chunk unit characters.",
            "chunk_unit",
        )
    encoding = _encoding()
    tokens = encoding.encode_ordinary(text)
    _, starts = encoding.decode_with_offsets(tokens)
    ends = [*starts[1:], len(text)]
    offsets = [(start, max(start + 1, end)) for start, end in zip(starts, ends, strict=True)]
    return np.asarray(offsets, np.int32).reshape(-1, 2)


def _table() -> Path:
    """Return where tiktoken keeps the table once it was fetched."""
    folder = os.environ.get("TIKTOKEN_CACHE_DIR") or os.environ.get("DATA_GYM_CACHE_DIR")
    name = hashlib.sha1(_TABLE_URL.encode(), usedforsecurity=False).hexdigest()
    return Path(folder or Path(tempfile.gettempdir()) / "data-gym-cache") / name


@cache
def _encoding() -> Encoding:
    import tiktoken

    return tiktoken.get_encoding(_ENCODING)
