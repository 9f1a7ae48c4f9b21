"""What Word's styles and numbering say of a paragraph: heading level, list level and label."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_BULLET = "-"
_DEEPEST = 8
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
    (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_FORMATS = {"lowerLetter", "upperLetter", "lowerRoman", "upperRoman", "decimalZero"}


def tag(name: str) -> str:
    """Return the full name of an element or attribute of WordprocessingML."""
    return _WORD + name


def value(node: Any) -> str | None:
    """Return the `w:val` of an element; None for none."""
    return node.get(tag("val")) if node is not None else None


@dataclass(frozen=True, slots=True)
class Item:
    """A list item: nesting level from 0, and what stands before its text."""

    level: int
    label: str


@dataclass(frozen=True, slots=True)
class Style:
    """What a paragraph style, with those it is based on, says."""

    heading: int = 0
    num_id: str | None = None
    num_level: int | None = None


class Styles:
    """The paragraph styles of a document; `root` is the part that holds them, None when there is none."""

    def __init__(self, root: Any) -> None:
        nodes = root.iter(tag("style")) if root is not None else ()
        self._nodes = {node.get(tag("styleId")): node for node in nodes}
        self._known: dict[str | None, Style] = {}

    def of(self, paragraph: Any) -> Style:
        """Return the style of a paragraph."""
        name = value(paragraph.find(f"{tag('pPr')}/{tag('pStyle')}"))
        if name not in self._known:
            self._known[name] = self._resolved(name)
        return self._known[name]

    def heading_level(self, paragraph: Any, style: Style) -> int:
        """Return 1 to 9 for a heading, else 0; what the paragraph itself says goes first."""
        own = value(paragraph.find(f"{tag('pPr')}/{tag('outlineLvl')}"))
        return style.heading if own is None else _outline(own)

    def _resolved(self, name: str | None) -> Style:
        heading: int | None = None
        num_id: str | None = None
        num_level: int | None = None
        seen: set[str] = set()
        while name is not None and name in self._nodes and name not in seen:
            seen.add(name)
            node = self._nodes[name]
            if heading is None:
                heading = _style_heading(node)
            number = node.find(f"{tag('pPr')}/{tag('numPr')}")
            if number is not None:
                num_id = num_id or value(number.find(tag("numId")))
                num_level = _int(value(number.find(tag("ilvl"))), num_level)
            name = value(node.find(tag("basedOn")))
        return Style(heading or 0, num_id, num_level)


class Numbering:
    """Counts list items as Word does: labels are not in the text but drawn from counters.

    `root` is the part that holds the lists, None when there is none.
    """

    def __init__(self, root: Any) -> None:
        self._levels: dict[tuple[str, int], Any] = {}
        self._counts: dict[str, dict[int, int]] = {}
        self._lists: dict[str, str] = {}
        if root is not None:
            self._read(root)

    def next_item(self, paragraph: Any, style: Style) -> Item | None:
        """Return the list item that `paragraph` is, counted on; None when it is none."""
        own = paragraph.find(f"{tag('pPr')}/{tag('numPr')}")
        num_id = value(own.find(tag("numId"))) if own is not None else None
        level = _int(value(own.find(tag("ilvl"))) if own is not None else None, style.num_level) or 0
        num_id = num_id or style.num_id
        if num_id is None or (num_id, level) not in self._levels:
            return None
        counts = self._counts.setdefault(self._lists[num_id], {})
        counts[level] = counts.get(level, self._start(num_id, level) - 1) + 1
        for deeper in [each for each in counts if each > level]:
            del counts[deeper]
        label = self._label(num_id, level, counts)
        return Item(min(level, _DEEPEST), label) if label else None

    def _read(self, root: Any) -> None:
        abstract = {node.get(tag("abstractNumId")): node for node in root.iter(tag("abstractNum"))}
        for node in root.iter(tag("num")):
            num_id, list_id = node.get(tag("numId")), value(node.find(tag("abstractNumId"))) or ""
            self._lists[num_id] = f"{list_id}/{num_id}" if node.find(tag("lvlOverride")) is not None else list_id
            if list_id in abstract:
                for level in abstract[list_id].iter(tag("lvl")):
                    self._levels[num_id, _int(level.get(tag("ilvl")), 0) or 0] = level

    def _start(self, num_id: str, level: int) -> int:
        node = self._levels.get((num_id, level))
        return _int(value(node.find(tag("start"))) if node is not None else None, 1) or 0

    def _label(self, num_id: str, level: int, counts: dict[int, int]) -> str:
        node = self._levels[num_id, level]
        kind = value(node.find(tag("numFmt"))) or "decimal"
        if kind == "none":
            return ""
        if kind == "bullet":
            return _BULLET

        def number(match: re.Match[str]) -> str:
            shown = int(match.group(1)) - 1
            other = self._levels.get((num_id, shown))
            form = value(other.find(tag("numFmt"))) if other is not None else None
            return _numeral(counts.get(shown, self._start(num_id, shown)), form or "decimal")

        return re.sub(r"%([1-9])", number, value(node.find(tag("lvlText"))) or "").strip()


def _style_heading(node: Any) -> int | None:
    """Return the heading level that a style itself sets; 0 for "none", None when it says nothing."""
    name = (value(node.find(tag("name"))) or "").lower()
    if named := re.fullmatch(r"heading ([1-9])", name):
        return int(named.group(1))
    if name == "title":
        return 1
    outline = value(node.find(f"{tag('pPr')}/{tag('outlineLvl')}"))
    return None if outline is None else _outline(outline)


def _outline(text: str) -> int:
    """Word counts outline levels from 0, and 9 is body text."""
    level = _int(text, 9)
    return level + 1 if level is not None and 0 <= level <= 8 else 0


def _int(text: str | None, otherwise: int | None) -> int | None:
    return int(text) if text and re.fullmatch(r"-?\d{1,9}", text) else otherwise


def _numeral(number: int, form: str) -> str:
    if form not in _FORMATS or not 0 < number < 4000:
        return str(number)
    if form == "decimalZero":
        return f"{number:02}"
    if form.endswith("Letter"):  # a … z, aa, bb …
        text = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
    else:
        text = _roman(number)
    return text.upper() if form.startswith("upper") else text


def _roman(number: int) -> str:
    text = ""
    for amount, letters in _ROMAN:
        text += letters * (number // amount)
        number %= amount
    return text
