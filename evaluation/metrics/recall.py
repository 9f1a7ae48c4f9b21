"""Headline score: agreement of the answer with the reference, on simple questions."""

from __future__ import annotations

from evaluation.metrics.base import AgreementMetric, metrics
from evaluation.metrics.worked import WorkedExample


@metrics.register
class Recall(AgreementMetric):
    """The chosen agreement on simple questions; a refusal scores 0."""

    key = "recall"
    label = "Recall"
    help = "How well answers to simple questions agree with their references; a refusal scores 0."
    group = "headline"
    kinds = frozenset({"simple"})
    formula = "mean agreement of answer and reference over simple questions"
    source = "Ours; see the chosen agreement"
    worked = WorkedExample(
        0.6,
        "The token recall of a simple question: 3 of the 5 tokens of the reference are in the answer.",
        answer="She was born in 1815.",
        references=("born in London in 1815",),
    )
