"""Tables of a text, row by row: Markdown, columns between tabs, and records as the loaders write them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_BAR, _TABS = re.compile(r"(?<!\\)\|"), re.compile(r"\t+")
_RULE = re.compile(r":?-{2,}:?")
_FIELD = re.compile(r"(?P<name>[^\W\d_][^:\n|]{0,39}): +(?P<value>\S.*)")
_RECORD = re.compile(r"(?:\A|(?<=\n\n))[^\n]+(?:\n[^\n]+)+(?=\n\n|\s*\Z)")
_FEWEST = 2
"""Rows, and columns, of a table. Records are as sure as a table where there is one more of them."""


@dataclass(frozen=True, slots=True)
class TableCell:
    """What stands in a place of a table, and where in the text."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table: its cells, and the names of their columns.

    `is_only`: no other row has its first cell; `in_titles`: the first cells have capitals beyond their first words.
    """

    names: tuple[TableCell, ...]
    cells: tuple[TableCell, ...]
    is_only: bool
    in_titles: bool

    @property
    def is_record(self) -> bool:
        """Whether the names of the columns stand in the row itself."""
        return self.names[-1].end > self.cells[0].start

    @property
    def place(self) -> tuple[int, int]:
        """Where the row stands in the text."""
        end = max(cell.end for cell in self.cells if cell.text)
        return (self.names if self.is_record else self.cells)[0].start, end


def rows_of(text: str) -> Iterator[TableRow]:
    """Yield the rows of the tables whose structure is certain: every row has a place for each column."""
    yield from _drawn(text)
    yield from _records(text)


def _drawn(text: str) -> Iterator[TableRow]:
    """Yield the rows of tables with a rule of dashes below the head, or with tabs and a column of figures."""
    lines: list[tuple[TableCell, ...]] = []
    end = -1
    for match in re.finditer(r"[^\n]+|\Z", text):
        cells = _cells(match)
        if lines and (match.start() != end + 1 or len(cells) != len(lines[0])):
            yield from _below_head(lines)
            lines = []
        if len(cells) >= _FEWEST:
            lines.append(cells)
        end = match.end()


def _cells(line: re.Match[str]) -> tuple[TableCell, ...]:
    """Return the cells of a line, empty ones too; none where nothing parts it."""
    said = line.group().strip()
    barred = said.startswith("|") and said.endswith("|") and len(said) > 1
    at = line.start() + line.group().find(said) + barred
    said = said[1:-1] if barred else said
    found = []
    for part in [*(_BAR if barred else _TABS).finditer(said), None]:
        end = line.start() + line.group().find(said) + (part.start() if part else len(said))
        cell = line.string[at:end]
        begin = at + len(cell) - len(cell.lstrip())
        found.append(TableCell(begin, max(begin, at + len(cell.rstrip())), cell.strip()))
        at = end + (len(part.group()) if part else 0)
    return tuple(found)


def _below_head(lines: Sequence[tuple[TableCell, ...]]) -> Iterator[TableRow]:
    head, *body = lines
    if body and all(_RULE.fullmatch(cell.text) for cell in body[0]):
        body = body[1:]
    elif any(re.search(r"\d|^$", cell.text) for cell in head) or not _has_figures(body):
        return
    # A row with nothing but its first cell heads those below it, which mean something else without it.
    groups = [at for at, cells in enumerate(body) if not any(cell.text for cell in cells[1:])]
    yield from _rows([(head, cells) for cells in body[: groups[0] if groups else len(body)]])


def _has_figures(body: Sequence[tuple[TableCell, ...]]) -> bool:
    """Return whether one column has a figure in each row."""
    return any(all(re.search(r"\d", cell.text) for cell in column) for column in zip(*body, strict=True))


def _rows(lines: Sequence[tuple[tuple[TableCell, ...], tuple[TableCell, ...]]]) -> Iterator[TableRow]:
    if len(lines) >= _FEWEST:
        labels = Counter(cells[0].text for _, cells in lines)
        titles = any(part.istitle() for label in labels for part in label.split()[1:])
        yield from (TableRow(names, cells, labels[cells[0].text] == 1, titles) for names, cells in lines)


def _records(text: str) -> Iterator[TableRow]:
    """Yield paragraphs whose every line is `name: value`, as many others with the same first name have it."""
    alike: dict[str, list[tuple[tuple[TableCell, ...], tuple[TableCell, ...]]]] = defaultdict(list)
    for block in _RECORD.finditer(text):
        lines = [_FIELD.fullmatch(text, *line.span()) for line in re.compile(r"[^\n]+").finditer(text, *block.span())]
        fields = [line for line in lines if line]
        if fields and len(fields) == len(lines):
            names, values = (
                tuple(TableCell(*one.span(part), one[part]) for one in fields) for part in ("name", "value")
            )
            alike[names[0].text].append((names, values))
    for lines_alike in alike.values():
        if len(lines_alike) > _FEWEST:
            yield from _rows(lines_alike)
