"""Which ranks of a retrieval hold gold: by ids where they are given, else by spans."""

from __future__ import annotations

from dataclasses import dataclass

from evaluation.metrics.once import once_a_sample
from evaluation.types import Sample
from rag_pipeline.types import Span


@dataclass(frozen=True, slots=True)
class Ranks:
    """`gains[r]`: how many gold ids rank r + 1 is the first to hold; `gold`: how many there are in all.

    `asked`: how many ranks were asked for, None where that is not known.
    """

    gains: tuple[int, ...]
    gold: int
    asked: int | None = None

    @property
    def hits(self) -> list[bool]:
        """Tell for each rank whether it holds gold."""
        return [gain > 0 for gain in self.gains]


@once_a_sample
def ranks_of(sample: Sample) -> Ranks | None:
    """Return the ranks of a sample; None where nothing says what is gold.

    By ids: an id that comes again is dropped, its first rank kept. By spans: a context is gold when it covers at least
    half of an evidence span (or of its verbatim repeat); only the first hit of a span counts.
    """
    if sample.context_ids is not None:
        gold = set(sample.reference_context_ids)
        found = list(dict.fromkeys(sample.context_ids))
        return Ranks(tuple(int(each in gold) for each in found), len(gold)) if gold else None
    if not sample.evidence:
        return None
    left = sample.evidence_copies
    gains = []
    for context in sample.trace.contexts:
        missed = [copies for copies in left if not _covers(context.span, copies)]
        gains.append(len(left) - len(missed))
        left = missed
    return Ranks(tuple(gains), len(sample.evidence))


def _covers(context: Span, copies: tuple[Span, ...]) -> bool:
    return any(
        copy.document_id == context.document_id
        and 2 * max(0, min(copy.end, context.end) - max(copy.start, context.start)) >= max(1, len(copy))
        for copy in copies
    )
