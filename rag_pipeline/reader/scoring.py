"""Choosing the answer: every phrase of every close sentence is scored, the best phrase names its sentence."""

from __future__ import annotations

from dataclasses import dataclass

from rag_pipeline.reader.candidates import candidates
from rag_pipeline.reader.evidence import Evidence, Passage
from rag_pipeline.reader.features import Features, sentence_features, span_features
from rag_pipeline.reader.matching import Match, tagged
from rag_pipeline.reader.spans import TypedSpan
from rag_pipeline.reader.weights import ANSWER

_SENTENCE = 1.3
"""How much more a sentence's own features count when sentences compete (of 1, 1.3 and 1.6, on the development set)."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The best phrase of a sentence. `start`, `end` are its characters in the sentence; `place` is the sentence's."""

    place: int
    passage: Passage
    start: int
    end: int
    kind: str
    score: float
    features: Features

    @property
    def text(self) -> str:
        """The phrase."""
        return self.passage.text[self.start : self.end]


def weigh(features: Features) -> float:
    """Return the weighted sum of features."""
    return sum(ANSWER.get(name, 0.0) * value for name, value in features.items())


def choose(evidence: Evidence) -> list[Choice]:
    """Return the best phrase of each close sentence, best first; a sentence without a phrase is its own."""
    choices = [_best_of(evidence, place) for place in evidence.close]
    return sorted(choices, key=lambda choice: -choice.score)


def _best_of(evidence: Evidence, place: int) -> Choice:
    passage, found = evidence.passages[place], evidence.matches[place]
    before = evidence.matches.get(passage.before)
    of_sentence = sentence_features(evidence.question, passage.text, found, before, float(evidence.cosines[place]))
    sentence, worth = tagged(passage.text), _SENTENCE * weigh(of_sentence)
    scored = [_scored(evidence, span, found, place) for span in candidates(sentence, frozenset(found.places))]
    if not scored:
        return Choice(place, passage, 0, len(passage.text), "sentence", worth, of_sentence)
    score, span, of_span = max(scored, key=lambda entry: entry[0])
    start, end = sentence.range(span.first, span.last)
    return Choice(place, passage, start, end, span.kind, score + worth, of_sentence | of_span)


def _scored(evidence: Evidence, span: TypedSpan, found: Match, place: int) -> tuple[float, TypedSpan, Features]:
    features = span_features(evidence.question, tagged(evidence.passages[place].text), span, found)
    return weigh(features), span, features
