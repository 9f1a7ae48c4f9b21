"""Lexical: precision and recall of the answer's words together."""

from __future__ import annotations

from evaluation.metrics.base import metrics
from evaluation.metrics.overlap import ReferenceOverlap, f_measure, share, tokens_of
from evaluation.metrics.worked import WorkedExample


@metrics.register
class TokenF1(ReferenceOverlap):
    """Harmonic mean of token precision and token recall against the same reference."""

    key = "token_f1"
    label = "Token F1"
    known_as = {"unitxt": ("metrics.rag.response_generation.correctness.token_overlap",)}
    help = "Agreement of the answer's words with the reference's, both ways."
    formula = "2 · precision · recall / (precision + recall), by tokens"
    source = "Rajpurkar et al. 2016 (SQuAD)"
    people = "AUROC .841 (.658 to .954) on 96 answers of instruct-qa, right or wrong"
    cannot_see = "the order of words, negations and synonyms: it counts common words"
    worked = WorkedExample(
        0.75,
        "Precision 3/3, recall 3/5: 2 · 1 · 0.6 / 1.6.",
        answer="Born in 1815.",
        references=("born in London in 1815",),
    )

    def compare(self, answer: str, reference: str) -> float | None:
        """Return F1 against one reference."""
        given, wanted = tokens_of([answer]), tokens_of([reference])
        return f_measure(share(wanted, given), share(given, wanted)) if wanted else None
