"""Characters that evidence and contexts share, white space not counted."""

from __future__ import annotations

from evaluation.metrics.context_matching import Position, covered_positions, evidence_positions
from evaluation.types import Sample


def context_positions(sample: Sample) -> set[Position]:
    """Return the characters of all contexts, each once."""
    return {
        (context.span.document_id, context.span.start + offset)
        for context in sample.trace.contexts
        for offset, character in enumerate(context.text)
        if not character.isspace()
    }


def gold_in_contexts(sample: Sample, contexts: set[Position]) -> int:
    """Return how many of the contexts' characters are evidence, or a verbatim repeat of it."""
    copies = [copy for copies in sample.evidence_copies for copy in copies]
    return len({(copy.document_id, place) for copy in copies for place in range(copy.start, copy.end)} & contexts)


def missing_evidence(sample: Sample) -> int:
    """Return how many characters of the evidence no context holds."""
    wanted = evidence_positions(sample)
    return len(wanted - covered_positions(sample, wanted))
