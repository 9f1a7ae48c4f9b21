"""A ranker is learned from a few judged questions, and the shipped code reads what was written."""

from __future__ import annotations

import json

import numpy as np
import pytest
from safetensors.numpy import load_file

from evaluation.question_writers.rules import ranker
from evaluation.question_writers.rules.question_network import FILE, QuestionTexts
from rag_pipeline import runtime
from rag_pipeline.embedders.local import shipped_weights
from rag_pipeline.extractive_qa.span_reader import pair_encoder
from rag_pipeline.types import SourceDoc
from tests.bench.ranker_training.__main__ import as_ranked, go_on, train
from tests.bench.ranker_training.calibration import Calibration, calibrated, counts_again
from tests.bench.ranker_training.labelled import candidates, held_out
from tests.bench.ranker_training.network import TrainedNetwork

TEXT = (
    "A trustee is a person who holds property for others. The court appointed Jane Miller in 1990. "
    "The trustee must file a report every year. Banks may be trustees."
)


def rows() -> list[dict[str, object]]:
    """Return forty judged questions on four documents: the short ones are good."""
    found = []
    for number in range(40):
        good = number % 2 == 0
        question = "What is a trustee?" if good else "What is it that the said one did there and then of it?"
        found.append(
            {
                "document": f"d{number // 2 % 4}", "title": "Law", "heading": "", "rule": "definition",
                "question": question, "answer": "a person",
                "evidence": TEXT, "behind": "", "signs": {"words": 4.0 + number % 3 if good else 12.0},
                "acceptable": float(good), "natural": float(good),
            }
        )  # fmt: skip
    return found


def test_candidates_have_all_that_is_learned_from() -> None:
    found = list(candidates(SourceDoc(1, "law.txt", TEXT)))
    row = next(each for each in found if each["question"] == "What is a trustee?")
    assert row["answer"] == "a person who holds property for others"
    assert row["answer"] in row["evidence"]
    assert row["signs"]["rule definition"] == 1
    assert (row["title"], row["heading"]) == (TEXT[:90], "")
    assert set(row) == {"document", "title", "heading", "rule", "question", "answer", "evidence", "behind", "signs"}


def test_whole_documents_are_held_out() -> None:
    left = held_out(rows())
    assert {row["document"] for row, out in zip(rows(), left, strict=True) if out} == {
        row["document"] for row in rows()
    } - {row["document"] for row, out in zip(rows(), left, strict=True) if not out}
    assert left.sum() == 10


@pytest.mark.slow
def test_what_is_learned_is_read_as_it_was_trained(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(runtime, "_small_model", True)
    folder = shipped_weights()
    assert folder is not None
    encoder = pair_encoder(folder)
    network = TrainedNetwork(folder, encoder)
    texts = [
        QuestionTexts("What is a trustee?", "a person", TEXT, ""),
        QuestionTexts("Who?", "Jane", TEXT, " And so on."),
    ]
    network.fit(texts * 8, np.array([[1, 1], [0, 0]] * 8, np.float32), epochs=4)
    given = network.logits(texts)
    assert given[0, 0] > given[1, 0]
    file = tmp_path / FILE.name
    labelled = tmp_path / "labelled.jsonl"
    labelled.write_text("".join(f"{json.dumps(row)}\n" for row in rows()), encoding="utf-8")
    found = train(labelled, tmp_path, epochs=1)
    assert found == {"acceptable": 1.0, "natural": 1.0}
    assert file.stat().st_size < 3_000_000
    learned = json.loads((tmp_path / ranker.FILE.name).read_text(encoding="utf-8"))
    shipped = json.loads(ranker.FILE.read_text(encoding="utf-8"))
    assert {kind: set(each) for kind, each in learned.items()} == {kind: set(each) for kind, each in shipped.items()}
    assert len(learned["natural"]["trees"]) == 120
    assert len(learned["natural"]["read again"]) == 5


@pytest.mark.slow
def test_what_is_shipped_learns_on_and_remembers(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(runtime, "_small_model", True)
    labelled = tmp_path / "labelled.jsonl"
    labelled.write_text("".join(f"{json.dumps(row)}\n" for row in rows()), encoding="utf-8")
    remembered = as_ranked(list(candidates(SourceDoc(1, "law.txt", TEXT))))
    assert all(0 < row[kind] < 1 for row in remembered for kind in ranker.KINDS)
    go_on(labelled, tmp_path, remembered, epochs=1)
    before, after = load_file(FILE), load_file(tmp_path / FILE.name)
    assert {name: value.shape for name, value in after.items()} == {name: each.shape for name, each in before.items()}
    assert not np.array_equal(after["head.weight"], before["head.weight"])
    learned = json.loads((tmp_path / ranker.FILE.name).read_text(encoding="utf-8"))["natural"]
    assert set(learned["kinds"]) == {"definition"}
    assert len(learned["trees"]) == len(json.loads(ranker.FILE.read_text(encoding="utf-8"))["natural"]["trees"])
    assert len(learned["read again"]) == 5


def test_a_ranker_that_is_too_sure_is_told_so_and_of_which_kind() -> None:
    rng = np.random.default_rng(0)
    true = rng.normal(size=4000)
    kinds = np.array(["what", "when"])[rng.integers(0, 2, 4000)]
    good = rng.random(4000) < ranker.probabilities(true + np.where(kinds == "when", 1.0, -1.0))
    found = calibrated(2 * true, good, [{"rule": kind} for kind in kinds])
    assert found.slope == pytest.approx(0.5, abs=0.06)
    assert found.kinds["when"] - found.kinds["what"] == pytest.approx(2, abs=0.25)
    one = {"start": 1.0, "trees": [["words", 3.0, 0.2, -0.4]]}
    applied = Calibration(0.5, 0.1, {"when": 0.3}).applied(one)
    assert applied == {"start": 0.6, "trees": [["words", 3.0, 0.1, -0.2]], "kinds": {"when": 0.3}}


def test_what_a_language_model_tells_counts_as_much_as_it_tells() -> None:
    rng = np.random.default_rng(1)
    logits, likely = rng.normal(size=4000), rng.normal(size=(4000, 3))
    good = rng.random(4000) < ranker.probabilities(logits + 2 * likely[:, 1] - 0.5)
    counts = counts_again(logits, likely, good)
    assert counts == pytest.approx([1, 0, 2, 0, -0.5], abs=0.25)
