"""Reader for PDF: the text layer page by page, lines as they stand, words parted at line ends mended."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from typing import Any

from rag_pipeline.errors import DocumentError
from rag_pipeline.readers.base import ParsedText, Reader, readers
from rag_pipeline.readers.decoding import unix_lines

_LOCK = threading.Lock()
"""PDFium is not safe to use from two threads at once."""

_NEEDS_PASSWORD = 4
_UNKNOWN_SECURITY = 5
_PAGE_GAP = "\n\n"
_BREAK = "\ufffe"
"""With this PDFium marks a hyphen at the end of a line, and leaves the line end out."""

_PARTED = re.compile(rf"([^\W\d_]+){_BREAK}\n?([^\W\d_]+)")


@readers.register
class PdfReader(Reader):
    """Reads the text layer; a scanned page has none."""

    key = "pdf"
    label = "PDF"
    extensions = (".pdf",)
    requires = {"pypdfium2": "pypdfium2"}

    def read(self, data: bytes, name: str) -> ParsedText:
        """Extract the text. Raises DocumentError for an encrypted, damaged or scanned file."""
        with _LOCK:
            pages = list(_page_texts(data))
        pages = [_tidy(page) for page in _mended(pages)]
        empty = [number for number, page in enumerate(pages, 1) if not page]
        if len(empty) == len(pages):
            raise DocumentError(
                f"The PDF has no text layer on its {_count(len(pages), 'page')}: it seems to be scanned. "
                "Run text recognition (OCR) on it and upload the result."
            )
        notes = (f"No text on {_count(len(empty), 'page')} of {len(pages)}: {_numbers(empty)}.",) if empty else ()
        text, starts = _joined(pages)
        return ParsedText(text, starts, notes)


def _page_texts(data: bytes) -> Iterator[str]:
    """Yield the text of each page; an empty one for a page that cannot be read."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        raise _refusal(error) from None
    try:
        for number in range(len(document)):
            try:
                yield document[number].get_textpage().get_text_range()
            except pypdfium2.PdfiumError:
                yield ""
    finally:
        document.close()


def _refusal(error: Any) -> DocumentError:
    code = getattr(error, "err_code", None)
    if code in (_NEEDS_PASSWORD, _UNKNOWN_SECURITY):
        return DocumentError("The PDF is encrypted and needs a password. Save a copy without one and upload that.")
    return DocumentError("The PDF is damaged or not a PDF. Open it, save it again and upload that.")


def _mended(pages: list[str]) -> list[str]:
    """Put words together that were parted at the end of a line.

    The hyphen stays where the document writes the word with it elsewhere and never without.
    """
    whole = unix_lines("\n".join(pages))
    words = set(re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)?", whole.lower()))

    def mend(match: re.Match[str]) -> str:
        left, right = match.groups()
        plain, hyphened = (left + right).lower(), f"{left}-{right}".lower()
        return f"{left}-{right}" if hyphened in words and plain not in words else left + right

    return [_PARTED.sub(mend, unix_lines(page)).replace(_BREAK, "-") for page in pages]


def _tidy(page: str) -> str:
    """Return a page without odd control characters, spaces at line ends and runs of empty lines."""
    page = re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\uffff]", "", page).replace("\xa0", " ")
    page = page.replace("\n\u2044", "\u2044")  # a small fraction: its bar stands on a line of its own
    lines = (re.sub(r"[ \t]+", " ", line).strip() for line in page.split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


def _joined(pages: list[str]) -> tuple[str, tuple[int, ...]]:
    starts, length = [], 0
    for page in pages:
        starts.append(length)
        length += len(page) + len(_PAGE_GAP)
    return _PAGE_GAP.join(pages), tuple(starts)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _numbers(pages: list[int]) -> str:
    shown = ", ".join(str(page) for page in pages[:10])
    return f"{shown} …" if len(pages) > 10 else shown
