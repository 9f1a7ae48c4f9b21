"""Which blocks are headings, and of which level: by size, weight, slant and place, against the text around them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag_pipeline.loaders.layout.blocks import PageBlock, is_centred

_LARGER = 1.12
_SAME_SIZE = (0.94, 0.7, 0.7, 0.7, 0.7, 0.7)
"""Ratio of sizes down to which headings of a kind are of one level."""

_LONGEST = 160
_LONGEST_PLAIN = 80
_ROMAN = re.compile(r"[IVX]+\.?")
_LETTER = re.compile(r"[A-Z]\.?")
_FIGURE = re.compile(r"\d{1,2}\.?")
_TERMINAL = re.compile(r"[.,;:]$")

Rank = tuple[int, float]
"""Order of headings: the kind (size, bold, centred, slanted), then minus the size."""


def mark_headings(blocks: Sequence[PageBlock], body: float) -> None:
    """Set the level of the blocks that are headings; `body` is the size of the document's text."""
    mostly_bold = 2 * sum(_all(block, "bold") for block in blocks) > len(blocks)
    ranks: dict[int, Rank] = {}
    for number, block in enumerate(blocks):
        following = next((each for each in blocks[number + 1 :] if not each.floats), None)
        rank = _rank(block, following, body, mostly_bold=mostly_bold)
        if rank is not None:
            ranks[number] = rank
    levels = _levels(set(ranks.values()))
    for number, rank in ranks.items():
        blocks[number].level = levels[rank]


def _rank(block: PageBlock, following: PageBlock | None, body: float, *, mostly_bold: bool) -> Rank | None:
    text = block.text
    if not _may_be_title(block, text):
        return None
    if block.size > _LARGER * body and not text.islower():
        return 0, -block.size
    if following is None or not _stands_out_plainly(block, text, body):
        return None
    if is_centred(block):
        return _centred_rank(block, following, text)
    if _all(block, "bold") and not mostly_bold:
        return 1, -block.size
    return (5, -block.size) if _is_slanted_line(block, following, text) else None


def _may_be_title(block: PageBlock, text: str) -> bool:
    short = len(block.lines) <= 4 and len(text) <= _LONGEST
    said = re.search(r"[^\W_]", text) is not None and (len(text) >= 2 or text.isupper())
    return block.kind in {"text", "item"} and short and said


def _stands_out_plainly(block: PageBlock, text: str, body: float) -> bool:
    """Return whether text that is no larger than the body may be a heading: a short line that ends no sentence."""
    if block.kind == "item" or block.size < 0.85 * min(body, block.size_around):
        return False
    short = len(block.lines) <= 2 and len(text) <= _LONGEST_PLAIN and text[:1] != "("
    return short and (not _TERMINAL.search(text) or _FIGURE.match(text) is not None)


def _is_slanted_line(block: PageBlock, following: PageBlock, text: str) -> bool:
    """Return whether a block is one slanted line above upright text that begins below it."""
    above = len(block.lines) == 1 and abs(block.lines[0].x0 - following.lines[0].x0) < 2 * block.size
    upright = following.kind == "text" and not _all(following, "italic")
    return above and upright and _all(block, "italic") and text[0].isupper()


def _centred_rank(block: PageBlock, following: PageBlock, text: str) -> Rank | None:
    """Rank a line in the middle: set off by size or capitals, or the number of a part."""
    for place, pattern in ((2, _ROMAN), (3, _LETTER), (4, _FIGURE)):
        if pattern.fullmatch(text):
            return place, -block.size
    larger = block.size > _LARGER * min(block.size_around, following.size or block.size_around)
    title = len(text.split()) <= 8 and text[0].isupper() and not re.search(r"\d", text)
    if larger or _all(block, "bold") or (title and len(following.lines) > 1):
        return 1, -block.size
    return None


def _levels(ranks: set[Rank]) -> dict[Rank, int]:
    """Number the ranks from 1; sizes that differ by a few per cent are one level."""
    found: dict[Rank, int] = {}
    level, before = 0, None
    for rank in sorted(ranks):
        same = before is not None and rank[0] == before[0] and rank[1] / before[1] > _SAME_SIZE[rank[0]]
        if not same:
            level, before = level + 1, rank
        found[rank] = min(level, 6)
    return found


def _all(block: PageBlock, style: str) -> bool:
    return bool(block.lines) and all(getattr(line, style) for line in block.lines)
