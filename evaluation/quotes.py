"""Finding a quoted passage in a document: what a person pastes, to exact character offsets."""

from __future__ import annotations

import re

from rag_pipeline.errors import ConfigError

FIELD = "quote"


def locate_quote(text: str, quote: str, within: tuple[int, int] | None = None) -> tuple[int, int]:
    """Return (start, end) of `quote` in `text`; white space may differ, letters may not.

    `within` is where it is looked for first, such as the chunk it was copied from; it need not be there.
    Raises ConfigError when the quote is not there, or there more than once.
    """
    words = quote.split()
    if not words:
        raise ConfigError("Quote the passage of the document that holds the answer.", FIELD)
    pattern = re.compile(r"\s+".join(re.escape(word) for word in words))
    if within is not None:
        inside = pattern.search(text, *within)
        if inside is not None:
            return inside.span()
    found = [match.span() for match in pattern.finditer(text)]
    if not found:
        raise ConfigError(
            "This quote is not in the document, letter by letter. Copy it from the document's page.", FIELD
        )
    if len(found) > 1:
        raise ConfigError(
            f"This quote stands {len(found)} times in the document. Quote more of the text around it.", FIELD
        )
    return found[0]
