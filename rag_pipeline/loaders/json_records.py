"""Loaders for JSON and JSON lines: each object a record of `field: value` lines."""

from __future__ import annotations

import json
from typing import Any

from rag_pipeline.errors import DocumentError
from rag_pipeline.loaders.base import Loader, ParsedText, loaders
from rag_pipeline.loaders.decoding import decode
from rag_pipeline.loaders.records import flat, numbers, record, records_of

_GAP = "\n\n"


@loaders.register
class JsonLoader(Loader):
    """Reads a list of objects, or one object; nested fields get dotted names."""

    key = "json"
    label = "JSON"
    extensions = (".json",)
    requires = {"charset_normalizer": "charset-normalizer"}

    def read(self, data: bytes, name: str) -> ParsedText:
        """Read the records. Raises DocumentError naming the line where the file is no JSON."""
        text, notes = decode(data)
        try:
            return ParsedText(_GAP.join(filter(None, records_of(_loaded(text)))), notes=notes)
        except json.JSONDecodeError as error:
            lines = _lines(text) if error.msg == "Extra data" else None
            if lines is None or lines.notes:
                raise DocumentError(
                    f"The file is not valid JSON: {error.msg} on line {error.lineno}, column {error.colno}."
                ) from None
            return ParsedText(lines.text, notes=(*notes, "Read as JSON lines."))


@loaders.register
class JsonLinesLoader(Loader):
    """Reads one JSON value a line; a line that is none is left out and named."""

    key = "jsonl"
    label = "JSON lines"
    extensions = (".jsonl", ".ndjson")
    requires = {"charset_normalizer": "charset-normalizer"}

    def read(self, data: bytes, name: str) -> ParsedText:
        """Read the records. Raises DocumentError when no line is JSON."""
        text, notes = decode(data)
        lines = _lines(text)
        if lines.notes and not lines.text:
            raise DocumentError(f"No line of the file can be read. {' '.join(lines.notes)}")
        return ParsedText(lines.text, notes=(*notes, *lines.notes))


def _lines(text: str) -> ParsedText:
    blocks, wrong = [], []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            blocks.append(record(flat(_loaded(line))))
        except json.JSONDecodeError:
            wrong.append(number)
    noun = "Line" if len(wrong) == 1 else f"{len(wrong)} lines"
    left_out = f"{noun} {numbers(wrong)}" if len(wrong) == 1 else f"{noun} ({numbers(wrong)})"
    notes = (f"{left_out} left out: not valid JSON.",) if wrong else ()
    return ParsedText(_GAP.join(filter(None, blocks)), notes=notes)


def _loaded(text: str) -> Any:
    """Return the value of a JSON text. Raises JSONDecodeError, and DocumentError for what Python cannot hold."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except (RecursionError, ValueError):  # too deep; an integer of thousands of digits
        raise DocumentError("The JSON is nested too deeply, or holds a number that is too long.") from None
