"""Headline score: agreement of the answer with the reference, on complex questions."""

from __future__ import annotations

from evaluation.metrics.base import AgreementMetric, metrics
from evaluation.metrics.worked import WorkedExample


@metrics.register
class Robustness(AgreementMetric):
    """The chosen agreement on complex questions, the twins of simple ones; a refusal scores 0."""

    key = "robustness"
    label = "Robustness"
    help = "How well answers to complex questions agree with their references; a refusal scores 0."
    group = "headline"
    kinds = frozenset({"complex"})
    formula = "mean agreement of answer and reference over complex questions"
    source = "Ours; see the chosen agreement"
    cannot_see = "what the chosen agreement cannot see"
    people = "that of the chosen agreement"
    worked = WorkedExample(
        1.0,
        "The correctness (offline) of a complex question: the answer has all of the reference.",
        answer="Ada Lovelace was born in London in 1815.",
        references=("London",),
        kind="complex",
    )
