"""Which questions people would accept and might ask, learned from questions that were read strictly.

8,868 questions that rules made of 209 documents of many kinds were read one by one, by readers who had no part in the
rules: is it good English, understood without its passage, with one answer, the given one right and whole
(*acceptable*); might somebody ask so (*natural*)? Two learned both and are added up: gradient boosting (trees of three
questions each) from `signs`, and a network that reads question, answer and evidence (`question_network`). The trees,
scikit-learn's own, and the network learned from the first 6,084; the network then went on with the others, most of them
of rules that were new. How sure both may be was fitted to documents that neither had learned: the last trees of
question_ranker.json are a number for each kind of question (docs/testset-quality.md).
`python -m tests.bench.ranker_training` learns it anew, or goes on.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.question_writers.rules.candidates import Candidate
from evaluation.question_writers.rules.corpus import CorpusText
from evaluation.question_writers.rules.evidence import evidence_of
from evaluation.question_writers.rules.question_network import QuestionTexts, question_network
from evaluation.question_writers.rules.signs import signs

FILE = Path(__file__).parent / "question_ranker.json"
KINDS = ("acceptable", "natural")
_BEHIND = 300
"""Characters behind the evidence that are read: they show what an answer leaves out."""
_A_CHANCE = 0.18
"""What the trees alone must give a question that the network reads."""
Tree = Any
"""A number, or [name of a sign, limit, tree up to the limit, tree above it]."""


class Ranker:
    """Ranks questions about one corpus."""

    def __init__(self, corpus: CorpusText) -> None:
        self._corpus = corpus

    def worth(self, candidates: Sequence[Candidate]) -> list[float]:
        """Return for each question how probable it is that it is acceptable, times that it is natural (0 to 1).

        The network reads only what the trees give a chance; of the rest, what the trees give.
        """
        found_by_trees = [by_trees(signs(one, self._corpus.index)) for one in candidates]
        found = np.array(found_by_trees).reshape(-1, len(KINDS))
        hopeful = np.flatnonzero(probabilities(found).prod(axis=1) >= _A_CHANCE)
        found[hopeful] += question_network().logits(
            [texts_read(candidates[at], self._corpus) for at in hopeful.tolist()]
        )
        worth: list[float] = probabilities(found).prod(axis=1).tolist()
        return worth


def texts_read(candidate: Candidate, corpus: CorpusText) -> QuestionTexts:
    """Return what the network reads of a question."""
    spans = evidence_of(candidate, corpus)
    text, end = corpus.texts[spans[0].document_id], max(span.end for span in spans)
    evidence = " ".join(text[span.start : span.end] for span in spans)
    return QuestionTexts(candidate.text, candidate.answer, evidence, text[end : end + _BEHIND])


def by_trees(found: Mapping[str, float]) -> list[float]:
    """Return the logits by the signs alone: acceptable, natural."""
    learned = _learned()
    return [learned[kind]["start"] + sum(_leaf(tree, found) for tree in learned[kind]["trees"]) for kind in KINDS]


def probabilities(logits: Any) -> Any:
    """Return the probabilities that logits stand for."""
    return 1 / (1 + np.exp(-logits))


def _leaf(tree: Tree, found: Mapping[str, float]) -> float:
    while isinstance(tree, list):
        name, limit, below, above = tree
        tree = below if found.get(name, 0.0) <= limit else above
    return float(tree)


@lru_cache(maxsize=1)
def _learned() -> dict[str, Any]:
    learned: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return learned
