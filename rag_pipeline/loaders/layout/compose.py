"""Blocks of all pages to one Markdown text that knows where each page begins."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag_pipeline.loaders.layout import markdown
from rag_pipeline.loaders.layout.blocks import BULLET, NUMBER, PageBlock, blocks_of, nest_items, text_lines
from rag_pipeline.loaders.layout.furniture import without_furniture
from rag_pipeline.loaders.layout.headings import mark_headings
from rag_pipeline.loaders.layout.lines import lines_of
from rag_pipeline.loaders.layout.page import Box, Page, TextRun
from rag_pipeline.loaders.layout.regions import columns
from rag_pipeline.loaders.layout.tables import ruled_tables
from rag_pipeline.loaders.layout.words import Mender, mark_lost_ligatures

_OPENING_TICK = re.compile(r"`(?=[\w\[])")
_CLOSING_TICK = re.compile(r"[\w)\]]`(?!\w)")
_HEADING_MARK = re.compile(r"#{1,6} ")
_DOTS = re.compile(r"(?:\s?[.·…_]){4,}\s*")


@dataclass(frozen=True, slots=True)
class _WrittenPart:
    """Text to write: the parts of a paragraph that runs over several pages have no gap between them."""

    text: str
    page: int
    tight: bool = False
    goes_on: bool = False


def compose(pages: Sequence[Page]) -> tuple[str, tuple[int, ...]]:
    """Return (Markdown, offset at which each page begins)."""
    mark_lost_ligatures(pages)
    kept = without_furniture(pages)
    body = _body_size(kept)
    blocks = [block for number, page in enumerate(pages) for block in _page_blocks(page, kept[number], number, body)]
    mark_headings(blocks, body)
    nest_items(blocks)
    mender = Mender(text_lines(blocks))
    return _written(list(_parts(blocks, mender)), len(pages))


def _body_size(pages: Sequence[Sequence[TextRun]]) -> float:
    counts: Counter[float] = Counter()
    for pieces in pages:
        for piece in pieces:
            counts[piece.font.size] += len(piece.text)
    return counts.most_common(1)[0][0] if counts else 1.0


def _page_blocks(page: Page, pieces: Sequence[TextRun], number: int, body: float) -> list[PageBlock]:
    """Return the blocks of a page in reading order."""
    sideways = [piece for piece in pieces if not piece.font.upright]
    upright = [piece for piece in pieces if piece.font.upright]
    tables = ruled_tables(page, upright)
    used = {id(piece) for _, _, inside in tables for piece in inside}
    blocks: list[PageBlock] = []
    for region in columns([piece for piece in upright if id(piece) not in used]):
        blocks += blocks_of(lines_of(region), page, number, body)
    for box, drawn, inside in tables:
        blocks.insert(_place(blocks, box), PageBlock("table", number, lines_of(inside), drawn))
    blocks += [PageBlock("label", number, lines_of([piece])) for piece in sideways]
    return blocks


def _place(blocks: Sequence[PageBlock], box: Box) -> int:
    """Return where a table goes: behind the last block above it in its column."""
    above = [
        number
        for number, block in enumerate(blocks, 1)
        if block.lines[-1].y1 <= box.y0 + 5 and min(line.x0 for line in block.lines) < box.x1
    ]
    return max(above, default=0)


def _parts(blocks: Sequence[PageBlock], mender: Mender) -> Iterator[_WrittenPart]:
    """Yield what to write; what stands between the halves of a paragraph goes behind it, or before it."""
    at = 0
    while at < len(blocks):
        block = blocks[at]
        if block.kind not in {"text", "item"} or block.level:
            yield _part(block, mender)
            at += 1
            continue
        chain, after, at = _chain(blocks, at)
        moved = [each for each in after if each.page == chain[0].page and each.page != chain[-1].page]
        yield from (_part(each, mender) for each in moved)
        yield from _paragraph(chain, mender)
        yield from (_part(each, mender) for each in after if each not in moved)


def _chain(blocks: Sequence[PageBlock], at: int) -> tuple[list[PageBlock], list[PageBlock], int]:
    """Return (the blocks that make one paragraph, what stands between them, number of the block that follows)."""
    chain, following = [blocks[at]], at + 1
    between: list[PageBlock] = []
    while True:
        step = following
        while step < len(blocks) and blocks[step].floats:
            step += 1
        if step == len(blocks) or not _goes_on(chain[-1], blocks[step]):
            return chain, between, following
        floats = blocks[following:step]
        if any(each.page not in (chain[0].page, blocks[step].page) for each in floats):
            return chain, between, following
        between += floats
        chain.append(blocks[step])
        following = step + 1


def _goes_on(block: PageBlock, following: PageBlock) -> bool:
    """Return whether a paragraph that a column or page has cut goes on in the block that follows."""
    if following.kind != "text" or following.level or block.level or following.page - block.page > 1:
        return False
    first, last = following.lines[0], block.lines[-1]
    if following.page == block.page and first.base > last.base and first.x0 < last.x1:
        return False  # below it in one column: they were parted on purpose
    if abs(block.size - following.size) > 0.08 * block.size or NUMBER.match(first.text):
        return False
    return _reads_on(block, following)


def _reads_on(block: PageBlock, following: PageBlock) -> bool:
    """Return whether the texts of two blocks read, and are set, as one paragraph."""
    first, last = following.lines[0], block.lines[-1]
    if first.text[:1].islower() or last.text.endswith("-"):
        return not block.ended or block.full
    # Where a sentence ends with its line, only the missing indent tells that the paragraph goes on.
    return block.full and not following.indented and (block.indented or not block.ended)


def _paragraph(chain: Sequence[PageBlock], mender: Mender) -> Iterator[_WrittenPart]:
    """Yield a paragraph, one part for each page; a word that the end of a page has parted stays on that page."""
    lines = [(line.text, block.page) for block in chain for line in block.lines]
    texts: list[str] = []
    carried = ""
    for number, (text, page) in enumerate(lines):
        text, carried = carried + text, ""
        following, next_page = lines[number + 1] if number + 1 < len(lines) else ("", page)
        mended, gap = mender.line(text, following)
        if next_page != page and not gap and following:
            word, _, rest = following.partition(" ")
            mended, gap = mended + word, " "
            lines[number + 1] = (rest, next_page)
        texts.append(mended + gap)
        if next_page != page or number + 1 == len(lines):
            yield _page_part(chain[0], mender.mended(_quoted("".join(texts))), page, goes_on=next_page != page)
            texts = []


def _page_part(block: PageBlock, text: str, page: int, *, goes_on: bool) -> _WrittenPart:
    """Return what stands on one page of the paragraph that begins with `block`."""
    if page != block.page:
        return _WrittenPart(text, page, goes_on=goes_on)
    tight = block.kind == "item" or NUMBER.match(text) is not None
    return _WrittenPart(_marked(block, text), page, tight, goes_on)


def _quoted(text: str) -> str:
    """Return a text in which a back tick that opens a quotation is one, unless others close code."""
    return text if _CLOSING_TICK.search(text) else _OPENING_TICK.sub("‘", text)


def _marked(block: PageBlock, text: str) -> str:
    if block.kind != "item":
        return f"\\{text}" if _HEADING_MARK.match(text) else text
    return f"{'  ' * block.depth}- {BULLET.sub('', text, count=1)}"


def _part(block: PageBlock, mender: Mender) -> _WrittenPart:
    """Return a block that is no paragraph."""
    if block.markdown:
        return _WrittenPart(mender.mended(block.markdown), block.page)
    if block.kind == "code":
        return _WrittenPart(mender.mended(_code(block)), block.page)
    text = "".join(part.text for part in _paragraph([block], mender)).strip()
    if block.level:
        return _WrittenPart(markdown.heading(block.level, BULLET.sub("", text, count=1)), block.page)
    if block.kind == "contents":
        return _WrittenPart(_DOTS.sub(" … ", text), block.page, tight=True)
    return _WrittenPart(text, block.page, tight=block.kind == "label")


def _code(block: PageBlock) -> str:
    left = min(line.x0 for line in block.lines)
    return "\n".join(["```", *(line.spaced(left) for line in block.lines), "```"])


def _written(parts: Sequence[_WrittenPart], count: int) -> tuple[str, tuple[int, ...]]:
    text: list[str] = []
    starts: list[int | None] = [None] * count
    length = 0
    before: _WrittenPart | None = None
    for part in parts:
        words = part.text if part.goes_on else part.text.rstrip()
        if not words.strip():
            continue
        if before is not None and not before.goes_on:
            gap = "\n" if before.tight and part.tight else "\n\n"
            text.append(gap)
            length += len(gap)
        if starts[part.page] is None:
            starts[part.page] = length
        text.append(words)
        length += len(words)
        before = part
    return "".join(text), _filled(starts, length)


def _filled(starts: Sequence[int | None], end: int) -> tuple[int, ...]:
    """A page without text begins where the next one does."""
    found: list[int] = []
    for start in reversed(starts):
        end = end if start is None else start
        found.append(end)
    return tuple(reversed(found))
