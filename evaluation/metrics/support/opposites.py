"""Whether two short texts say different things of one matter: another weekday, colour or number, or the opposite."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.metrics.support.negation import contradict, denied
from evaluation.metrics.support.units import NUMBER, SMALL, AnalysedSentence, SupportUnit, analyse_sentences
from rag_pipeline.english.siblings import exclude

_SAME_MATTER = 0.5
"""Share of a sentence's units that another must have for the two to be about the same."""


def opposed(reference: str, answer: str, question: str) -> str:
    """Return in words what of the answer excludes the reference; empty where nothing does.

    That is an antonym or another word of the same kind where the answer lacks a word of the reference, another number
    where it lacks a number, and a negation in one of two sentences on the same matter. A word that is denied on one
    side alone excludes nothing: *not allowed* is *prohibited*.
    """
    wanted, said = (list(_units(text)) for text in (reference, answer))
    asked = {unit.key for unit, _ in _units(question)}
    keys = [{unit.key for unit, _ in units} for units in (wanted, said)]
    for unit, denies in wanted:
        for other, denies_too in said:
            if unit.key not in keys[1] and other.key not in keys[0] and denies == denies_too:
                numbers = unit.kind == other.kind == NUMBER and not {unit.key, other.key} & asked
                if numbers or exclude(unit.key, other.key):
                    return f"{other.text} for {unit.text}"
    return "one of the two denies it" if _denied(reference, answer) else ""


def _units(text: str) -> Iterator[tuple[SupportUnit, bool]]:
    """Yield the units of a text without function words, and whether its sentence denies them."""
    for sentence in analyse_sentences(text):
        negated = denied(sentence)
        yield from ((unit, unit.key in negated) for unit in sentence.units if unit.kind != SMALL)


def _denied(reference: str, answer: str) -> bool:
    """True where a sentence of the reference is denied by that of the answer which has most of its units."""
    theirs = analyse_sentences(answer)
    return any(_denied_by(sentence, theirs) for sentence in analyse_sentences(reference))


def _denied_by(sentence: AnalysedSentence, others: tuple[AnalysedSentence, ...]) -> bool:
    keys = {unit.key for unit in sentence.units if unit.kind != SMALL}
    shared = [(len(keys & {unit.key for unit in other.units}), not contradict(sentence, other)) for other in others]
    most, agrees = max(shared, default=(0, True))
    return bool(keys) and not agrees and most >= _SAME_MATTER * len(keys)
