"""Loader for plain text and Markdown."""

from __future__ import annotations

from rag_pipeline.loaders.base import Loader, ParsedText, loaders
from rag_pipeline.loaders.decoding import decode


@loaders.register
class TextLoader(Loader):
    """Takes the text as it is, in whatever encoding it comes."""

    key = "text"
    label = "Plain text and Markdown"
    extensions = (".txt", ".md", ".markdown")
    requires = {"charset_normalizer": "charset-normalizer"}

    def read(self, data: bytes, name: str) -> ParsedText:
        """Decode. Raises DocumentError for binary data."""
        text, notes = decode(data)
        return ParsedText(text, notes=notes)
