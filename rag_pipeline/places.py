"""Where a text stands in another, exactly or whatever the white space, and where in a whole corpus."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import PurePath

from rag_pipeline.types import SourceDoc, Span

Place = tuple[int, int]
"""First character, and the one after the last."""


def find_exact(text: str, quote: str, start: int = 0, end: int | None = None) -> Iterator[Place]:
    """Yield where `quote` stands in `text[start:end]` letter by letter, overlapping places too."""
    at = text.find(quote, start, end)
    while at >= 0:
        yield at, at + len(quote)
        at = text.find(quote, at + 1, end)


def find_spaced(text: str, quote: str, start: int = 0, end: int | None = None) -> Iterator[Place]:
    """Yield where `quote` stands in `text[start:end]`, one place after the other; white space may differ."""
    words = quote.split()
    if words:
        pattern = re.compile(r"\s+".join(map(re.escape, words)))
        yield from (match.span() for match in pattern.finditer(text, start, len(text) if end is None else end))


class CorpusPlaces:
    """Finds passages in the documents of a corpus, by id; what was found is kept."""

    def __init__(self, documents: Mapping[int, SourceDoc]) -> None:
        self._documents = documents
        self._by_name = {name: doc for doc in documents.values() for name in (PurePath(doc.name).stem, doc.name)}
        self._known: dict[tuple[str, str, int | None], Span | None] = {}

    def find(self, text: str, source: str = "", start: int | None = None) -> Span | None:
        """Return where a passage stands, None where it does not, or is blank.

        `source`: the name or path of its document, `start` its offset there, where somebody says so: they are looked at
        first. Of several places the first counts; white space may differ where it stands nowhere letter by letter.
        """
        key = text, source, start
        if key not in self._known:
            self._known[key] = self._found(*key)
        return self._known[key]

    def name_of(self, span: Span) -> str:
        """Return the name of the document that holds a place."""
        return self._documents[span.document_id].name

    def _found(self, text: str, source: str, start: int | None) -> Span | None:
        wanted = text.replace("\r\n", "\n").strip()
        if not wanted:
            return None
        path = PurePath(source)
        named = self._by_name.get(path.name) or self._by_name.get(path.stem)
        if named and start is not None and named.text.startswith(text, start):
            return Span(named.id, start, start + len(text))
        documents = [*([named] if named else []), *self._documents.values()]
        longest = max(wanted.split(), key=len)
        for finder in (find_exact, find_spaced):
            for doc in documents:
                # Where its longest word does not stand, no pattern need be tried.
                place = next(finder(doc.text, wanted), None) if longest in doc.text else None
                if place is not None:
                    return Span(doc.id, *place)
        return None


def passages_in(documents: Mapping[int, SourceDoc], spans: Collection[Span]) -> dict[int, SourceDoc]:
    """Return by id the documents that some spans point into which belong to no corpus: see `SourceDoc.of_passage`."""
    wanted = {span.document_id for span in spans if span.document_id < 0}
    return {each: documents[each] for each in sorted(wanted) if each in documents}
