"""Which questions people would accept and might ask, learned from questions that were read strictly.

8,868 questions that rules made of 209 documents of many kinds were read one by one, by readers who had no part in the
rules: is it good English, understood without its passage, with one answer, the given one right and whole
(*acceptable*); might somebody ask so (*natural*)? Two learned both and are added up: gradient boosting (trees of three
questions each) from `signs`, and a network that reads question, answer and evidence (`question_network`). The trees,
scikit-learn's own, and the network learned from the first 6,084; the network then went on with the others, most of them
of rules that were new. A small language model, where it is installed, reads the best again (`question_likelihood`).
What each counts, and each kind of question, was fitted to documents that none had learned (docs/testset-quality.md).
`python -m tests.bench.ranker_training` learns it anew, or goes on. *Is it so?* was then made less natural by hand: of
such questions readers find six in ten natural where they read nothing else, four where people's own stand among them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from evaluation.question_writers.rules.candidates import Candidate
from evaluation.question_writers.rules.corpus import CorpusText
from evaluation.question_writers.rules.evidence import evidence_of
from evaluation.question_writers.rules.question_likelihood import ReadTexts, question_likelihood
from evaluation.question_writers.rules.question_network import QuestionTexts, question_network
from evaluation.question_writers.rules.signs import signs

FILE = Path(__file__).parent / "question_ranker.json"
KINDS = ("acceptable", "natural")
_BEHIND = 300
"""Characters behind the evidence that are read: they show what an answer leaves out."""
_A_CHANCE = 0.18
"""What the trees alone must give a question that the network reads."""
_WORTH_READING = 0.08
"""What both must give one that the language model reads."""
Array = npt.NDArray[Any]
Tree = Any
"""A number, or [name of a sign, limit, tree up to the limit, tree above it]."""


class Ranker:
    """Ranks questions about one corpus."""

    def __init__(self, corpus: CorpusText) -> None:
        self._corpus = corpus

    def worth(self, candidates: Sequence[Candidate], regions: Sequence[int] = (), most: int = 0) -> list[float]:
        """Return for each question how probable it is that it is acceptable, times that it is natural (0 to 1).

        The network reads only what the trees give a chance; of the rest, what the trees give. The language model reads
        at most `most` questions: those of every region that the others like best. `regions`: where each comes from.
        """
        found = np.array([by_trees(signs(one, self._corpus.index)) for one in candidates]).reshape(-1, len(KINDS))
        by_kind = np.array([kind_numbers(one.rule) for one in candidates]).reshape(-1, len(KINDS))
        hopeful = np.flatnonzero(probabilities(found + by_kind).prod(axis=1) >= _A_CHANCE)
        found[hopeful] += question_network().logits(
            [texts_read(candidates[at], self._corpus) for at in hopeful.tolist()]
        )
        found += by_kind
        sure = probabilities(found)
        model = question_likelihood() if most else None
        if model is not None:
            best = _best_of_each(sure.prod(axis=1), regions or [0] * len(candidates), most)
            likely = model.of([texts_read_again(candidates[at], self._corpus) for at in best])
            sure[best] = probabilities(read_again(found[best], likely))
        worth: list[float] = sure.prod(axis=1).tolist()
        return worth


def _best_of_each(worth: Array, regions: Sequence[int], most: int) -> list[int]:
    """Return the places of at most `most` questions: the best of each region, then the second best of each, ..."""
    taken: Counter[int] = Counter()
    turns = []
    for place in np.argsort(-worth, kind="stable").tolist():
        if worth[place] >= _WORTH_READING:
            turns.append((taken[regions[place]], -worth[place], place))
            taken[regions[place]] += 1
    return [place for _, _, place in sorted(turns)[:most]]


def texts_read(candidate: Candidate, corpus: CorpusText) -> QuestionTexts:
    """Return what the network reads of a question."""
    spans = evidence_of(candidate, corpus)
    text, end = corpus.texts[spans[0].document_id], max(span.end for span in spans)
    evidence = " ".join(text[span.start : span.end] for span in spans)
    return QuestionTexts(candidate.text, candidate.answer, evidence, text[end : end + _BEHIND])


def texts_read_again(candidate: Candidate, corpus: CorpusText) -> ReadTexts:
    """Return what the language model reads of a question."""
    texts, sentence = texts_read(candidate, corpus), candidate.sentence
    title = sentence.title or corpus.titles[sentence.span.document_id]
    return ReadTexts(title, sentence.heading, texts.evidence, texts.question, texts.answer)


def by_trees(found: Mapping[str, float]) -> list[float]:
    """Return the logits by the signs alone: acceptable, natural."""
    learned = _learned()
    return [learned[kind]["start"] + sum(_leaf(tree, found) for tree in learned[kind]["trees"]) for kind in KINDS]


def kind_numbers(rule: str) -> list[float]:
    """Return what is added to the logits of a kind of question."""
    learned = _learned()
    return [learned[kind]["kinds"].get(rule, 0.0) for kind in KINDS]


def read_again(logits: Array, likely: Array) -> Array:
    """Return the logits (questions, 2) where a language model told how likely they are (questions, 3)."""
    numbers = np.column_stack([logits, likely, np.ones(len(logits))])
    weights = [_learned()[kind]["read again"] for kind in KINDS]
    return np.column_stack(
        [numbers[:, [number, *range(len(KINDS), numbers.shape[1])]] @ weight for number, weight in enumerate(weights)]
    )


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
