"""Summaries of whole runs: what is counted, what is null, what the total is."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.scoring.summaries import cluster_of, summarise
from evaluation.spec import HEADLINE, EvaluationSpec
from evaluation.types import Score
from tests.evaluation.samples import make_sample

KINDS = {
    "recall": ("simple",),
    "robustness": ("complex",),
    "brevity": ("simple", "complex"),
    "knowledge_bounding": ("simple", "complex", "out_of_scope"),
    "context_matching": ("simple", "complex"),
}


def run(values, pairs=6, outside=4, **missing):
    """Return samples and scores of a run whose every score of a metric is `values[metric]`."""
    samples = [make_sample(kind=kind, pair_id=f"p{n}") for n in range(pairs) for kind in ("simple", "complex")]
    samples += [make_sample(kind="out_of_scope", pair_id=f"o{n}", transformation="far") for n in range(outside)]
    scores = {
        name: [Score(values[name]) if each.kind in KINDS[name] else Score.unscored("other kind") for each in samples]
        for name in HEADLINE
    }
    return samples, scores


UNJUDGED, DECLINED = Score.unjudged("the judge is away"), Score.without_judge(0.0, "the answer declines")
VALUES = {"recall": 0.8, "robustness": 0.6, "brevity": 0.4, "knowledge_bounding": 1.0, "context_matching": 0.5}


def test_the_total_is_five_times_the_weighted_mean():
    samples, scores = run(VALUES)
    equal = summarise(samples, scores, EvaluationSpec())["total", ""]
    assert equal.mean == pytest.approx(0.8 + 0.6 + 0.4 + 1.0 + 0.5)
    weighted = summarise(samples, scores, EvaluationSpec(weights={"recall": 3, "brevity": 0}))["total", ""]
    assert weighted.mean == pytest.approx(5 * (3 * 0.8 + 0.6 + 1.0 + 0.5) / 6)


def test_the_total_is_null_when_a_part_is_and_names_it():
    samples, scores = run(VALUES, outside=0)
    total = summarise(samples, scores, EvaluationSpec())["total", ""]
    assert total.mean is None
    assert total.reason == "no total without Knowledge bounding (there are no out-of-scope questions)"


def test_several_missing_parts_are_only_named():
    samples, scores = run(VALUES, pairs=0)
    total = summarise(samples, scores, EvaluationSpec())["total", ""]
    assert total.reason == "no total without Recall, Robustness, Brevity, Knowledge bounding and Context matching"


def test_a_part_without_weight_is_not_needed():
    samples, scores = run(VALUES, outside=0)
    total = summarise(samples, scores, EvaluationSpec(weights={"knowledge_bounding": 0}))["total", ""]
    assert total.mean == pytest.approx(5 * (0.8 + 0.6 + 0.4 + 0.5) / 4)


def test_twin_loss_is_paired():
    samples, scores = run(VALUES)
    scores["robustness"][1] = Score.unscored("the question failed: no")
    loss = summarise(samples, scores, EvaluationSpec())["robustness", "twin_loss"]
    assert (loss.mean, loss.n, loss.n_null) == (pytest.approx(0.2), 5, 1)


def test_repeats_and_twins_are_one_cluster_and_kinds_are_strata():
    assert cluster_of(make_sample(pair_id="p1")) == cluster_of(make_sample(pair_id="p1", kind="complex", repeat=2))
    assert cluster_of(make_sample(pair_id="p1")) != cluster_of(make_sample(pair_id="p1", kind="out_of_scope"))
    assert cluster_of(make_sample(pair_id="", question_id="q7")) == ("answerable", "q7")


def test_the_commonest_reason_explains_an_empty_mean():
    samples, scores = run(VALUES)
    scores["brevity"] = [Score.unscored("the answer declines")] * 11 + [Score.unscored("the answer is empty")] * 5
    assert summarise(samples, scores, EvaluationSpec())["brevity", ""].reason == "the answer declines"


@pytest.mark.parametrize(
    ("rows", "mean", "reason"),
    [
        ([UNJUDGED, DECLINED], None, "the judge is away (the 1 row with a score needed no judge)"),
        ([UNJUDGED, UNJUDGED], None, "the judge is away"),
        ([UNJUDGED, DECLINED, Score(0.8, "fits")], 0.4, ""),
        ([DECLINED, Score.unscored("it was rightly declined")], 0.0, ""),
    ],
)
def test_rows_that_need_no_judge_are_no_score_where_all_others_have_no_verdict(rows, mean, reason):
    samples = [make_sample(pair_id=f"p{n}") for n in range(len(rows))]
    found = summarise(samples, {"answer_relevancy": rows}, EvaluationSpec())
    whole, group = (found["answer_relevancy", each] for each in ("", "kind:simple"))
    assert (whole.mean, whole.reason) == (group.mean, group.reason) == (pytest.approx(mean), reason)
    assert whole.n == sum(row.value is not None for row in rows)


cells = st.one_of(st.none(), st.floats(0, 1))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["simple", "complex", "out_of_scope"]), *[cells] * 5), max_size=15))
def test_what_holds_for_any_run(rows):
    samples = [make_sample(kind=kind, pair_id=f"{kind == 'out_of_scope'}{n // 2}") for n, (kind, *_) in enumerate(rows)]
    scores = {
        name: [
            Score.unscored("why") if row[at] is None or row[0] not in KINDS[name] else Score(row[at]) for row in rows
        ]
        for at, name in enumerate(HEADLINE, 1)
    }
    summaries = summarise(samples, scores, EvaluationSpec())
    for (metric, group), each in summaries.items():
        assert (each.mean is None) == (each.ci_low is None) == (each.ci_high is None)
        assert bool(each.reason) == (each.mean is None)
        if not group:
            assert each.n + each.n_null == len(rows)
        if each.mean is not None:
            least, most = -1 if group == "twin_loss" else 0, 5 if metric == "total" else 1
            assert least <= each.ci_low <= each.mean <= each.ci_high <= most
            assert each.ci_low < each.ci_high
