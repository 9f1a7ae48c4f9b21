"""Lexical: the answer is the reference."""

from __future__ import annotations

from evaluation.metrics.base import metrics
from evaluation.metrics.overlap import ReferenceOverlap, tokens_in
from evaluation.metrics.worked import WorkedExample


@metrics.register
class ExactMatch(ReferenceOverlap):
    """1 where the answer's tokens are those of a reference, in the same order."""

    key = "exact_match"
    label = "Exact match"
    known_as = {"RAGAS": ("ExactMatch",), "DeepEval": ("ExactMatchMetric",)}
    help = "1 where the answer is the reference, but for case, punctuation and articles."
    by_words = False
    formula = "1 if tokens(answer) = tokens(reference) else 0"
    source = "Rajpurkar et al. 2016 (SQuAD)"
    cannot_see = "a right answer in any other words"
    people = "AUROC .667 (.610 to .725) on 96 answers of instruct-qa, right or wrong"
    worked = WorkedExample(
        1.0,
        "Without case, punctuation and “the”, both are “year 1815”.",
        answer="The year 1815!",
        references=("year 1815",),
    )

    def compare(self, answer: str, reference: str) -> float | None:
        """Return 1 or 0."""
        wanted = tokens_in(reference)
        return float(tokens_in(answer) == wanted) if wanted else None
