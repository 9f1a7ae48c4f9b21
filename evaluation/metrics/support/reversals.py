"""Sentences that tell the other way round what their evidence tells: roles exchanged, or one of the two denies it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from evaluation.language import language_of
from evaluation.metrics.support.denials import Denials, read_denials
from evaluation.metrics.support.negation import denies
from evaluation.metrics.support.roles import Roles, exchanged, read_roles
from evaluation.metrics.support.units import AnalysedSentence
from rag_pipeline.english.trees import parse

_DENIED = "one of the two denies it"
_ENGLISH = ("en", "")
Pair = tuple[AnalysedSentence, AnalysedSentence]


@dataclass(frozen=True, slots=True)
class _Told:
    roles: Roles
    denials: Denials


class Reversals:
    """Compares sentences with their evidence; `learn` parses what is new in one go.

    Of texts that are not English, and have no trees here, nothing is told; `unread` says which those are.
    """

    def __init__(self) -> None:
        self._told: dict[str, _Told] = {}
        self._foreign: set[tuple[str, str]] = set()

    def learn(self, pairs: Iterable[Pair]) -> None:
        """Parse the sentences of those English pairs that deny something, or whose words stand in another order."""
        turned = [pair for pair in pairs if _reordered(*pair) or _denying(*pair)]
        wanted = [pair for pair in turned if _is_english(pair[1].text)]
        self._foreign.update((one.text, other.text) for one, other in turned if not _is_english(other.text))
        new = {each.text: each for pair in wanted for each in pair if each.text not in self._told}
        for (text, sentence), tree in zip(new.items(), parse(new, names=False) if new else (), strict=True):
            self._told[text] = _Told(read_roles(sentence, tree), read_denials(sentence, tree))

    def unread(self, said: AnalysedSentence, evidence: AnalysedSentence) -> bool:
        """Tell whether roles or denials may differ, and cannot be read as the evidence is not English."""
        return (said.text, evidence.text) in self._foreign

    def between(self, said: AnalysedSentence, evidence: AnalysedSentence) -> str:
        """Return in words what `said` turns round, empty where that is nothing, cannot be told, or is only asked."""
        if said.text.endswith("?"):
            return ""
        mine, theirs = self._told.get(said.text), self._told.get(evidence.text)
        if not mine or not theirs:
            return ""
        for one, other in exchanged(mine.roles, theirs.roles) if _reordered(said, evidence) else ():
            return f"{_written(one, said)} stands where the evidence has {_written(other, said)}"
        return _DENIED if mine.denials.contradict(theirs.denials) else ""


def _written(key: str, sentence: AnalysedSentence) -> str:
    return next((unit.text for unit in sentence.units if unit.key == key), key)


def _reordered(said: AnalysedSentence, evidence: AnalysedSentence) -> bool:
    """True where `said` is not the evidence with words left out; *by* left out may turn it round."""
    rest = iter(unit.text.lower() for unit in evidence.units)
    skipped = []
    for unit in said.units:
        for word in rest:
            if word == unit.text.lower():
                break
            skipped.append(word)
        else:
            return True
    return "by" in skipped


def _denying(*sentences: AnalysedSentence) -> bool:
    return any(denies(unit) for sentence in sentences for unit in sentence.units)


@lru_cache(maxsize=4096)
def _is_english(text: str) -> bool:
    return language_of(text) in _ENGLISH
