"""Rules under names of their own, and metrics with their k, several in one scoring."""

from __future__ import annotations

import json

import pytest

from evaluation.exchange.reading import read_answers
from evaluation.metrics.base import make_metric, metrics
from evaluation.scoring.answered import score_answered
from evaluation.scoring.scales import scale_of
from evaluation.scoring.scoring import finished
from evaluation.spec import EvaluationSpec
from rag_pipeline.errors import ConfigError
from tests.fake_embedder import embed_words

OPTIONS = {
    "must_match:price": {"pattern": r"EUR \d+"},
    "must_match:greeting": {"pattern": "^Hello"},
    "max_words": {"limit": 2},
    "max_words:summary": {"limit": 6},
    "valid_json:ticket": {"json_schema": '{"type": "object"}'},
}


def scored(row: dict[str, object], names: list[str], options: dict[str, dict[str, object]]) -> dict[str, float | None]:
    spec = EvaluationSpec.create({"metrics": names, "metric_options": options})
    answered = read_answers(("a.jsonl", json.dumps(row).encode()))
    found = finished(score_answered(answered, spec, "I do not know", embed_words, names=names))
    return {name: found.scored.scores[name][0].value for name in names}


def test_a_rule_stands_in_one_scoring_under_several_names():
    row = {"answer": "Hello, it costs EUR 30."}
    assert scored(row, [*OPTIONS], OPTIONS) == {
        "must_match:price": 1.0,
        "must_match:greeting": 1.0,
        "max_words": 0.0,
        "max_words:summary": 1.0,
        "valid_json:ticket": 0.0,
    }
    assert scored({"answer": '{"a": 1}'}, ["valid_json:ticket"], OPTIONS) == {"valid_json:ticket": 1.0}


def test_ranks_stand_for_several_k_in_one_scoring():
    row = {"contexts_id": ["x", "a", "y", "b"], "reference_context_ids": ["a", "b"]}
    names = ["recall_at_k", "recall_at_k@1", "recall_at_k@2", "hit_rate@1", "ndcg@2"]
    found = scored(row, names, {})
    assert [found[name] for name in names[:4]] == [1.0, 0.0, 0.5, 0.0]
    assert found["ndcg@2"] == pytest.approx((1 / 1.584963) / (1 + 1 / 1.584963), abs=1e-6)
    assert scale_of("ndcg@2").range_words() == scale_of("ndcg").range_words()


def test_they_are_metrics_with_a_label_and_options_of_their_own():
    named = metrics.get("must_match:price")
    assert (named.key, named.label) == ("must_match:price", "Must match: price")
    assert metrics.get("must_match:price") is named
    at_three = make_metric("recall_at_k@3", EvaluationSpec())
    assert at_three.options.k == 3
    assert metrics.get("recall_at_k").Options().k is None
    assert "must_match:price" not in metrics.keys()  # noqa: SIM118 - a registry is no mapping


@pytest.mark.parametrize(
    "name",
    [
        "recall:mine",
        "must_match:",
        "must_match:Not This",
        "mrr@0",
        "mrr@01",
        "mrr@1001",
        "mrr@two",
        "token_f1@3",
        "x@3",
    ],
)
def test_what_has_no_names_or_no_k_is_refused(name):
    assert metrics.find(name) is None
    with pytest.raises(ConfigError, match="There is no metric called"):
        EvaluationSpec.create({"metrics": [name]})


def test_a_named_rule_with_a_wrong_option_is_told():
    with pytest.raises(ConfigError, match="Metric valid_json:ticket: The schema is not JSON"):
        EvaluationSpec.create({"metric_options": {"valid_json:ticket": {"json_schema": "{"}}})


def test_a_named_rule_without_its_pattern_has_no_score():
    assert scored({"answer": "Hello"}, ["must_match:price"], {}) == {"must_match:price": None}
