"""What a sentence denies, and whether two sentences contradict each other by it."""

from __future__ import annotations

from functools import lru_cache

from evaluation.metrics.support.units import SMALL, SPEAKER, AnalysedSentence, SentenceUnits, SupportUnit, plain
from rag_pipeline.english.words import word_set

_CUES = word_set("not no never nor neither none nobody nothing without cannot n't hardly unable")
_REACH = 2
"""So many units after the cue are denied."""
_NOTHING: frozenset[str] = frozenset()


def denies(unit: SupportUnit) -> bool:
    """True for a negation."""
    return _is_cue(unit.text)


@lru_cache(maxsize=50_000)
def _is_cue(said: str) -> bool:
    word = plain(said)
    return word in _CUES or word.endswith("n't")


@lru_cache(maxsize=4096)
def denied(said: SentenceUnits, asked: frozenset[str] = _NOTHING) -> frozenset[str]:
    """Return the keys of the units that stand right after a negation.

    `asked`: what the question denies. A sentence that repeats it (why it is not allowed) denies that and no more.
    """
    found, left = set(), 0
    for unit in said.units:
        if denies(unit):
            left = _REACH
        elif left and unit.kind not in (SMALL, SPEAKER):
            found.add(unit.key)
            left = 0 if left == _REACH and unit.key in asked else left - 1
    return frozenset(found)


def contradict(one: AnalysedSentence, other: AnalysedSentence, asked: frozenset[str] = _NOTHING) -> bool:
    """True when one denies what the other states of the same thing; `asked`: what the question denies."""
    mine, theirs = denied(one.said, asked), denied(other.said, asked)
    return mine != theirs and not (mine ^ theirs).isdisjoint(one.said.keys & other.said.keys)
