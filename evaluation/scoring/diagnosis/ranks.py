"""How far down the evidence lies: its rank among all chunks, and whether any chunk holds it whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from evaluation.metrics.context_matching import Position, evidence_positions
from evaluation.types import Sample
from rag_pipeline.types import Hit, Span


@dataclass(frozen=True, slots=True)
class EvidenceRank:
    """Where the evidence lies in a ranking of chunks.

    `whole`: each piece of the evidence lies whole in some chunk. `rank`: how many chunks it takes to have every missing
    piece whole, None where they were not found within the `looked` first. `needed`: how many it takes to hold enough of
    the evidence, in pieces or whole; None likewise. `chunk`: the chunk at `rank`.
    """

    whole: bool
    rank: int | None
    needed: int | None
    looked: int
    chunk: Span | None = None

    @property
    def found(self) -> bool:
        """True when looking further down would tell nothing new."""
        return self.needed is not None and (self.rank is not None or not self.whole)


def evidence_rank(
    sample: Sample,
    missing: Sequence[int],
    hits: Sequence[Hit],
    texts: Mapping[int, str],
    in_some_chunk: Callable[[Span], bool],
    threshold: float,
) -> EvidenceRank:
    """Look for the evidence in `hits`, the ranked chunks.

    `missing`: numbers of the evidence spans that the contexts do not hold. `in_some_chunk` tells whether any chunk of
    the index holds a span whole; a chunk with a verbatim repeat of it counts too once it is among the hits.
    `threshold`: share of the evidence's characters that is enough.
    """
    wanted = evidence_positions(sample)
    held: dict[int, Hit] = {}
    got: set[Position] = set()
    needed = None
    for hit in hits:
        got |= _evidence_in(hit, sample, texts, held)
        if needed is None and len(got & wanted) >= threshold * len(wanted):
            needed = hit.rank
        if needed is not None and held.keys() >= set(missing):
            break
    whole = all(number in held or in_some_chunk(sample.evidence[number]) for number in missing)
    last = _last_of(missing, held)
    return EvidenceRank(whole, last.rank if last else None, needed, len(hits), last.span if last else None)


def _last_of(missing: Sequence[int], held: Mapping[int, Hit]) -> Hit | None:
    """Return the chunk that holds the last of the missing pieces whole; None where not all of them are held."""
    if not held.keys() >= set(missing):
        return None
    return max((held[number] for number in missing), key=lambda hit: hit.rank, default=None)


def _evidence_in(hit: Hit, sample: Sample, texts: Mapping[int, str], held: dict[int, Hit]) -> set[Position]:
    """Return the evidence that a chunk adds to what is `held` whole, and note there what it holds whole."""
    got: set[Position] = set()
    for number, span in enumerate(sample.evidence):
        if number in held:
            continue
        whole = hit.span.holds(span) or sample.evidence_texts[number] in hit.span.text_in(texts)
        if whole:
            held[number] = hit
        got.update(_shared(span if whole else hit.span, span))
    return got


def missing_pieces(sample: Sample, covered: set[Position], threshold: float) -> list[int]:
    """Return which evidence spans are held for less than `threshold`; all of them where each by itself is held."""
    missing = []
    for number, (span, text) in enumerate(zip(sample.evidence, sample.evidence_texts, strict=True)):
        own = {(span.document_id, span.start + at) for at, letter in enumerate(text) if not letter.isspace()}
        if own and len(own & covered) < threshold * len(own):
            missing.append(number)
    return missing or list(range(len(sample.evidence)))


def _shared(one: Span, other: Span) -> list[Position]:
    if one.document_id != other.document_id:
        return []
    return [(one.document_id, at) for at in range(max(one.start, other.start), min(one.end, other.end))]
