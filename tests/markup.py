"""HTML as tests compare it: without the white space that no browser shows."""

from __future__ import annotations

import re
from typing import Any

BLOCKS = (
    "article|aside|button|dd|details|div|dl|dt|fieldset|figcaption|figure|form|h[1-6]|li|main|nav|ol|option|p|section|"
    "summary|table|tbody|td|th|thead|tr|ul"
)
_EDGE = re.compile(rf' ?(</?(?:{BLOCKS})\b[^>]*>|<span class="(?:[^"]* )?(?:block|bar-cell|meter)\b[^>]*>) ?')


def markup(html: str) -> str:
    """Return `html` on one line: a space for any white space, none within the ends of a tag or beside a block."""
    return _EDGE.sub(r"\1", " ".join(html.split()).replace(" >", ">"))


def words_of(response: Any) -> str:
    """Return what a page says, its tags taken out, with single spaces."""
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def leads_to(html: str) -> list[str]:
    """Return by what a file leads elsewhere or loads from there; what its programs and styles say is left out."""
    plain = re.sub(r"<(script|style)\b[^>]*>.*?</\1>", "", html, flags=re.S)
    return re.findall(r"<(?:link|form|img|iframe)\b|\b(?:src|href|action)=", plain)
