"""Evidence of imported questions: documents by name, spans checked against their text, texts looked up."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from evaluation.exchange.problems import RowError
from evaluation.types import DraftEvidence
from rag_pipeline.places import find_exact, find_spaced
from rag_pipeline.types import SourceDoc, Span

_ID = re.compile(r"(?P<document>.+):(?P<start>\d+)-(?P<end>\d+)")
_QUOTED = 60


class Documents:
    """The documents of a corpus, as a file of questions names them."""

    def __init__(self, documents: Sequence[SourceDoc]) -> None:
        self.documents = list(documents)
        self.by_name = {document.name: document for document in documents}

    def named(self, name: str) -> SourceDoc:
        """Return the document with this file name, with or without extension. Raises RowError."""
        exact = self.by_name.get(name)
        if exact is not None:
            return exact
        alike = [each for each in self.documents if name in (each.name, PurePath(each.name).stem)]
        if not alike:
            alike = [each for each in self.documents if PurePath(each.name).stem == PurePath(name).stem]
        if len(alike) == 1:
            return alike[0]
        if alike:
            raise RowError(f"“{name}” may be {' or '.join(each.name for each in alike)}; give the extension too.")
        there = ", ".join(each.name for each in self.documents[:5]) or "none"
        more = " …" if len(self.documents) > 5 else ""
        raise RowError(f"there is no document “{name}” in the corpus (there: {there}{more}). Ingest it first.")

    def span(self, name: str, start: Any, end: Any, text: str | None = None) -> DraftEvidence:
        """Return the evidence at two offsets; where its text is given it must stand there. Raises RowError."""
        document = self.named(name)
        first, last = whole_number(start, "start"), whole_number(end, "end")
        if not 0 <= first < last <= len(document.text):
            raise RowError(
                f"the span {first} to {last} does not lie within “{document.name}”, "
                f"which has {len(document.text)} characters."
            )
        found = document.text[first:last]
        if not found.strip():
            raise RowError(f"there is only white space at {first} to {last} of “{document.name}”.")
        if text and _plain_lines(text) != found:
            raise RowError(self._mismatch(document, first, last, text))
        return DraftEvidence(Span(document.id, first, last), found)

    def named_span(self, value: Any) -> DraftEvidence:
        """Return the evidence of an object that `Span.as_named_json` made. Raises RowError."""
        if not isinstance(value, dict) or not {"document", "start", "end"} <= value.keys():
            raise RowError("spans is not a list of objects with document, start and end.")
        return self.span(str(value["document"]), value["start"], value["end"])

    def find(self, text: str, name: str = "") -> DraftEvidence:
        """Return where a text stands, in one document or anywhere in the corpus. Raises RowError."""
        documents = [self.named(name)] if name else self.documents
        wanted = _plain_lines(text).strip()
        for finder in (find_exact, find_spaced):  # copied texts often have other line breaks than their source
            for document in documents:
                for start, end in finder(document.text, wanted):
                    return DraftEvidence(Span(document.id, start, end), document.text[start:end])
        place = f"“{name}”" if name else "any document of the corpus"
        raise RowError(f"the context “{quoted(wanted)}” does not stand in {place}.")

    def by_id(self, context_id: str, text: str = "") -> DraftEvidence | None:
        """Return the evidence of an id such as `handbook.md:10-80`; None where it is no such id. Raises RowError."""
        match = _ID.fullmatch(context_id)
        if match is None:
            return None
        return self.span(match["document"], match["start"], match["end"], text or None)

    def _mismatch(self, document: SourceDoc, start: int, end: int, text: str) -> str:
        at = document.text.find(_plain_lines(text))
        where = f"it stands at {at} to {at + len(_plain_lines(text))}" if at >= 0 else "it stands nowhere in it"
        return (
            f"“{document.name}” has “{quoted(document.text[start:end])}” at {start} to {end}, "
            f"not the context given, “{quoted(text)}”: {where}."
        )


def whole_number(value: Any, name: str) -> int:
    """Return a whole number given as number or text. Raises RowError."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and re.fullmatch(r"\s*\d{1,12}(\.0+)?\s*", value):
        return int(float(value))
    raise RowError(f"{name} is “{quoted(str(value))}”, not a whole number.")


def quoted(text: str) -> str:
    """Return the beginning of a text on one line."""
    line = " ".join(text.split())
    return line if len(line) <= _QUOTED else f"{line[:_QUOTED]}…"


def _plain_lines(text: str) -> str:
    """Spreadsheets save line breaks inside a cell as CRLF; extracted text has LF only."""
    return text.replace("\r\n", "\n")
