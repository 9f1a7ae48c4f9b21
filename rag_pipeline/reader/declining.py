"""Whether the evidence is good enough to answer."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from rag_pipeline.reader.evidence import Evidence
from rag_pipeline.reader.matching import tagged
from rag_pipeline.reader.scoring import Choice
from rag_pipeline.reader.weights import DECLINE, DECLINE_BIAS
from rag_pipeline.reader.words import Word, word_list

_NEGATIONS = frozenset({"not", "never", "no", "nor", "without", "except", "cannot"})


def margin(evidence: Evidence, choice: Choice) -> float:
    """Return how far the evidence is above (positive) or below (negative) what an answer needs."""
    return DECLINE_BIAS + sum(DECLINE[name] * value for name, value in signals(evidence, choice).items())


def signals(evidence: Evidence, choice: Choice) -> dict[str, float]:
    """Return what speaks for and against an answer.

    `cosine` of question and chosen sentence; `closest`: the best cosine of any sentence; `missing`: the weightiest word
    of the question that neither the chosen sentence nor the one before it holds; `contradicted`: the sentence has an
    antonym instead of a word of the question; `negated`: the question is negated and the sentence is not.
    """
    asked = tagged(evidence.question.core).words
    said = tagged(choice.passage.text).words
    return {
        "cosine": float(evidence.cosines[choice.place]),
        "closest": float(evidence.cosines.max()),
        "missing": _weightiest_missing(evidence, choice),
        "contradicted": float(_contradicts(asked, said)),
        "negated": float(_negated(asked) and not _negated(said)),
    }


def _weightiest_missing(evidence: Evidence, choice: Choice) -> float:
    here, before = evidence.matches[choice.place], evidence.matches.get(choice.passage.before)
    held = [here.found, before.found if before else {}]
    weights = evidence.question.weights.items()
    return max((weight - max(found.get(stem, 0.0) for found in held) for stem, weight in weights), default=0.0)


def _contradicts(asked: Iterable[Word], said: Iterable[Word]) -> bool:
    """True when one word asked about is absent and its antonym is there, and was not asked about."""
    question, sentence = {word.lower for word in asked}, {word.lower for word in said}
    return any((antonyms().get(word, frozenset()) - question) & sentence for word in question - sentence)


def _negated(words: Iterable[Word]) -> bool:
    return any(word.lower in _NEGATIONS or word.lower.endswith(("n't", "n’t")) for word in words)


@cache
def antonyms() -> dict[str, frozenset[str]]:
    """Return the shipped antonyms of each word."""
    pairs = [line.split() for line in word_list("antonyms")]
    both = [*pairs, *([other, one] for one, other in pairs)]
    return {word: frozenset(other for one, other in both if one == word) for word, _ in both}
