"""How well contexts support a text, sentence by sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from evaluation.metrics.language.scripts import is_plain_english_script
from evaluation.metrics.support.context_index import ContextIndex, Floats
from evaluation.metrics.support.meaning import CANDIDATES, Meaning, SentenceQuery
from evaluation.metrics.support.negation import contradict, denies
from evaluation.metrics.support.reversals import Reversals
from evaluation.metrics.support.units import SMALL, AnalysedSentence, SentenceUnits, SupportUnit, analyse_sentences
from evaluation.metrics.support.weighting import SCHEME, WeightingScheme
from evaluation.refusal.detection import shipped_pattern, shipped_patterns
from rag_pipeline.embedders.base import Embed

_BLOCK = 250
"""Texts whose contexts are read at once; what was embedded is kept for the next."""
_LONGEST = 500
"""Characters of a sentence in which stock phrases are looked for."""


_CONTRAST = re.compile(r"\b(?:but|however|although|though|yet)\b|[;:]")
"""Behind it a sentence that declines may state something."""


@dataclass(frozen=True)
class SupportCase:
    """A text whose support is asked for, where it may come from, and what was asked."""

    text: str
    contexts: tuple[str, ...]
    question: str = ""


@dataclass(frozen=True)
class SentenceSupport:
    """The support of one sentence, the place of the context and the sentence in it that support it best.

    `missing` are the units, function words left out, that nothing supports; `against`: in words, what the evidence
    says the other way round; `unread`: whether that could not be told, as the evidence is not English.
    """

    sentence: AnalysedSentence
    value: float
    weight: float
    context: int | None
    best: AnalysedSentence | None
    missing: tuple[SupportUnit, ...]
    against: str
    unread: bool

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON, with character offsets in text and context."""
        found: dict[str, Any] = {
            "start": self.sentence.start,
            "end": self.sentence.end,
            "text": self.sentence.text,
            "support": round(self.value, 4),
            "missing": [
                {
                    "start": self.sentence.start + unit.start,
                    "end": self.sentence.start + unit.end,
                    "text": unit.text,
                    "kind": unit.kind,
                }
                for unit in self.missing
            ],
            "contradicted": bool(self.against),
            "against": self.against,
        }
        if self.best is not None:
            found |= {
                "context": self.context,
                "evidence": self.best.text,
                "evidence_start": self.best.start,
                "evidence_end": self.best.end,
            }
        return found


@dataclass(frozen=True)
class Support:
    """The support of a text: `value`, and the sentences that it comes about from.

    `words` are the plain counterpart: all units of the text except negations and courtesy, with those of stock phrases
    and of sentences that state nothing.
    """

    value: float
    sentences: tuple[SentenceSupport, ...]
    text: str
    held: Set[str]
    """The keys of all units of the contexts."""
    scheme: WeightingScheme

    @cached_property
    def words(self) -> tuple[SupportUnit, ...]:
        """The words that are counted as they stand."""
        return tuple(unit for _, unit in self._counted)

    @cached_property
    def _counted(self) -> list[tuple[int, SupportUnit]]:
        """The words, each with where its sentence begins."""
        # A negation stands in nearly every context; whether it is in its place is for the sentences to say.
        return [
            (sentence.start, unit)
            for sentence in analyse_sentences(self.text)
            for unit in _without_courtesy(sentence.said).units
            if not denies(unit)
        ]

    @property
    def absent(self) -> tuple[SupportUnit, ...]:
        """Those of the words that no context has as they stand."""
        return tuple(unit for unit in self.words if unit.key not in self.held)

    @cached_property
    def share_found(self) -> float:
        """The share of the words, by weight, that the contexts have; less of what says the opposite of its evidence."""
        said, turned = self.scheme.said, {each.sentence.start for each in self.sentences if each.against}
        there = sum(
            said(unit) * (self.scheme.contradicted if start in turned else 1.0)
            for start, unit in self._counted
            if unit.key in self.held
        )
        return there / sum(map(said, self.words)) if self.words else 0.0


def support_of(cases: Sequence[SupportCase], embed: Embed, scheme: WeightingScheme = SCHEME) -> list[Support | None]:
    """Return the support of each text; None for one that states nothing. Raises ProviderError."""
    meaning, reversals = Meaning(embed), Reversals()
    found: list[Support | None] = []
    # What the contexts hold takes a hundred times the room of their text.
    for start in range(0, len(cases), _BLOCK):
        found += _block(cases[start : start + _BLOCK], meaning, reversals, scheme)
    return found


def _block(
    cases: Sequence[SupportCase], meaning: Meaning, reversals: Reversals, scheme: WeightingScheme
) -> list[Support | None]:
    known: dict[tuple[str, ...], ContextIndex] = {}
    rows: list[list[SentenceQuery]] = []
    for case in cases:
        if case.contexts not in known:
            known[case.contexts] = ContextIndex.of(case.contexts)
        rows.append([_query(sentence, known[case.contexts], scheme) for sentence in statements(case.text)])
    meaning.learn([query for row in rows for query in row])
    drafts = [_weighed(row, case, meaning, scheme) for row, case in zip(rows, cases, strict=True)]
    reversals.learn(pair for row in drafts for draft in row if (pair := draft.compared(scheme)))
    return [_support(row, case, reversals, scheme) for row, case in zip(drafts, cases, strict=True)]


def _weighed(
    row: Sequence[SentenceQuery], case: SupportCase, meaning: Meaning, scheme: WeightingScheme
) -> list[_WeighedSentence]:
    asked: set[str] = set().union(*(sentence.said.keys for sentence in analyse_sentences(case.question)))
    return [_WeighedSentence.of(query, asked, meaning, scheme) for query in row]


def statements(text: str) -> list[AnalysedSentence]:
    """Return the sentences that state something, without their stock phrases and courtesy."""
    read = (AnalysedSentence(each.start, each.end, _stated(each.said)) for each in analyse_sentences(text))
    return [sentence for sentence in read if sentence.said.content]


@lru_cache(maxsize=4096)
def _stated(said: SentenceUnits) -> SentenceUnits:
    return _without_stock(_without_courtesy(said))


@lru_cache(maxsize=4096)
def _without_courtesy(said: SentenceUnits) -> SentenceUnits:
    return _without(said, _matches(_plain(said), "courtesy"))


def _without_stock(said: SentenceUnits) -> SentenceUnits:
    plain = _plain(said)
    return _without(said, [(0, _declined_until(plain, len(said.text))), *_matches(plain, "stock")])


def _plain(said: SentenceUnits) -> str:
    """Return the beginning of a sentence as the shipped lists read it, nothing where letters would move."""
    beginning = said.text[:_LONGEST]
    plain = beginning.lower().replace("’", "'").replace("‘", "'")
    return plain if len(plain) == len(beginning) else ""  # a letter that is longer in lower case moves all after it


def _matches(plain: str, shipped: str) -> list[tuple[int, int]]:
    return [match.span() for pattern in shipped_patterns(shipped) for match in pattern.finditer(plain)]


def _without(said: SentenceUnits, silent: Sequence[tuple[int, int]]) -> SentenceUnits:
    spans = [(left, right) for left, right in silent if left < right]
    if not spans:
        return said
    return SentenceUnits(said.text, tuple(unit for unit in said.units if not _inside(unit, spans)))


def _declined_until(plain: str, length: int) -> int:
    """Return up to where a sentence declines: 0 for one that does not, a turn such as *but*, or its whole length."""
    if not _declines(plain):
        return 0
    turns = (turn for turn in _CONTRAST.finditer(plain) if turn.start())
    return next(
        (turn.end() for turn in turns if _declines(plain[: turn.start()]) and not _declines(plain[turn.end() :])),
        length,
    )


def _declines(plain: str) -> bool:
    return bool(shipped_pattern("patterns").search(plain))


def _inside(unit: SupportUnit, spans: Sequence[tuple[int, int]]) -> bool:
    return any(left <= unit.start and unit.end <= right for left, right in spans)


def _query(sentence: AnalysedSentence, index: ContextIndex, scheme: WeightingScheme) -> SentenceQuery:
    presence = index.presence(sentence.units)
    if not len(index.sentences) or not is_plain_english_script(sentence.text):
        return SentenceQuery(sentence, index, presence, ())
    common = _told_apart_by(sentence.said) @ presence
    order = np.argsort(-common, kind="stable")[:CANDIDATES]
    return SentenceQuery(sentence, index, presence, tuple(order.tolist()))


@lru_cache(maxsize=4096)
def _told_apart_by(said: SentenceUnits) -> Floats:
    """Return how much each unit tells sentences apart."""
    return np.array([0.1 + unit.rarity for unit in said.units])


@lru_cache(maxsize=4096)
def _weights(said: SentenceUnits, scheme: WeightingScheme) -> Floats:
    return np.array([scheme.weight(unit) for unit in said.units])


def _support(
    drafts: Sequence[_WeighedSentence], case: SupportCase, reversals: Reversals, scheme: WeightingScheme
) -> Support | None:
    if not drafts:
        return None
    found = tuple(draft.judged(reversals, scheme) for draft in drafts)
    values = [each.value for each in found]
    mean = float(np.average(values, weights=[each.weight for each in found]))
    value = (1 - scheme.weakest) * mean + scheme.weakest * min(values)
    return Support(value, found, case.text, drafts[0].query.index.by_key.keys(), scheme)


@dataclass(frozen=True, eq=False)
class _WeighedSentence:
    """The support of a sentence before it is asked whether the evidence says the opposite."""

    query: SentenceQuery
    value: float
    weight: float
    best: int | None
    local: float
    grades: Floats
    met: list[float]
    """The best grade of each unit."""

    @classmethod
    def of(cls, query: SentenceQuery, asked: set[str], meaning: Meaning, scheme: WeightingScheme) -> _WeighedSentence:
        """Weigh and grade the units of a sentence."""
        said = query.sentence.said
        weights = _weights(said, scheme)
        if not said.keys.isdisjoint(asked):
            weights = weights * np.array([scheme.asked if unit.key in asked else 1.0 for unit in said.units])
        total = float(weights.sum())
        if not query.index.sentences:
            return cls(query, 0.0, total, None, 0.0, np.zeros((len(said.units), 1)), [0.0] * len(said.units))
        likeness = meaning.likeness(query)
        grades = np.maximum(query.presence, np.where(likeness >= scheme.alike, likeness, 0.0))
        local = weights @ grades / total
        place = int(local.argmax())
        best = grades.max(axis=1)
        value = scheme.local * float(local[place]) + (1 - scheme.local) * float(weights @ best) / total
        if query.candidates and len(said.content) >= scheme.meaning_from:
            value = (1 - scheme.meaning) * value + scheme.meaning * meaning.closeness(query)
        return cls(query, value, total, place, float(local[place]), grades, best.tolist())

    def compared(self, scheme: WeightingScheme) -> tuple[AnalysedSentence, AnalysedSentence] | None:
        """Return the sentence and its evidence where the two are about the same matter."""
        if self.best is None or self.local < scheme.same_matter:
            return None
        return self.query.sentence, self.query.index.sentences[self.best]

    def judged(self, reversals: Reversals, scheme: WeightingScheme) -> SentenceSupport:
        """Return the support of the sentence."""
        units, index, value = self.query.sentence.units, self.query.index, self.value
        content = [row for row, unit in enumerate(units) if unit.kind != SMALL]
        pair = self.compared(scheme)
        against = reversals.between(*pair) if pair else ""
        unread = pair is not None and reversals.unread(*pair)
        if against:
            value *= scheme.contradicted
        elif pair and contradict(*pair):
            value *= scheme.denied_nearby
        if scheme.order and self.best is not None and len(content) > 1:
            value = (1 - scheme.order) * value + scheme.order * _adjacency(self.grades, content)
        missing = tuple(units[row] for row in content if self.met[row] == 0)
        context, best = (None, None) if self.best is None else (index.origin[self.best], index.sentences[self.best])
        return SentenceSupport(
            self.query.sentence, min(1.0, value), self.weight, context, best, missing, against, unread
        )


def _adjacency(grades: Floats, content: Sequence[int]) -> float:
    """Return how well neighbouring units stand in one and the same sentence, on average."""
    return float((grades[content[:-1]] * grades[content[1:]]).max(axis=1).mean())
