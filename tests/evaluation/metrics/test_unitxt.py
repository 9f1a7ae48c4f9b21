"""Overlap and retrieval metrics against unitxt's, frozen in tests/data/unitxt_scores.json by the script beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluation.exchange.reading import read_answers
from evaluation.metrics.base import metrics
from evaluation.types import Score
from tests.evaluation.samples import make_context

FROZEN = json.loads((Path(__file__).parents[2] / "data" / "unitxt_scores.json").read_text(encoding="utf-8"))


def score(name: str, row: dict[str, Any], **options: Any) -> Score:
    ((_, sample),) = read_answers(("row.jsonl", json.dumps(row).encode()))
    unit = metrics.get(name)
    return unit(unit.Options(**options)).score_many([sample], make_context())[0]


@pytest.mark.parametrize("case", FROZEN["texts"], ids=lambda case: case["answer"][:24])
@pytest.mark.parametrize("name", ["token_precision", "token_recall", "token_f1", "k_precision"])
def test_the_words_of_answer_references_and_contexts(case, name):
    found = score(name, {"reference_answers": case["references"], **case})
    if found.value is None:  # no token is left to compare: 0 to unitxt, nothing here
        assert found.reason
        assert case["unitxt"][name] == 0
    else:
        assert found.value == pytest.approx(case["unitxt"][name], abs=1e-12)


@pytest.mark.parametrize("case", FROZEN["texts"], ids=lambda case: case["answer"][:24])
def test_the_best_context_and_the_reference_contexts(case):
    best = score("k_precision", case, best_context=True)
    assert best.value == pytest.approx(case["unitxt"]["k_precision, best context"]) or best.value is None
    passages = score("reference_context_recall", {"reference_contexts": case["references"], **case})
    assert passages.value == pytest.approx(case["unitxt"]["reference_context_recall"]) or passages.value is None


@pytest.mark.parametrize("case", FROZEN["ids"], ids=lambda case: "".join(case["found"]))
def test_the_ranks_of_ids_where_the_definitions_meet(case):
    row = {"contexts_id": case["found"], "reference_context_ids": case["gold"]}
    assert score("mrr", row).value == pytest.approx(case["unitxt"]["mrr"], abs=1e-12)
    if set(case["gold"]) <= set(case["found"]):  # unitxt's MAP passes over gold that is not retrieved
        assert score("map", row).value == pytest.approx(case["unitxt"]["map"], abs=1e-12)
    for k, expected in case["unitxt"]["at_k"].items():
        for name, value in expected.items():
            if name != "precision_at_k" or int(k) <= len(case["found"]):  # beyond, unitxt divides by what there is
                assert score(name, row, k=int(k)).value == pytest.approx(value, abs=1e-12), (name, k)


def test_few_of_the_cases_are_those_that_cannot_be_compared():
    scored = [score("k_precision", case).value is not None for case in FROZEN["texts"]]
    assert sum(scored) >= len(scored) - 1
