"""What the lexical metrics share: tokens in common, and the best of several references."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from typing import ClassVar

from evaluation.metrics.base import Metric, MetricContext
from evaluation.tokens import squad_tokens
from evaluation.types import Sample, Score

Tokens = Counter[str]
NO_TOKENS = "no reference answer has a word to compare"


def tokens_of(texts: Sequence[str]) -> Tokens:
    """Return the tokens of several texts together, as a multiset."""
    return Counter(token for text in texts for token in squad_tokens(text))


def share(part: Tokens, whole: Tokens) -> float:
    """Return which share of `whole` is also in `part`; 0 where `whole` is empty."""
    return (part & whole).total() / whole.total() if whole else 0.0


def f_measure(precision: float, recall: float) -> float:
    """Return the harmonic mean; 0 where both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


class ReferenceOverlap(Metric):
    """Base of metrics that compare the answer's words with those of a reference; the best reference counts."""

    group: ClassVar[str] = "lexical"
    kinds: ClassVar[frozenset[str]] = frozenset({"simple", "complex"})
    needs: ClassVar[frozenset[str]] = frozenset({"reference"})

    @abstractmethod
    def compare(self, answer: str, reference: str) -> float | None:
        """Return the score against one reference; None where that has no word."""

    def score(self, sample: Sample, context: MetricContext) -> Score:
        """Return the best score over the references; null when none of them has a word."""
        return best_reference(sample, self.compare)


def best_reference(sample: Sample, compare: Callable[[str, str], float | None]) -> Score:
    """Return the best of all references, with the one that it is."""
    best: tuple[float, str] | None = None
    for reference in sample.reference_answers:
        value = compare(sample.trace.answer, reference)
        if value is not None and (best is None or value > best[0]):
            best = value, reference
    if best is None:
        return Score.unscored(NO_TOKENS)
    return Score(best[0], "", {"reference": best[1]})
