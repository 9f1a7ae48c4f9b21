"""Lines of a region to blocks: paragraphs, list items, tables, captions, footnotes, labels in figures."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import dropwhile, takewhile
from statistics import median

from rag_pipeline.loaders.layout.lines import Line
from rag_pipeline.loaders.layout.page import Box, Page
from rag_pipeline.loaders.layout.tables import aligned_table

BULLET = re.compile(r"[•◦▪‣●○■□➢➤✓\uf0b7\uf0a7\uf0d8\uf076\uf0fc]\s*|[-–*·]\s+(?=[^\s*·–-])")
NUMBER = re.compile(r"\(?(\d{1,3}|[a-zA-Z]|[ivx]{2,5})[.)]\s+")
_CAPTION = re.compile(r"(?:Figure|Fig\.|Table|Chart|Exhibit|Plate|Abbildung|Tabelle)\s+[A-Z]?\d[\w.–-]*")
_LEADER = re.compile(r"(?:\s?[.·…_]){4,}\s*")
_FOOTNOTE = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹*†‡§]|\d{1,2}\s")
_ENDED = re.compile(r"[.!?:;][\"”’')\]⁰¹²³⁴⁵⁶⁷⁸⁹]*$")
_SMALL = 0.93
_LARGEST_FIGURE = 0.7


@dataclass
class PageBlock:
    """Lines that belong together. `kind`: text, item, code, table, contents, or a float (caption, label, footnote).

    `markdown` is the finished text of a table. `left` and `right` are the margins of the text around it.
    """

    kind: str
    page: int
    lines: list[Line] = field(default_factory=list)
    markdown: str = ""
    left: float = 0.0
    right: float = 0.0
    size_around: float = 0.0
    level: int = 0
    depth: int = 0

    @cached_property
    def size(self) -> float:
        """The size of its font."""
        counts: Counter[float] = Counter()
        for line in self.lines:
            counts[line.font.size] += len(line.text)
        return counts.most_common(1)[0][0] if counts else 0.0

    @property
    def text(self) -> str:
        """Its lines as one."""
        return " ".join(line.text for line in self.lines)

    @property
    def floats(self) -> bool:
        """True for what stands beside the text and does not continue it."""
        return self.kind in {"caption", "label", "footnote", "table"}

    @property
    def ended(self) -> bool:
        """Whether its last line ends a sentence."""
        return _ENDED.search(self.lines[-1].text) is not None

    @property
    def full(self) -> bool:
        """Whether its last line reaches the right margin."""
        return self.lines[-1].x1 > self.right - 1.5 * self.size

    @property
    def indented(self) -> bool:
        """Whether its first line is indented."""
        return self.lines[0].x0 > self.left + 0.6 * self.size


def blocks_of(lines: Sequence[Line], page: Page, number: int, body: float) -> list[PageBlock]:
    """Return the blocks of a region of page `number` in order; `body` is the usual size of the document's text."""
    found: list[PageBlock] = []
    at = 0
    pending: list[Line] = []
    while at < len(lines):
        drawn = aligned_table(lines, at)
        if drawn is None:
            pending.append(lines[at])
            at += 1
            continue
        found += _text_blocks(pending, page, number, body)
        pending = []
        found.append(PageBlock("table", number, list(lines[at : drawn[1]]), drawn[0]))
        at = drawn[1]
    found += _text_blocks(pending, page, number, body)
    _mark_footnotes(found, page, body)
    return found


def _text_blocks(lines: Sequence[Line], page: Page, number: int, body: float) -> list[PageBlock]:
    if not lines:
        return []
    figures = [box for box in page.frames if _is_figure(box, page)]
    margins = _margins(lines)
    around = _usual_size(lines)
    found: list[PageBlock] = []
    for line in lines:
        left, right = margins[line.font.size]
        kind = _kind(line, figures, body)
        block = found[-1] if found else None
        if block is None or _begins(block, line, kind, left, right):
            found.append(PageBlock(kind, number, [line], left=left, right=right, size_around=around))
        else:
            block.lines.append(line)
    return found


def _is_figure(box: Box, page: Page) -> bool:
    return min(box.width, box.height) > 60 and box.width * box.height < _LARGEST_FIGURE * page.width * page.height


def _kind(line: Line, figures: Sequence[Box], body: float) -> str:
    text = line.text
    if _LEADER.search(text):
        return "contents"
    caption = _CAPTION.match(text)
    if caption and (line.pieces[0].font is not line.font or line.font.size < body or text[caption.end() :][:1] in ":."):
        return "caption"
    middle = ((line.x0 + line.x1) / 2, (line.y0 + line.y1) / 2)
    if line.font.size < _SMALL * body and len(text) < 60 and any(box.holds(*middle) for box in figures):
        return "label"
    if line.mono:
        return "code"
    return "item" if BULLET.match(text) else "text"


def _margins(lines: Sequence[Line]) -> dict[float, tuple[float, float]]:
    """Return (left, right) margin of the lines of each size: left where most lines begin."""
    found = {}
    for size in {line.font.size for line in lines}:
        alike = [line for line in lines if abs(line.font.size - size) < 0.06 * size]
        starts = Counter(round(line.x0) for line in alike)
        most = max(starts.values())
        left = min(start for start, times in starts.items() if times >= 0.6 * most)
        ends = sorted(line.x1 for line in alike)
        found[size] = (float(left), ends[int(0.9 * (len(ends) - 1))] if len(ends) > 5 else ends[-1])
    return found


def _usual_size(lines: Sequence[Line]) -> float:
    counts: Counter[float] = Counter()
    for line in lines:
        counts[line.font.size] += len(line.text)
    return counts.most_common(1)[0][0]


def _begins(block: PageBlock, line: Line, kind: str, left: float, right: float) -> bool:
    """Return whether a line begins a new block after `block`."""
    above = block.lines[-1]
    em = max(line.font.size, 1.0)
    if kind in {"contents", "label", "caption", "item"} or block.kind in {"contents", "label"}:
        return True
    if "code" in {kind, block.kind}:
        return kind != block.kind or line.base - above.base > 3.5 * em
    if abs(line.font.size - above.font.size) > 0.08 * em or line.base - above.base > _leading(block) * 1.3:
        return True
    if _headlike(above, line) or _new_number(block, line):
        return True
    if block.kind in {"item", "caption"}:
        return _leaves_item(line, block, em)
    return _begins_paragraph(line, block, left, right, em)


def _leaves_item(line: Line, block: PageBlock, em: float) -> bool:
    """Return whether a line begins further left than an item or a caption goes on."""
    if line.x0 < block.lines[-1].x0 - 0.6 * em and len(block.lines) > 1:
        return True
    return block.kind == "item" and line.x0 <= block.lines[0].x0 + 0.1 * em and block.ended


def _begins_paragraph(line: Line, block: PageBlock, left: float, right: float, em: float) -> bool:
    above = block.lines[-1]
    if abs(line.x0 - above.x0) > 0.3 * em:
        centred, was_centred = (_centred(each, left, right) for each in (line, above))
        if centred != was_centred:
            return True
        if centred:
            return False
    return _indents(line, block, left, em) or _had_room(line, above, right, em)


def _indents(line: Line, block: PageBlock, left: float, em: float) -> bool:
    """Return whether a line begins further right, or further left, than a paragraph goes on."""
    above, step = block.lines[-1], 0.6 * em
    if line.x0 > above.x0 + step:
        return above.x0 > left - step
    if line.x0 < above.x0 - step:
        first_line = len(block.lines) == 1 and above.x0 < line.x0 + 4 * em
        return line.x0 < left - step and not first_line
    # Two indented lines are two paragraphs of one line, or a quotation.
    return line.x0 > left + step and line.x0 < left + 4 * em and _ENDED.search(above.text) is not None


def _had_room(line: Line, above: Line, right: float, em: float) -> bool:
    """Return whether the first word of a line had fitted above: then the end of the line above was meant."""
    if above.text.endswith("-"):
        return False
    word = line.text.split(" ", 1)[0]
    per_letter = (line.x1 - line.x0) / max(len(line.text), 1)
    room = right - above.x1 > per_letter * (len(word) + 1) + 0.5 * em
    return room and (_ENDED.search(above.text) is not None or not line.text[:1].islower())


def _leading(block: PageBlock) -> float:
    """Return the distance of the base lines of a block, or what is usual for its size."""
    steps = [below.base - above.base for above, below in zip(block.lines, block.lines[1:], strict=False)]
    return median(steps) if steps else 1.3 * block.lines[-1].font.size


def _headlike(above: Line, line: Line) -> bool:
    """Return whether the style changes as between a heading and its text: all bold or all slanted, and then not."""
    return above.bold != line.bold or (above.italic != line.italic and (above.x1 < line.x1 or line.x1 < above.x1))


def _new_number(block: PageBlock, line: Line) -> bool:
    """Return whether a line is the next of a numbered list."""
    mark = NUMBER.match(line.text)
    if mark is None:
        return False
    before = NUMBER.match(block.lines[0].text)
    label = mark.group(1)
    follows = before is not None and (
        (label.isdigit() and before.group(1).isdigit() and int(label) == int(before.group(1)) + 1)
        or (len(label) == len(before.group(1)) == 1 and ord(label) == ord(before.group(1)) + 1)
    )
    return follows or (label in {"1", "a", "A"} and _ENDED.search(block.lines[-1].text) is not None)


def _centred(line: Line, left: float, right: float) -> bool:
    middle = (left + right) / 2
    em = line.font.size
    return abs((line.x0 + line.x1) / 2 - middle) < em and line.x0 > left + 2 * em and line.x1 < right - 2 * em


def is_centred(block: PageBlock) -> bool:
    """Return whether all lines of a block are centred between its margins."""
    return all(_centred(line, block.left, block.right) for line in block.lines)


def _mark_footnotes(blocks: Sequence[PageBlock], page: Page, body: float) -> None:
    """Mark the small text below the body text, that begins with a mark or stands under a rule, as footnotes."""
    small = takewhile(lambda block: block.kind in {"text", "item"} and block.size < _SMALL * body, reversed(blocks))
    tail = list(small)[::-1]
    if not tail or len(tail) == len(blocks):
        return
    top = tail[0].lines[0].y0
    above = [block.lines[-1].y1 for block in blocks[: -len(tail)] if block.lines]
    ruled = any(above and max(above) - 4 <= rule.y0 <= top + 4 and rule.width > rule.height for rule in page.rules)
    for block in tail if ruled else dropwhile(lambda block: not _FOOTNOTE.match(block.lines[0].text), tail):
        block.kind = "footnote"


def nest_items(blocks: Sequence[PageBlock]) -> None:
    """Set how deep list items are nested, by where their marks stand."""
    marks: list[float] = []
    for block in blocks:
        if block.kind != "item":
            # A paragraph within an item is indented; any other ends the list.
            if block.kind == "text" and not (marks and block.lines[0].x0 > marks[0] + 0.5 * block.size):
                marks = []
            continue
        x, em = block.lines[0].x0, block.size
        while marks and marks[-1] > x + 0.5 * em:
            marks.pop()
        if not marks or x > marks[-1] + 0.5 * em:
            marks.append(x)
        block.depth = len(marks) - 1


def text_lines(blocks: Sequence[PageBlock]) -> Iterator[str]:
    """Yield the text of all lines."""
    for block in blocks:
        for line in block.lines:
            yield line.text
