"""Lexical: the longest common subsequence of answer and reference."""

from __future__ import annotations

import re

from evaluation.metrics.base import metrics
from evaluation.metrics.overlap import ReferenceOverlap, f_measure
from evaluation.metrics.worked import WorkedExample

_WORD = re.compile(r"[^\W_]+")


@metrics.register
class RougeL(ReferenceOverlap):
    """F-measure of the longest common subsequence of words, in lower case, punctuation left out, nothing stemmed.

    Equal to rouge-score without its stemmer; that one knows no letters beyond a to z, here every script has words.
    """

    key = "rouge_l"
    label = "ROUGE-L"
    known_as = {"RAGAS": ("RougeScore",)}
    help = "How much of answer and reference is the same words in the same order."
    formula = "F1 of LCS / words of the answer and LCS / words of the reference"
    source = "Lin 2004"
    people = "AUROC .820 (.628 to .940) on 96 answers of instruct-qa, right or wrong"
    cannot_see = "negations, synonyms, and the same said in another order, which it takes for different"
    worked = WorkedExample(
        0.6,
        "The longest common subsequence is “born in London”, 3 words; 3/5 of the answer and 3/5 of the reference.",
        answer="born in 1815 in London",
        references=("born in London in 1815",),
    )

    def compare(self, answer: str, reference: str) -> float | None:
        """Return the F-measure against one reference."""
        from rapidfuzz.distance import LCSseq  # compiled code that no other page or command needs at its start

        given, wanted = _WORD.findall(answer.lower()), _WORD.findall(reference.lower())
        if not wanted:
            return None
        common = LCSseq.similarity(given, wanted)
        return f_measure(common / len(given), common / len(wanted)) if given else 0.0
