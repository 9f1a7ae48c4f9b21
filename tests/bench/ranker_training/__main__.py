"""`python -m tests.bench.ranker_training LABELLED.jsonl`: learn the ranker anew and put it where it is shipped.

`... --candidates DOCUMENT [DOCUMENT ...]` prints questions for readers instead (`labelled` says in which form).
`... LABELLED.jsonl --go-on [DOCUMENT ...]` keeps the trees and trains the shipped network further (as for new rules),
then fits how sure both may be, by kind of question, to documents that were left out.
It shall not forget meanwhile: about each DOCUMENT it is asked what it is given today, at half weight.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.question_writers.rules import ranker
from evaluation.question_writers.rules.question_likelihood import question_likelihood
from evaluation.question_writers.rules.question_network import FILE, question_network
from rag_pipeline.embedders.local import shipped_weights
from rag_pipeline.extractive_qa.span_reader import pair_encoder
from rag_pipeline.loaders.lookup import read_document
from rag_pipeline.types import SourceDoc
from tests.bench.people import area
from tests.bench.ranker_training.calibration import calibrated, counts_again
from tests.bench.ranker_training.labelled import (
    Row,
    candidates,
    held_out,
    labels_of,
    read_labelled,
    texts_again,
    texts_of,
)
from tests.bench.ranker_training.network import TrainedNetwork
from tests.bench.ranker_training.trees import Trees

_GOOD = 0.5
_REMEMBERED = 0.5
"""What a question counts that no reader judged."""


def train(file: Path, out: Path, *, epochs: int = 3) -> dict[str, float]:
    """Write question_ranker.json and question_network.safetensors to `out`; return the AUROC where both were new.

    Network and trees learn from three quarters of the documents; how much each counts is fitted to the others, and the
    trees that are shipped then learn from all.
    """
    from safetensors.numpy import save_file
    from sklearn.linear_model import LogisticRegression

    folder = shipped_weights()
    assert folder is not None, "make setup installs the encoder"
    rows = read_labelled(file)
    labels, new = labels_of(rows), held_out(rows)
    texts = list(map(texts_of, rows))
    network = TrainedNetwork(folder, pair_encoder(folder))
    network.fit([text for text, left in zip(texts, new, strict=True) if not left], labels[~new], epochs)
    read = network.logits(texts)
    likely = _likely([row for row, left in zip(rows, new, strict=True) if left])
    shipped: dict[str, Any] = {}
    scales, found = [], {}
    for number, kind in enumerate(ranker.KINDS):
        good = labels[:, number] > _GOOD
        by_trees = Trees(rows, good, ~new).logits()
        signals = np.stack([by_trees, read[:, number]], axis=1)
        both = LogisticRegression(C=10).fit(signals[new], good[new])
        (share, scale), start = map(float, both.coef_[0]), float(both.intercept_[0])
        shipped[kind] = Trees(rows, good, np.ones(len(rows), bool)).shipped(share, start) | {"kinds": {}}
        shipped[kind]["read again"] = counts_again(both.decision_function(signals[new]), likely, good[new])
        scales.append(scale)
        found[kind] = area(both.decision_function(signals[new]), good[new].astype(float))
    save_file(network.weights(scales), out / FILE.name)
    (out / ranker.FILE.name).write_text(json.dumps(shipped, separators=(",", ":")) + "\n", encoding="utf-8")
    return found


def go_on(file: Path, out: Path, remembered: Sequence[Row], *, epochs: int = 3) -> None:
    """Train the shipped network on judged questions, and calibrate; write both files to `out`.

    What was changed by hand (see `ranker`) is fitted anew, too.
    `remembered`: other questions, with what the ranker gives them. What is given to the questions of one half of the
    documents by a network that learned the other half tells how sure the ranker may be, and of which kinds.
    """
    from safetensors.numpy import save_file

    judged = read_labelled(file)
    half = held_out(judged, 0.5)
    given = np.zeros((len(judged), len(ranker.KINDS)))
    for left_out in (half, ~half):
        learned = [row for row, left in zip(judged, left_out, strict=True) if not left]
        new = [row for row, left in zip(judged, left_out, strict=True) if left]
        given[left_out] = _by_trees(new) + _further(learned, remembered, epochs).logits(list(map(texts_of, new)))
    good = (labels_of(judged) > _GOOD).T
    found = [calibrated(given[:, n], good[n], judged) for n in range(len(ranker.KINDS))]
    likely = _likely(judged)
    network = _further(judged, remembered, epochs)
    save_file(network.weights([each.slope for each in found]), out / FILE.name)
    shipped: dict[str, Any] = json.loads(ranker.FILE.read_text(encoding="utf-8"))
    for number, (kind, each) in enumerate(zip(ranker.KINDS, found, strict=True)):
        shipped[kind] = each.applied(shipped[kind])
        by_kind = np.array([each.kinds[row["rule"]] for row in judged])
        logits = each.slope * given[:, number] + each.start + by_kind
        shipped[kind]["read again"] = counts_again(logits, likely, good[number])
    (out / ranker.FILE.name).write_text(json.dumps(shipped, separators=(",", ":")) + "\n", encoding="utf-8")


def _further(judged: Sequence[Row], remembered: Sequence[Row], epochs: int) -> TrainedNetwork:
    """Return the shipped network, trained on."""
    folder = shipped_weights()
    assert folder is not None, "make setup installs the encoder"
    rows = [*judged, *remembered]
    counts = np.repeat([1.0, _REMEMBERED], [len(judged), len(remembered)])
    network = TrainedNetwork(folder, pair_encoder(folder), goes_on=True)
    network.fit(list(map(texts_of, rows)), labels_of(rows), epochs, beside=_by_trees(rows), counts=counts)
    return network


def _likely(rows: Sequence[Row]) -> Any:
    """Return what the small language model tells of questions, shape (rows, 3)."""
    model = question_likelihood()
    assert model is not None, "make setup installs the small language model"
    return model.of(list(map(texts_again, rows)))


def _by_trees(rows: Sequence[Row]) -> Any:
    """Return the logits by the signs alone, shape (rows, 2)."""
    return np.array([ranker.by_trees(row["signs"]) for row in rows]).reshape(-1, len(ranker.KINDS))


def as_ranked(rows: Sequence[Row]) -> list[Row]:
    """Return questions with what the shipped ranker gives them in place of a reader's judgement."""
    given = ranker.probabilities(_by_trees(rows) + question_network().logits(list(map(texts_of, rows))))
    return [row | dict(zip(ranker.KINDS, found, strict=True)) for row, found in zip(rows, given.tolist(), strict=True)]


def _questions_about(paths: Sequence[Path]) -> list[Row]:
    documents = [
        SourceDoc(number, path.name, read_document(path.name, path.read_bytes()).text)
        for number, path in enumerate(paths, 1)
    ]
    return [row for document in documents for row in candidates(document)]


def main() -> None:
    """Learn, or print questions to be judged."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--candidates", action="store_true", help="print questions about these documents")
    parser.add_argument("--go-on", action="store_true", help="train what is shipped; other files are remembered")
    options = parser.parse_args()
    if options.candidates:
        for row in _questions_about(options.files):
            print(json.dumps(row, ensure_ascii=False))
    elif options.go_on:
        go_on(options.files[0], FILE.parent, as_ranked(_questions_about(options.files[1:])))
    else:
        print(train(options.files[0], FILE.parent))


if __name__ == "__main__":
    main()
