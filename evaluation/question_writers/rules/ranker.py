"""Which questions people would accept and might ask: two sets of small trees, learned from questions read strictly.

1,269 questions that the rules made of 51 documents of many kinds were read one by one: is it good English, understood
without its passage, with one answer, the given one right (*acceptable*); might somebody ask so (*natural*)? Gradient
boosting (200 trees of three questions each) learned both from `signs`; question_ranker.json holds what it learned. It
was made of scikit-learn's own trees, whose limits and leaves are copied (docs/testset-quality.md).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.question_writers.rules.candidates import Candidate
from evaluation.question_writers.rules.sentence_index import SentenceIndex
from evaluation.question_writers.rules.signs import signs
from rag_pipeline.embedders.local import DEFAULT_NAME, LocalEmbedder

_FILE = Path(__file__).parent / "question_ranker.json"
Tree = Any
"""A number, or [name of a sign, limit, tree up to the limit, tree above it]."""


class Ranker:
    """Ranks questions about one corpus. The shipped embedder compares, whatever embedder a test set is made with."""

    def __init__(self, index: SentenceIndex) -> None:
        self._index = index
        self._vectors: dict[str, Any] = {}

    def worth(self, candidates: Sequence[Candidate]) -> list[float]:
        """Return for each question how probable it is that it is acceptable, times that it is natural (0 to 1)."""
        self._embed(text for one in candidates for text in _texts(one))
        return [_worth(signs(one, self._index, self._cosines(one))) for one in candidates]

    def _embed(self, texts: Any) -> None:
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new:
            self._vectors.update(zip(new, _embedder().embed_queries(new), strict=True))

    def _cosines(self, candidate: Candidate) -> dict[str, float]:
        question, answer, sentence = (self._vectors[text] for text in _texts(candidate))
        pairs = {"to answer": (question, answer), "to sentence": (question, sentence), "of answer": (answer, sentence)}
        return {name: float(np.dot(*pair)) for name, pair in pairs.items()}


def _texts(candidate: Candidate) -> tuple[str, str, str]:
    return candidate.text, candidate.answer, candidate.sentence.text


def _worth(found: Mapping[str, float]) -> float:
    return math.prod(_probability(learned, found) for learned in _learned().values())


def _probability(learned: Mapping[str, Any], found: Mapping[str, float]) -> float:
    total = learned["start"] + sum(_leaf(tree, found) for tree in learned["trees"])
    return 1 / (1 + math.exp(-total))


def _leaf(tree: Tree, found: Mapping[str, float]) -> float:
    while isinstance(tree, list):
        name, limit, below, above = tree
        tree = below if found.get(name, 0.0) <= limit else above
    return float(tree)


@lru_cache(maxsize=1)
def _learned() -> dict[str, Any]:
    learned: dict[str, Any] = json.loads(_FILE.read_text(encoding="utf-8"))
    return learned


@lru_cache(maxsize=1)
def _embedder() -> LocalEmbedder:
    return LocalEmbedder(DEFAULT_NAME)
