"""What the lexical metrics share: tokens in common, and the best of several references."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain
from typing import ClassVar

from evaluation.metrics.base import Metric, MetricContext
from evaluation.types import Sample, Score
from rag_pipeline.english.tokens import UNSPACED_CHARACTER, squad_tokens

Tokens = Counter[str]
_TEXTS_KEPT, _LONGEST_KEPT = 2048, 2000
"""Texts whose tokens are kept, more than a block of rows has of answers and references; characters of such a text."""
NO_TOKENS = "no reference answer has a word to compare"
UNTELLABLE = (
    "the words of this script are not set apart by spaces, so that they cannot be compared: "
    "use semantic_similarity or correctness_offline, with an embedding model that knows the script, or a judge"
)


def tokens_of(texts: Sequence[str]) -> Tokens:
    """Return the tokens of several texts together, as a multiset that is not to be changed."""
    return _counted(texts[0]) if len(texts) == 1 else Counter(chain.from_iterable(map(tokens_in, texts)))


def tokens_in(text: str) -> tuple[str, ...]:
    """Return the tokens of a text in order; what several metrics ask for is taken apart once."""
    return _kept(text) if len(text) <= _LONGEST_KEPT else tuple(squad_tokens(text))


@lru_cache(maxsize=_TEXTS_KEPT)
def _kept(text: str) -> tuple[str, ...]:
    return tuple(squad_tokens(text))


@lru_cache(maxsize=_TEXTS_KEPT)
def _counted(text: str) -> Tokens:
    return Counter(tokens_in(text))


def shared(one: Tokens, other: Tokens) -> int:
    """Return how many tokens two multisets have in common."""
    fewer, more = (one, other) if len(one) < len(other) else (other, one)
    return sum([min(fewer[token], more[token]) for token in fewer.keys() & more.keys()])


def share(part: Tokens, whole: Tokens) -> float:
    """Return which share of `whole` is also in `part`; 0 where `whole` is empty."""
    return shared(part, whole) / whole.total() if whole else 0.0


def untellable(one: Tokens, other: Tokens) -> bool:
    """Tell whether what two texts do not share may yet be the same words.

    So it is where both have runs of a script without spaces, and no such run in common that would show that somebody
    has set the words apart.
    """
    fewer, more = (one, other) if len(one) < len(other) else (other, one)
    if not (_has_runs(fewer) and _has_runs(more)):
        return False
    return all(_has_runs(left) for left in (one - other, other - one)) and not _has_runs(one & other)


def _has_runs(tokens: Tokens) -> bool:
    text = " ".join(tokens)
    return not text.isascii() and UNSPACED_CHARACTER.search(text) is not None


def any_untellable(sample: Sample) -> bool:
    """Tell whether that holds for the answer and one of its references."""
    if sample.trace.answer.isascii():
        return False
    answer = tokens_of([sample.trace.answer])
    return any(untellable(answer, tokens_of([reference])) for reference in sample.reference_answers)


def f_measure(precision: float, recall: float) -> float:
    """Return the harmonic mean; 0 where both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


class ReferenceOverlap(Metric):
    """Base of metrics that compare the answer's words with those of a reference; the best reference counts.

    `by_words`: False where whole texts are compared, so that it does not matter where their words begin.
    """

    group: ClassVar[str] = "lexical"
    kinds: ClassVar[frozenset[str]] = frozenset({"simple", "complex"})
    needs: ClassVar[frozenset[str]] = frozenset({"reference"})
    by_words: ClassVar[bool] = True

    @abstractmethod
    def compare(self, answer: str, reference: str) -> float | None:
        """Return the score against one reference; None where that has no word."""

    def score(self, sample: Sample, context: MetricContext) -> Score:
        """Return the best score over the references; null when none of them has a word, or words cannot be told."""
        score = best_reference(sample, self.compare)
        if self.by_words and score.value is not None and score.value < 1 and any_untellable(sample):
            return Score.unscored(UNTELLABLE)
        return score


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
