"""`manage.py score --judge`: odd rows of other systems give nulls with reasons, not wrong numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from tests.fake_openai import FakeOpenAI

pytestmark = pytest.mark.django_db
METRICS = (
    "faithfulness,answer_relevancy,context_relevance,context_precision,context_recall,factual_similarity,"
    "answer_correctness,noise_sensitivity,claim_recall,context_utilization,hallucination,self_knowledge"
)
NILE = "The Nile ends in the Mediterranean Sea north of Cairo."
LONG = " ".join(f"River number {number} ends in the Mediterranean Sea near town {number}." for number in range(120))
ROWS: list[dict[str, Any]] = [
    {"question": "Where does the Nile end?", "answer": NILE, "contexts": [NILE, NILE, ""], "reference_answers": [NILE]},
    {"question": "Where does the Nile end?", "answer": NILE},
    {"question": "Where does the Nile end?", "answer": "", "contexts": [], "reference_answers": [""]},
    {"question": "Where does it end?", "answer": LONG, "contexts": [LONG, NILE], "reference_answers": [LONG]},
    {"question": "在哪里？", "answer": "在地中海 🐪。", "contexts": ["在地中海"], "reference_answers": ["海"]},
    {"question": "أين ينتهي النيل؟", "answer": "في البحر المتوسط", "contexts": ["x"], "reference_answers": ["البحر"]},
    {"question": "", "answer": NILE, "contexts": [NILE], "reference_answers": [NILE]},
    {"question": "How deep is it?", "answer": "I am not aware of that topic", "contexts": [NILE],
     "reference_answers": [], "is_answerable_label": False},
]  # fmt: skip


@pytest.fixture
def lines(tmp_path: Path, fake_openai: FakeOpenAI) -> list[dict[str, Any]]:
    source, out = tmp_path / "answers.jsonl", tmp_path / "scored.jsonl"
    source.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in ROWS), encoding="utf-8")
    call_command("score", str(source), out=out, metrics=METRICS, judge="openai:judge-1")
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


def test_odd_rows_give_nulls_with_reasons(lines: list[dict[str, Any]]) -> None:
    full, bare, empty, long, chinese, arabic, unasked, declined = (line["scores"] for line in lines)
    assert {full[name] for name in ("faithfulness", "context_recall", "factual_similarity", "claim_recall")} == {1.0}
    assert full["hallucination"] == full["noise_sensitivity"] == 0.0
    assert full["answer_correctness"] == pytest.approx(1.0)
    assert bare["answer_relevancy"] is not None
    assert {bare[name] for name in METRICS.split(",") if name != "answer_relevancy"} == {None}
    assert set(empty.values()) == {None, 0.0}  # nothing was retrieved is 0, all else cannot be told
    assert (long["faithfulness"], long["context_recall"]) == (1.0, 1.0)  # of its first 60 claims
    assert chinese["faithfulness"] == 1.0
    assert arabic["faithfulness"] == 0.0
    assert set(unasked.values()) == {None}
    assert set(declined.values()) == {None}
    for line in lines:
        assert all(line["notes"][name] for name, value in line["scores"].items() if value is None)
        assert all(0 <= value <= 1 for value in line["scores"].values() if value is not None)


def test_without_a_judge_each_row_says_that_one_is_missing(tmp_path: Path) -> None:
    source, out = tmp_path / "answers.jsonl", tmp_path / "scored.jsonl"
    source.write_text(json.dumps(ROWS[0]), encoding="utf-8")
    call_command("score", str(source), out=out, metrics="faithfulness")
    [line] = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert line["scores"]["faithfulness"] is None
    assert "no judge is chosen" in line["notes"]["faithfulness"]
