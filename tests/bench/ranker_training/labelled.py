"""Questions for readers, and what readers said of them: one JSON object a line.

`document`, `title`, `heading`, `rule`, `question`, `answer`, `evidence`, `behind`, `signs` are written by `candidates`;
a reader adds `acceptable` and `natural`, 0 to 1 each (the mean where several have read).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from evaluation.question_writers.rules.asking import ask, is_answered_elsewhere, passages
from evaluation.question_writers.rules.corpus import CorpusText
from evaluation.question_writers.rules.objections import WEIGHED
from evaluation.question_writers.rules.question_likelihood import ReadTexts
from evaluation.question_writers.rules.question_network import QuestionTexts
from evaluation.question_writers.rules.ranker import KINDS, texts_read, texts_read_again
from evaluation.question_writers.rules.signs import signs
from rag_pipeline.types import SourceDoc

Row = dict[str, Any]
Array = npt.NDArray[Any]


def candidates(document: SourceDoc) -> Iterator[Row]:
    """Yield every question that the ranker would be asked about one document, unranked."""
    corpus = CorpusText([document])
    found = passages(corpus.sentences[document.id], document.text)
    for one, reason in ask(found, corpus.known[document.id], corpus.same_things[document.id]):
        if (reason and reason not in WEIGHED) or not one.answer or is_answered_elsewhere(one, corpus.index):
            continue
        read = texts_read(one, corpus)
        again = texts_read_again(one, corpus)
        marks = signs(one, corpus.index) | ({f"doubt {reason}": 1.0} if reason else {})
        where = {"document": document.name, "title": again.title, "heading": again.heading}
        yield where | {"rule": one.rule, **read._asdict(), "signs": marks}


def read_labelled(file: Path) -> list[Row]:
    """Return the questions of a file that were judged."""
    rows = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return [row for row in rows if all(kind in row for kind in KINDS)]


def texts_of(row: Row) -> QuestionTexts:
    """Return what the network reads of a question."""
    return QuestionTexts(*(row[name] for name in QuestionTexts._fields))


def texts_again(row: Row) -> ReadTexts:
    """Return what the language model reads of a question."""
    return ReadTexts(*(row[name] for name in ReadTexts._fields))


def labels_of(rows: Sequence[Row]) -> Array:
    """Return how acceptable and natural each is, shape (rows, 2)."""
    return np.array([[row[kind] for kind in KINDS] for row in rows], np.float32)


def held_out(rows: Sequence[Row], share: float = 0.25) -> Array:
    """Return which rows are of documents that are left out, drawn by their names, shape (rows,)."""
    names = sorted({row["document"] for row in rows})
    chosen = set(np.random.default_rng(0).permutation(names)[: max(1, round(share * len(names)))].tolist())
    return np.array([row["document"] in chosen for row in rows])
