"""Verbatim repeats of the evidence: the same text elsewhere is as good for an answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from evaluation.quotes import find_exact
from rag_pipeline.types import Span


def repeats_within(evidence: Span, text: str, areas: Iterable[Span], texts: Mapping[int, str]) -> tuple[Span, ...]:
    """Return the verbatim repeats of `text`, the evidence, that overlap one of the `areas` (retrieved chunks).

    Only what a chunk covers can change a score, so only the chunks and their surroundings are read, not the corpus:
    the cost does not grow with it. `texts` holds the documents' texts by id.
    """
    if not text.strip():
        return ()
    found: set[Span] = set()
    for area in areas:
        document = texts.get(area.document_id)
        if document is not None and len(area):
            reach = len(text) - 1
            window = (max(0, area.start - reach), min(len(document), area.end + reach))
            found.update(Span(area.document_id, *place) for place in find_exact(document, text, *window))
    found.discard(evidence)
    return tuple(sorted(found))


def repeats_of(
    evidence: Sequence[Span], evidence_texts: Sequence[str], areas: Sequence[Span], texts: Mapping[int, str]
) -> tuple[tuple[Span, ...], ...]:
    """Return the repeats of each evidence span, in order: `Sample.equivalents`."""
    return tuple(repeats_within(span, text, areas, texts) for span, text in zip(evidence, evidence_texts, strict=True))
