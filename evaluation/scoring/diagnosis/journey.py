"""The way of the evidence through the stored steps of retrieval: how much of it each step left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from evaluation.metrics.context_matching import covered_by, evidence_positions
from evaluation.quotes import repeats_of
from evaluation.types import Sample
from rag_pipeline.types import Hit, Span, Step

RETRIEVED = "retrieve"
CUTTING = ("rerank", "consolidate", "budget")
"""Steps that can drop what was retrieved."""


@dataclass(frozen=True, slots=True)
class StageSight:
    """What a step left: the share of the evidence, and how many of its hits it takes to hold enough of it.

    `needed` is None where all of them together hold too little.
    """

    name: str
    share: float
    needed: int | None


@dataclass(frozen=True)
class EvidenceSight:
    """An answered question's evidence, to be looked for in spans.

    `texts`: of the documents, by id, for verbatim repeats of the evidence. `threshold`: share of the evidence from
    which it counts as held.
    """

    sample: Sample
    texts: Mapping[int, str]
    threshold: float

    def share(self, spans: Sequence[Span]) -> float:
        """Return the share of the evidence's characters, white space not counted, that the spans hold; 0..1."""
        wanted = evidence_positions(self.sample)
        repeats = repeats_of(self.sample.evidence, self.sample.evidence_texts, spans, self.texts)
        copies = replace(self.sample, equivalents=repeats).evidence_copies
        return len(covered_by(spans, copies) & wanted) / len(wanted) if wanted else 0.0

    def stage(self, name: str, hits: Sequence[Hit]) -> StageSight:
        """Return what a list of hits holds."""
        spans = [hit.span for hit in hits]
        share = self.share(spans)
        if share < self.threshold:
            return StageSight(name, share, None)
        low, high = 1, len(spans)  # the share only grows with the hits: halve
        while low < high:
            middle = (low + high) // 2
            if self.share(spans[:middle]) >= self.threshold:
                high = middle
            else:
                low = middle + 1
        return StageSight(name, share, low)


def journey(sight: EvidenceSight, steps: Sequence[Step], top_k: int) -> list[StageSight]:
    """Return what was retrieved, then what each step left, as far as steps were stored; [] for a single step.

    Retrieved are the chunks that the later steps saw: the candidates of a reranker, else the top k (of the parents,
    where chunks stand for larger passages).
    """
    if len(steps) < 2:
        return []
    by_name = {step.name: step.hits for step in steps}
    seen = by_name.get("parents", by_name.get(RETRIEVED, ()))
    if "rerank" not in by_name:
        return [sight.stage(RETRIEVED, seen[:top_k]), *_later(sight, by_name)]
    ranked = seen if "parents" in by_name else by_name["rerank"]
    whole = StageSight("rerank", sight.share([hit.span for hit in ranked[:top_k]]), sight.stage("", ranked).needed)
    first = sight.stage(RETRIEVED, seen)
    found = sight.stage(RETRIEVED, by_name.get(RETRIEVED, ()))
    return [StageSight(RETRIEVED, first.share, found.needed), whole, *_later(sight, by_name)]


def _later(sight: EvidenceSight, by_name: Mapping[str, Sequence[Hit]]) -> list[StageSight]:
    return [sight.stage(name, by_name[name]) for name in CUTTING[1:] if name in by_name]


def dropped_at(stages: Sequence[StageSight], threshold: float) -> StageSight | None:
    """Return the first step after retrieval that left too little of what was retrieved; None where none did."""
    if not stages or stages[0].share < threshold:
        return None
    return next((stage for stage in stages[1:] if stage.share < threshold), None)
