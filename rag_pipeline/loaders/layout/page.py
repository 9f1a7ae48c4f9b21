"""A page as PDFium gives it: runs of characters with place and style, ruling lines, pictures.

Coordinates are points (1/72 inch) as the page is shown: x to the right, y down.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

_BOLD = re.compile(r"bold|black|heavy|demi", re.IGNORECASE)
_ITALIC = re.compile(r"italic|oblique", re.IGNORECASE)
_MONO = re.compile(r"mono|nimbusmon|courier|consol|typewriter|cmtt|menlo", re.IGNORECASE)
_MONO_FLAG, _ITALIC_FLAG, _FORCE_BOLD_FLAG = 1, 1 << 6, 1 << 18  # PDF 32000-1, table 123
_HYPHEN_MARK = 2
"""The code by which PDFium gives a hyphen at the end of a line."""

_LINE_END = frozenset({10, 13})
_BLANK = frozenset({*range(33), 160}) - {_HYPHEN_MARK}

_GAP = 0.9
"""White space, in ems, that parts two pieces."""

_MOST_OBJECTS = 20_000
"""Drawn objects of a page that are looked at; maps and plans have more, and no tables."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        """How wide it is."""
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        """How high it is."""
        return self.y1 - self.y0

    def holds(self, x: float, y: float) -> bool:
        """Return whether a point lies in it."""
        return self.x0 <= x <= self.x1 and self.y0 <= y <= self.y1


@dataclass(frozen=True, slots=True)
class Font:
    """How text looks: size in points, weight and slant, the name of its font."""

    name: str
    size: float
    bold: bool
    italic: bool
    upright: bool = True
    mono: bool = False


@dataclass(slots=True)
class TextRun:
    """Characters of one font on one line without a wide gap; `base` is the y of the line they stand on.

    `f_widths` are the places in `text` of an f with its width in ems: one that is wide for its font is a ligature
    whose second letter the file has lost.
    """

    text: str
    x0: float
    x1: float
    y0: float
    y1: float
    base: float
    font: Font
    f_widths: list[tuple[int, float]] = field(default_factory=list)

    @property
    def middle(self) -> float:
        """The y of its middle."""
        return (self.y0 + self.y1) / 2


@dataclass(slots=True)
class Page:
    """What stands on a page. `rules` are thin lines, `frames` other drawn boxes and pictures."""

    pieces: list[TextRun]
    rules: list[Box]
    frames: list[Box]
    width: float
    height: float
    pictured: float = 0.0
    """The share of the page that its largest picture covers."""


def read_page(pdf_page: Any) -> Page:
    """Read a page of pypdfium2."""
    width, height = pdf_page.get_size()
    turned = _turn(pdf_page.get_rotation(), width, height)
    pieces = _Pieces(pdf_page.get_textpage(), turned).read()
    rules, frames, pictures = _drawn(pdf_page, turned)
    pictured = max((box.width * box.height for box in pictures), default=0.0) / max(width * height, 1.0)
    return Page(pieces, rules, frames, width, height, pictured)


def _turn(degrees: int, width: float, height: float) -> Callable[[float, float], tuple[float, float]]:
    """Return what turns a point of PDF space, y up, to the page of that size as it is shown, y down."""
    return {
        90: lambda x, y: (y, x),
        180: lambda x, y: (width - x, y),
        270: lambda x, y: (width - y, height - x),
    }.get(degrees, lambda x, y: (x, height - y))


class _Pieces:
    """Reads the characters of a page, in the order of the file, and groups them.

    PDFium is asked for as little as will do, a call for each character being what reading costs: places only for the
    ends of words (it gives a space wherever there is a gap) and for each f.
    """

    def __init__(self, text_page: Any, turned: Callable[[float, float], tuple[float, float]]) -> None:
        import pypdfium2.raw as pdfium

        self._raw = pdfium
        self._text_page = text_page  # it closes its page when it goes
        self._page = text_page.raw
        self._address = ctypes.cast(text_page.raw, ctypes.c_void_p).value
        self._box = pdfium.FS_RECTF()
        self._box_address = ctypes.addressof(self._box)
        self._box_of = _quick(pdfium.FPDFText_GetLooseCharBox, ctypes.c_int, ctypes.c_void_p)
        self._turned = turned
        self._fonts: dict[int, Font] = {}
        self._name, self._flags, self._matrix = ctypes.create_string_buffer(128), ctypes.c_int(), pdfium.FS_MATRIX()
        self._pieces: list[TextRun] = []
        self._now: TextRun | None = None

    def read(self) -> list[TextRun]:
        """Return all pieces that show something."""
        page = self._address
        code_of = _quick(self._raw.FPDFText_GetUnicode, ctypes.c_uint)
        object_of = _quick(self._raw.FPDFText_GetTextObject, ctypes.c_void_p)
        letters: list[int] = []
        first, drawn, spaced = 0, 0, False
        for index in range(self._raw.FPDFText_CountChars(self._page)):
            code = code_of(page, index)
            blank = code in _BLANK
            within = 0 if blank else object_of(page, index)
            if letters and (blank or within != drawn):
                self._word(first, letters, drawn, spaced=spaced)
                letters, spaced = [], blank
            if not blank:
                if not letters:
                    first, drawn = index, within
                letters.append(code)
                continue
            spaced = True
            if code in _LINE_END:
                self._now = None
        self._word(first, letters, drawn, spaced=spaced)
        return [piece for piece in self._pieces if piece.text.strip()]

    def _word(self, first: int, codes: list[int], drawn: int, *, spaced: bool) -> None:
        """Add characters of one text object without a space between them."""
        if not codes:
            return
        font, now = self._font(drawn, first), self._now
        x0, y0, x1, y1 = self._place(first)
        if len(codes) > 1:
            x1 = self._place(first + len(codes) - 1)[2]
        em = font.size
        if (
            now is None
            or now.font is not font
            or abs(y1 - now.y1) > 0.15 * em
            or not -0.4 * em < x0 - now.x1 < _GAP * em
        ):
            self._now = now = TextRun("", x0, x1, y0, y1, y1 - 0.2 * em, font)
            self._pieces.append(now)
        elif spaced:
            now.text += " "
        if 102 in codes:
            at = len(now.text)
            for offset, code in enumerate(codes):
                if code == 102:
                    left, _, right, _ = self._place(first + offset)
                    now.f_widths.append((at + offset, (right - left) / em))
        now.text += "".join(map(chr, codes)).replace(chr(_HYPHEN_MARK), "-")
        now.x1 = max(now.x1, x1)

    def _place(self, index: int) -> tuple[float, float, float, float]:
        """Return (x0, y0, x1, y1) of a character."""
        box = self._box
        self._box_of(self._address, index, self._box_address)
        x0, y0 = self._turned(box.left, box.top)
        x1, y1 = self._turned(box.right, box.bottom)
        if x0 > x1:
            x0, x1 = x1, x0
        return (x0, y0, x1, y1) if y0 < y1 else (x0, y1, x1, y0)

    def _font(self, address: int, index: int) -> Font:
        """Return the font of a character; asked of PDFium once for each text object."""
        known = self._fonts.get(address)
        if known is None or not address:
            self._fonts[address] = known = self._described(index)
        return known

    def _described(self, index: int) -> Font:
        raw, name, flags, matrix = self._raw, self._name, self._flags, self._matrix
        raw.FPDFText_GetFontInfo(self._page, index, name, len(name), flags)
        raw.FPDFText_GetMatrix(self._page, index, matrix)
        size = raw.FPDFText_GetFontSize(self._page, index) * (math.hypot(matrix.c, matrix.d) or 1.0)
        (x0, y0), (x1, y1) = self._turned(0.0, 0.0), self._turned(matrix.a, matrix.b)
        across, down = x1 - x0, y1 - y0
        upright = (across > 0 and abs(down) < 0.2 * across) or not (across or down)
        # One value a font: pieces compare by identity.
        return _font_of(name.value, flags.value, round(max(size, 1.0), 1), upright)


@lru_cache(maxsize=1000)
def _font_of(name: bytes, flags: int, size: float, upright: bool) -> Font:
    """Return the font of that name; what its flags do not tell, the name does."""
    title = name.decode("utf-8", "replace")
    return Font(
        title,
        size,
        bold=bool(_BOLD.search(title)) or bool(flags & _FORCE_BOLD_FLAG),
        italic=bool(_ITALIC.search(title)) or bool(flags & _ITALIC_FLAG),
        upright=upright,
        mono=bool(_MONO.search(title)) or bool(flags & _MONO_FLAG),
    )


def _quick(call: Any, result: Any, *more: Any) -> Any:
    """Return a function (page, index, …) of PDFium that takes and gives plain numbers: half the price of a call."""
    address = ctypes.cast(call, ctypes.c_void_p).value or 0
    return ctypes.PYFUNCTYPE(result, ctypes.c_void_p, ctypes.c_int, *more)(address)


def _drawn(
    pdf_page: Any, turned: Callable[[float, float], tuple[float, float]]
) -> tuple[list[Box], list[Box], list[Box]]:
    """Return the ruling lines, the boxes drawn, and the pictures."""
    import pypdfium2.raw as pdfium

    rules: list[Box] = []
    frames: list[Box] = []
    pictures: list[Box] = []
    for kind, bounds in _objects(pdf_page.raw, pdfium):
        (left, top), (right, bottom) = turned(bounds[0], bounds[3]), turned(bounds[2], bounds[1])
        box = Box(min(left, right), min(top, bottom), max(left, right), max(top, bottom))
        if kind == pdfium.FPDF_PAGEOBJ_IMAGE:
            pictures.append(box)
        if kind == pdfium.FPDF_PAGEOBJ_PATH and min(box.width, box.height) < 2.5 and max(box.width, box.height) > 5:
            rules.append(box)
        elif min(box.width, box.height) > 15:
            frames.append(box)
    return rules, frames, pictures


def _objects(raw_page: Any, pdfium: Any) -> Iterator[tuple[int, tuple[float, float, float, float]]]:
    sides = [ctypes.c_float() for _ in range(4)]
    wanted = (pdfium.FPDF_PAGEOBJ_PATH, pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_SHADING)
    for number in range(min(pdfium.FPDFPage_CountObjects(raw_page), _MOST_OBJECTS)):
        drawn = pdfium.FPDFPage_GetObject(raw_page, number)
        kind = pdfium.FPDFPageObj_GetType(drawn)
        if kind in wanted and pdfium.FPDFPageObj_GetBounds(drawn, *sides):
            left, bottom, right, top = (side.value for side in sides)
            yield kind, (left, bottom, right, top)
