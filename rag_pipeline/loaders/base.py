"""Loaders: bytes of a file to plain text with Markdown headings."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from rag_pipeline.registry import Registry, Unit


@dataclass(frozen=True, slots=True)
class ParsedText:
    """Extracted text. `page_starts[i]` is the offset where page i + 1 begins; empty without pages.

    `notes` are remarks for the user ("read as Windows-1252").
    """

    text: str
    page_starts: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()


class Loader(Unit):
    """Reads one family of file formats; `extensions` in lower case with the dot."""

    extensions: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def read(self, data: bytes, name: str) -> ParsedText:
        """Extract the text. Raises DocumentError in the user's words."""


loaders: Registry[Loader] = Registry("file format", "rag_pipeline.loaders")
