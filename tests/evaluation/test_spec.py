"""How answers are scored: what recall and robustness are made of, weights, and which settings a score hangs on."""

from __future__ import annotations

import pytest

from evaluation.metrics.base import metrics
from evaluation.metrics.groups import GROUPS
from evaluation.registry import agreements
from evaluation.spec import FAILURES, JUDGE, EvaluationSpec, evaluation_settings, run_settings
from rag_pipeline.errors import ConfigError


def test_agreements_are_the_metrics_that_say_so():
    labels = {"Correctness (offline)", "Semantic similarity", "Token recall", "Answer correctness"}
    assert list(agreements()) == ["correctness_offline", "semantic_similarity", "token_recall", "answer_correctness"]
    assert set(agreements().values()) == labels


def test_a_metric_becomes_an_agreement_by_saying_so(monkeypatch):
    monkeypatch.setattr(metrics.get("token_f1"), "is_agreement", True)
    assert "token_f1" in agreements()
    assert EvaluationSpec.create({"agreement": "token_f1"}).agreement == "token_f1"


@pytest.mark.parametrize("value", ["token_f1", "", "odd", 5, None])
def test_another_agreement_is_refused_with_those_there_are(value):
    words = "Agreement must be correctness_offline, semantic_similarity, token_recall or answer_correctness, not “"
    with pytest.raises(ConfigError, match=f"{words}{value}”") as caught:
        EvaluationSpec.create({"agreement": value})
    assert caught.value.field == "agreement"


def test_weights_may_be_written_as_text():
    spec = EvaluationSpec.create({"weights": "recall=2, brevity=0.5"})
    assert spec.weights == {"recall": 2, "brevity": 0.5}
    with pytest.raises(ConfigError, match="“recall” is not of the form recall=2,brevity"):
        EvaluationSpec.create({"weights": "recall"})


def test_settings_are_found_by_who_reads_them():
    assert list(evaluation_settings(JUDGE)) == ["judge", "judge_votes", "judge_batch"]
    assert all(name.startswith("failure_") for name in evaluation_settings(FAILURES))
    assert all(each.info.read_by for each in evaluation_settings().values())


def test_a_run_has_all_settings():
    assert {"split", "agreement", "chunker", "chunk_size"} <= set(run_settings())


def test_every_group_of_metrics_has_a_heading():
    assert {metric.group for metric in metrics if not metric.__module__.startswith("tests")} == set(GROUPS)


@pytest.mark.parametrize(
    ("name", "key", "options"),
    [
        ("metrics.rag.mrr", "mrr", {}),
        ("metrics.rag.context_correctness", "mrr", {}),
        ("metrics.rag.external_rag.context_correctness.map", "map", {}),
        ("metrics.rag.end_to_end.answer_correctness", "token_recall", {}),
        ("metrics.rag.end_to_end.answer_faithfulness", "k_precision", {"best_context": True}),
        ("metrics.rag.autorag.faithfulness.token_k_precision", "k_precision", {"best_context": True}),
        ("metrics.rag.retrieval_at_k", "hit_rate", {"k": 1}),
    ],
)
def test_names_of_unitxt_are_understood(name, key, options):
    spec = EvaluationSpec.create({"metrics": f"token_f1, {name}"})
    assert spec.metrics == ("token_f1", key)
    assert spec.metric_options == ({key: options} if options else {})


def test_an_option_that_is_given_stays_and_an_unknown_name_is_refused():
    given = {"metrics": ["metrics.rag.retrieval_at_k"], "metric_options": {"hit_rate": {"k": 5}, "mrr": {"k": 3}}}
    assert EvaluationSpec.create(given).metric_options == {"hit_rate": {"k": 5}, "mrr": {"k": 3}}
    with pytest.raises(ConfigError, match=r"no metric called “metrics\.rag\.bert_recall”"):
        EvaluationSpec.create({"metrics": "metrics.rag.bert_recall"})


def test_no_name_of_unitxt_means_two_metrics():
    names = [name for unit in metrics for name in unit.known_as.get("unitxt", ())]
    assert len(names) == len(set(names)) > 15
    assert all(metrics.of_unitxt(name) for name in names)
