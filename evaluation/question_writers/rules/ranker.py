"""Which questions people would accept and might ask, learned from questions that were read strictly.

2,904 questions that the rules made of 144 documents of many kinds were read one by one, by eleven readers: is it good
English, understood without its passage, with one answer, the given one right (*acceptable*); might somebody ask so
(*natural*)? Two learned both and are added up: gradient boosting (200 trees of three questions each) from `signs`, and
a linear head over what an encoder makes of question, answer and sentence (`question_network`). question_ranker.json and
question_network.safetensors hold what they learned, made of scikit-learn's own trees and of its logistic regression
(C = .001 on standardised numbers); how much each of the two counts was fitted to predictions for documents left out, by
the readers that had no part in the rules (docs/testset-quality.md).

Rules changed since and two came later: `by rule` is what is added to the logits of a rule, so that the mean probability
is the share that two further readers found good of 214 questions on twenty further documents, as far as n / (n + 20)
of n; for `yes_no` less, as 30 of eight further documents were found. Among the 214 the order as learned holds: AUROC
.75 and .77.
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
from evaluation.question_writers.rules.question_network import question_network
from evaluation.question_writers.rules.sentence_index import SentenceIndex
from evaluation.question_writers.rules.signs import signs
from rag_pipeline.embedders.base import Embed

_FILE = Path(__file__).parent / "question_ranker.json"
Tree = Any
"""A number, or [name of a sign, limit, tree up to the limit, tree above it]."""


class Ranker:
    """Ranks questions about one corpus. `embed`: the shipped embedder, by whose vectors the trees were learned."""

    def __init__(self, index: SentenceIndex, embed: Embed) -> None:
        self._index = index
        self._embed_texts = embed
        self._vectors: dict[str, Any] = {}

    def worth(self, candidates: Sequence[Candidate]) -> list[float]:
        """Return for each question how probable it is that it is acceptable, times that it is natural (0 to 1)."""
        self._embed(text for one in candidates for text in _texts(one))
        read = question_network().logits(candidates)
        found = [signs(one, self._index, self._cosines(one)) for one in candidates]
        return [_worth(*each) for each in zip(found, read.tolist(), strict=True)]

    def _embed(self, texts: Any) -> None:
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new:
            self._vectors.update(zip(new, self._embed_texts(new), strict=True))

    def _cosines(self, candidate: Candidate) -> dict[str, float]:
        question, answer, sentence = (self._vectors[text] for text in _texts(candidate))
        pairs = {"to answer": (question, answer), "to sentence": (question, sentence), "of answer": (answer, sentence)}
        return {name: float(np.dot(*pair)) for name, pair in pairs.items()}


def _texts(candidate: Candidate) -> tuple[str, str, str]:
    return candidate.text, candidate.answer, candidate.sentence.text


def _worth(found: Mapping[str, float], read: Sequence[float]) -> float:
    learned = _learned().values()
    return math.prod(_probability(*each, found) for each in zip(learned, read, strict=True))


def _probability(learned: Mapping[str, Any], read: float, found: Mapping[str, float]) -> float:
    by_rule = sum(added for rule, added in learned["by rule"].items() if f"rule {rule}" in found)
    total = learned["start"] + by_rule + read + sum(_leaf(tree, found) for tree in learned["trees"])
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
