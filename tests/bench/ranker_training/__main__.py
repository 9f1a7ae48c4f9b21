"""`python -m tests.bench.ranker_training LABELLED.jsonl`: learn the ranker anew and put it where it is shipped.

`... --candidates DOCUMENT [DOCUMENT ...]` prints questions for readers instead (`labelled` says in which form).
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.question_writers.rules import ranker
from evaluation.question_writers.rules.question_network import FILE, QuestionTexts
from rag_pipeline.embedders.local import shipped_weights
from rag_pipeline.extractive_qa.span_reader import pair_encoder
from rag_pipeline.loaders.lookup import read_document
from rag_pipeline.types import SourceDoc
from tests.bench.people import area
from tests.bench.ranker_training.labelled import candidates, held_out, labels_of, read_labelled
from tests.bench.ranker_training.network import TrainedNetwork
from tests.bench.ranker_training.trees import Trees

_GOOD = 0.5


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
    texts = [QuestionTexts(*(row[name] for name in QuestionTexts._fields)) for row in rows]
    network = TrainedNetwork(folder, pair_encoder(folder))
    network.fit([text for text, left in zip(texts, new, strict=True) if not left], labels[~new], epochs)
    read = network.logits(texts)
    shipped: dict[str, Any] = {}
    scales, found = [], {}
    for number, kind in enumerate(ranker.KINDS):
        good = labels[:, number] > _GOOD
        by_trees = Trees(rows, good, ~new).logits()
        signals = np.stack([by_trees, read[:, number]], axis=1)
        both = LogisticRegression(C=10).fit(signals[new], good[new])
        (share, scale), start = map(float, both.coef_[0]), float(both.intercept_[0])
        shipped[kind] = Trees(rows, good, np.ones(len(rows), bool)).shipped(share, start)
        scales.append(scale)
        found[kind] = area(both.decision_function(signals[new]), good[new].astype(float))
    save_file(network.weights(scales), out / FILE.name)
    (out / ranker.FILE.name).write_text(json.dumps(shipped, separators=(",", ":")) + "\n", encoding="utf-8")
    return found


def main() -> None:
    """Learn, or print questions to be judged."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--candidates", action="store_true", help="print questions about these documents")
    options = parser.parse_args()
    if not options.candidates:
        print(train(options.files[0], FILE.parent))
        return
    for number, path in enumerate(options.files, 1):
        text = read_document(path.name, path.read_bytes()).text
        for row in candidates(SourceDoc(number, path.name, text)):
            print(json.dumps(row, ensure_ascii=False))


if __name__ == "__main__":
    main()
