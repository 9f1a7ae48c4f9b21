"""Lexical: how much of the answer's words are the reference's."""

from __future__ import annotations

from evaluation.metrics.base import metrics
from evaluation.metrics.overlap import ReferenceOverlap, share, tokens_of
from evaluation.metrics.worked import WorkedExample


@metrics.register
class TokenPrecision(ReferenceOverlap):
    """Share of the answer's tokens that the reference has; 0 for an answer without tokens."""

    key = "token_precision"
    label = "Token precision"
    help = "Share of the answer's words that the reference has; long answers score low."
    formula = "tokens common to answer and reference / tokens of the answer, as multisets"
    source = "Rajpurkar et al. 2016 (SQuAD)"
    cannot_see = "what the answer leaves out; the order of words, negations and synonyms"
    people = "AUROC .839 (.653 to .951) on 96 answers of instruct-qa, right or wrong"
    worked = WorkedExample(
        0.6,
        "3 of the 5 tokens of the answer (born, in, 1815) are in the reference: 3/5.",
        answer="She was born in 1815.",
        references=("born in London in 1815",),
    )

    def compare(self, answer: str, reference: str) -> float | None:
        """Return the precision against one reference."""
        wanted = tokens_of([reference])
        return share(wanted, tokens_of([answer])) if wanted else None
