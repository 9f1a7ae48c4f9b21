"""What speaks for a sentence, and for a phrase in it, as the answer to a question: named numbers."""

from __future__ import annotations

import math
from functools import lru_cache

from rag_pipeline.reader.answer_kinds import NUMERIC
from rag_pipeline.reader.matching import Match, tagged
from rag_pipeline.reader.questions import QuestionReading
from rag_pipeline.reader.spans import TypedSpan
from rag_pipeline.reader.tags import Tagged
from rag_pipeline.reader.typed_spans import typed_spans

Features = dict[str, float]

_FITS: dict[str, dict[str, float]] = {
    "person": {"person": 1.0, "name": 0.7, "organisation": 0.6, "list": 0.3, "place": 0.3},
    "organisation": {"organisation": 1.0, "name": 0.8, "person": 0.3, "place": 0.5},
    "place": {"place": 1.0, "name": 0.6, "organisation": 0.5, "person": 0.1},
    "date": {"date": 1.0},
    "duration": {"duration": 1.0, "quantity": 0.4, "date": 0.1},
    "count": {"count": 1.0, "quantity": 0.8, "duration": 0.4, "score": 0.1},
    "quantity": {
        "quantity": 1.0,
        "count": 0.5,
        "percent": 0.5,
        "money": 0.5,
        "score": 0.6,
        "ordinal": 0.4,
        "duration": 0.3,
    },
    "money": {"money": 1.0, "count": 0.2},
    "percent": {"percent": 1.0, "count": 0.2},
    "frequency": {"frequency": 1.0, "duration": 0.3, "count": 0.2},
    "reason": {"reason": 0.6, "rest": 0.3},
    "manner": {"manner": 0.6, "rest": 0.3},
    "definition": {"definition": 1.0, "rest": 0.4},
}
"""How well a kind of span fits a kind of question; what is not named fits not at all."""
_NUMBERS = frozenset({"count", "date", "quantity", "duration", "money", "percent", "ordinal", "score", "frequency"})
_NEAR = {
    "place": frozenset({"in", "at", "near", "from", "to", "on", "into", "through"}),
    "date": frozenset({"in", "on", "since", "until", "by", "from", "during", "between"}),
    "person": frozenset({"by", "with"}),
    "organisation": frozenset({"by", "from", "with", "to"}),
}


@lru_cache(maxsize=20_000)
def kinds_of(text: str) -> tuple[TypedSpan, ...]:
    """Return the typed spans of a sentence."""
    return tuple(typed_spans(tagged(text)))


def sentence_features(
    question: QuestionReading, text: str, found: Match, before: Match | None, cosine: float
) -> Features:
    """Return the features of a sentence; `before` is the match of the sentence that precedes it."""
    total = sum(question.weights.values()) or 1.0
    carried = set(before.found) - set(found.found) if before else ()
    return {
        "cosine": cosine,
        "support": found.support,
        "carried": sum(question.weights[stem] for stem in carried) / total,
        "type": best_fit(question, text, found),
        "short": float(len(tagged(text).words) < 4),
    }


def best_fit(question: QuestionReading, text: str, found: Match) -> float:
    """Return how well the best new typed span of the sentence fits the kind of question; 0.5 where no kind is asked."""
    fits = _FITS.get(question.kind)
    if fits is None:
        return 0.5
    sentence = tagged(text)
    return max(
        (fits.get(span.kind, 0.0) for span in kinds_of(text) if novelty(sentence, span, found) > 0.5), default=0.0
    )


def novelty(sentence: Tagged, span: TypedSpan, found: Match) -> float:
    """Return the share of the span's content words that the question does not have."""
    inside = [place for place in range(span.first, span.last) if sentence.words[place].is_content]
    if not inside:
        return 0.0
    return sum(place not in found.places for place in inside) / len(inside)


def span_features(question: QuestionReading, sentence: Tagged, span: TypedSpan, found: Match) -> Features:
    """Return the features of one candidate answer."""
    features: Features = {"novelty": novelty(sentence, span, found), "closeness": _closeness(span, found)}
    features |= _type_features(question, sentence, span)
    features |= _edge_features(question, sentence, span, found)
    features |= _length_features(question, sentence, span)
    features |= _focus_features(question, sentence, span)
    return features


def _closeness(span: TypedSpan, found: Match) -> float:
    """Return the question's words around the span, each by weight over its distance."""
    total = sum(found.places.values())
    if not total:
        return 0.0
    near = 0.0
    for place, weight in found.places.items():
        if place < span.first:
            near += weight / math.sqrt(span.first - place)
        elif place >= span.last:
            near += weight / math.sqrt(place - span.last + 1)
    return near / total


def _type_features(question: QuestionReading, sentence: Tagged, span: TypedSpan) -> Features:
    fits = _FITS.get(question.kind)
    features: Features = {}
    if fits is not None:
        fit = fits.get(span.kind, 0.0)
        features["fit"] = fit
        if not fit:
            holds = any(tag in {"number"} for tag in sentence.tags[span.first : span.last])
            features["number inside"] = float(question.kind in NUMERIC and holds)
            features["no number"] = float(question.kind in NUMERIC and not holds)
            named = "name" in sentence.tags[span.first : span.last]
            features["no name"] = float(question.kind in {"person", "place", "organisation"} and not named)
    else:
        features["thing:number"] = float(span.kind in _NUMBERS)
        features["thing:name"] = float(span.kind in {"name", "person", "place", "organisation"})
        features["thing:quoted"] = float(span.kind == "quoted")
        features["thing:rest"] = float(span.kind == "rest")
        features["thing:clause"] = float(span.kind in {"reason", "manner", "definition"})
    features["list"] = float(span.kind == "list" and not question.plural)
    features["list:plural"] = float(span.kind == "list" and question.plural)
    return features


def _edge_features(question: QuestionReading, sentence: Tagged, span: TypedSpan, found: Match) -> Features:
    left, right = span.first - 1, span.last
    before, after = sentence.stops(span.first), sentence.stops(span.last)
    features = {
        f"left:{'stop' if before and left >= 0 else sentence.tag(left)}": 1.0,
        f"right:{'stop' if after else sentence.tag(right)}": 1.0,
        "left matched": float(left in found.places),
        "right matched": float(right in found.places),
        "after all": float(bool(found.places) and span.first > max(found.places)),
        "before all": float(bool(found.places) and span.last <= min(found.places)),
    }
    if left >= 0 and sentence.words[left].lower in _NEAR.get(question.kind, frozenset()):
        features["fitting preposition"] = 1.0
    return features


def _length_features(question: QuestionReading, sentence: Tagged, span: TypedSpan) -> Features:
    size = span.last - span.first
    typed = question.kind in _FITS
    return {
        "log length": math.log(size),
        "long": float(size > 5),
        "typed long": float(typed and size > 4),
        "one word": float(size == 1),
        "determiner first": float(sentence.tags[span.first] == "determiner"),
        "verb inside": float("verb" in sentence.tags[span.first : span.last]),
        "pronoun": float(size == 1 and sentence.tags[span.first] in {"pronoun", "determiner", "adverb"}),
        "pronoun inside": float("pronoun" in sentence.tags[span.first : span.last]),
        "conjunction inside": float("conjunction" in sentence.tags[span.first : span.last] and span.kind == "phrase"),
    }


def _focus_features(question: QuestionReading, sentence: Tagged, span: TypedSpan) -> Features:
    if not question.focus:
        return {}
    head = question.focus[-1]
    stems = [word.stem for word in sentence.words]
    return {
        "focus inside": float(head in stems[span.first : span.last]),
        "focus last": float(stems[span.last - 1] == head),
        "focus after": float(head in stems[span.last : span.last + 2]),
        "focus before": float(head in stems[max(0, span.first - 3) : span.first]),
    }
