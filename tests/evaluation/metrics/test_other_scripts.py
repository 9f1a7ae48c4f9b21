"""Words of scripts that are written without spaces: no number where they cannot be told apart."""

from __future__ import annotations

import pytest

from evaluation.metrics.base import MetricContext, make_metric
from evaluation.spec import EvaluationSpec
from evaluation.types import Refusal, Sample, Score
from rag_pipeline.types import Context, Span, Trace

LEXICAL = ("token_recall", "token_precision", "token_f1", "rouge_l", "k_precision", "reference_context_recall")


def score(metric: str, answer: str, other: str) -> Score:
    """Score an answer against `other`, which is reference, context and reference context at once."""
    context = Context(Span(1, 0, len(answer)), "1", other if metric == "k_precision" else answer, 1.0, 1)
    sample = Sample(
        "q", "q", "simple", Trace("?", answer, (context,)), reference_answers=(other,), reference_contexts=(other,)
    )
    spec = EvaluationSpec.create()
    return make_metric(metric, spec).score_many([sample], MetricContext(spec, [Refusal("attempt")], lambda _: []))[0]  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize("metric", LEXICAL)
@pytest.mark.parametrize(
    ("answer", "other"), [("电话是由贝尔发明的。", "贝尔发明了电话"), ("เมืองหลวงคือกรุงเทพ", "กรุงเทพ")]
)
def test_runs_without_spaces_that_differ_have_no_score(metric: str, answer: str, other: str) -> None:
    found = score(metric, answer, other)
    assert found.value is None
    assert "not set apart by spaces" in found.reason


@pytest.mark.parametrize("metric", LEXICAL)
def test_equal_runs_without_spaces_are_equal(metric: str) -> None:
    assert score(metric, "贝尔发明了电话", "贝尔发明了电话").value == 1


@pytest.mark.parametrize("metric", LEXICAL)
def test_a_name_in_such_a_script_that_only_one_text_has_is_simply_missing(metric: str) -> None:
    assert score(metric, "Bell 电话", "Bell").value not in (None, 0)
    assert score(metric, "電話", "a telephone").value == 0


@pytest.mark.parametrize("metric", LEXICAL)
def test_arabic_has_words(metric: str) -> None:
    assert score(metric, "ولد في لندن", "ولد في باريس").value == pytest.approx(2 / 3)


def test_an_exact_match_needs_no_words() -> None:
    assert score("exact_match", "电话是由贝尔发明的", "贝尔").value == 0
