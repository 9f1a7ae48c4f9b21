"""Whether a model's vocabulary has the script of a text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Reads = Callable[[str], bool]
"""Whether an embedding model knows the script of a text."""
MOST_UNKNOWN = 0.5
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
    return bool(tokens) and missed <= MOST_UNKNOWN * len("".join(text.split()))
