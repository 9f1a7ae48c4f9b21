"""Which reader takes a file, and reading with it."""

from __future__ import annotations

from pathlib import PurePath

from rag_pipeline.errors import DocumentError
from rag_pipeline.loaders.base import Loader, ParsedText, loaders

_UNSTORABLE = {0: " "} | dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
"""NUL and lone surrogates: databases refuse them. Replaced one for one, so that offsets stay."""


def known_extensions() -> list[str]:
    """Return the file extensions that can be read, with the dot, sorted."""
    return sorted(extension for loader in loaders for extension in loader.extensions)


def loader_for(name: str) -> Loader:
    """Return a reader for the file called `name`. Raises DocumentError listing the formats there are."""
    extension = PurePath(name).suffix.lower()
    for unit in loaders:
        if extension in unit.extensions:
            if unit.missing():
                raise DocumentError(f"{unit.label} files cannot be read here. {unit.missing()}")
            return unit()
    what = f"Files of type {extension} are" if extension else "A file without an extension is"
    raise DocumentError(f"{what} not supported. Known formats: {', '.join(known_extensions())}.")


def read_document(name: str, data: bytes) -> ParsedText:
    """Return the text of a file, fit to be stored. Raises DocumentError, also when there is no text."""
    if not data:
        raise DocumentError("The file is empty.")
    parsed = loader_for(name).read(data, name)
    if not parsed.text.strip():
        raise DocumentError("The file has no text.")
    return ParsedText(parsed.text.translate(_UNSTORABLE), parsed.page_starts, parsed.notes)
