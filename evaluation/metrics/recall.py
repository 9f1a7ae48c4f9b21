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
    cannot_see = "what the chosen agreement cannot see"
    people = "that of the chosen agreement"
    worked = WorkedExample(
        1.0,
        "The correctness (offline) of a simple question: the answer has all of the reference.",
        answer="Ada Lovelace was born in London in 1815.",
        references=("London",),
    )
