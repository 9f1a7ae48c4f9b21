"""Headline score: agreement of the answer with the reference, on simple questions."""

from __future__ import annotations

from evaluation.metrics.base import AgreementMetric, metrics


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
