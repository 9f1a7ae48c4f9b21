"""Loader for PDF: Markdown from the text layer, inferred from sizes, weights and places of its characters."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

from rag_pipeline.errors import DocumentError
from rag_pipeline.loaders.base import Loader, ParsedText, loaders
from rag_pipeline.loaders.layout.compose import compose
from rag_pipeline.loaders.layout.page import Page, read_page
from rag_pipeline.loaders.records import numbers

_LOCK = threading.Lock()
"""PDFium is not safe to use from two threads at once."""

_SCANNED = 0.4
"""Share of a page without text that a picture covers, from which it is a scan and not an empty page."""

_NEEDS_PASSWORD = 4
_UNKNOWN_SECURITY = 5


@loaders.register
class PdfLoader(Loader):
    """Headings, paragraphs over page breaks, lists, tables, columns; running heads and feet are left out."""

    key = "pdf"
    label = "PDF"
    extensions = (".pdf",)
    requires = {"pypdfium2": "pypdfium2"}

    def read(self, data: bytes, name: str) -> ParsedText:
        """Extract the text. Raises DocumentError for an encrypted, damaged or scanned file."""
        with _LOCK:
            pages = list(_pages(data))
        bare = [number for number, page in enumerate(pages, 1) if not page.pieces]
        scanned = [number for number in bare if pages[number - 1].pictured > _SCANNED]
        if len(bare) == len(pages):
            raise _without_text(len(pages), scanned)
        text, starts = compose(pages)
        return ParsedText(text, starts, tuple(_notes(len(pages), bare, scanned)))


def _without_text(count: int, scanned: list[int]) -> DocumentError:
    if not scanned:
        return DocumentError(f"The PDF has no text on its {_count(count, 'page')}, only drawings or nothing at all.")
    return DocumentError(
        f"The PDF is scanned: its {_count(count, 'page')} {'are pictures' if count > 1 else 'is a picture'} "
        "without a text layer. Run text recognition (OCR) on it and upload the result."
    )


def _notes(count: int, bare: list[int], scanned: list[int]) -> Iterator[str]:
    empty = [number for number in bare if number not in scanned]
    if scanned:
        yield (
            f"{_count(len(scanned), 'page')} of {count} scanned and left out ({numbers(scanned)}): "
            "run text recognition (OCR) to have their text."
        )
    if empty:
        yield f"No text on {_count(len(empty), 'page')} of {count}: {numbers(empty)}."


def _pages(data: bytes) -> Iterator[Page]:
    """Yield what stands on each page; nothing for a page that cannot be read."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        raise _refusal(error) from None
    try:
        for number in range(len(document)):
            try:
                page = document[number]
                yield read_page(page)
                page.close()
            except pypdfium2.PdfiumError:
                yield Page([], [], [], 0.0, 0.0)
    finally:
        document.close()


def _refusal(error: Any) -> DocumentError:
    code = getattr(error, "err_code", None)
    if code in (_NEEDS_PASSWORD, _UNKNOWN_SECURITY):
        return DocumentError("The PDF is encrypted and needs a password. Save a copy without one and upload that.")
    return DocumentError("The PDF is damaged or not a PDF. Open it, save it again and upload that.")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
