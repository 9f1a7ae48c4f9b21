"""Retrieval metrics by rank: against ir-measures, and by spans by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import AP, RR, P, R, ScoredDoc, Success, nDCG

from evaluation.metrics.base import metrics
from evaluation.metrics.ranked import CutoffOptions
from evaluation.types import Sample, Score
from tests.evaluation.samples import make_context, make_sample

IDS = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=8)
NAMES = ("mrr", "map", "hit_rate", "precision_at_k", "recall_at_k", "ndcg")


def with_ids(found: list[str], gold: list[str]) -> Sample:
    return replace(make_sample(), context_ids=tuple(found), reference_context_ids=tuple(gold))


def score(name: str, sample: Sample, k: int | None = None) -> Score:
    return metrics.get(name)(CutoffOptions(k=k)).score_many([sample], make_context())[0]


@given(found=IDS, gold=IDS, top_k=st.integers(1, 10))
def test_ndcg_without_k_has_the_ideal_of_ir_measures_over_the_ranks_asked_for(found, gold, top_k):
    """A run knows its top k, whatever came back; of another system's answers all gold is the ideal."""
    ranked = list(dict.fromkeys(found))[:top_k]
    run = [ScoredDoc("q", each, float(-rank)) for rank, each in enumerate(ranked)]
    theirs = ir_measures.calc_aggregate(
        [nDCG, nDCG @ top_k], [ir_measures.Qrel("q", each, 1) for each in set(gold)], run
    )
    sample = with_ids(ranked, gold)
    assert score("ndcg", sample).value == pytest.approx(theirs[nDCG], abs=1e-9)
    assert score("ndcg", replace(sample, ranks_asked=top_k)).value == pytest.approx(theirs[nDCG @ top_k], abs=1e-9)


def test_one_hit_of_three_gold_is_no_perfect_ndcg():
    assert score("ndcg", with_ids(["a"], ["a", "b", "c"])).value == pytest.approx(1 / (1 + 1 / math.log2(3) + 1 / 2))


@given(found=IDS, gold=IDS, k=st.integers(1, 10))
def test_equal_to_ir_measures(found, gold, k):
    ranked = list(dict.fromkeys(found))
    theirs = {"mrr": RR @ k, "map": AP @ k, "hit_rate": Success @ k, "precision_at_k": P @ k, "recall_at_k": R @ k}
    theirs["ndcg"] = nDCG @ k
    run = [ScoredDoc("q", each, float(-rank)) for rank, each in enumerate(ranked)]
    expected = ir_measures.calc_aggregate(theirs.values(), [ir_measures.Qrel("q", each, 1) for each in set(gold)], run)
    for name, measure in theirs.items():
        assert score(name, with_ids(found, gold), k).value == pytest.approx(expected[measure], abs=1e-9), name


def test_an_id_that_comes_again_counts_once_at_its_first_rank():
    assert score("precision_at_k", with_ids(["a", "a", "b", "x"], ["a", "b"])).value == pytest.approx(2 / 3)
    assert score("map", with_ids(["x", "a", "a", "b"], ["a", "b"])).value == pytest.approx((1 / 2 + 2 / 3) / 2)


@pytest.mark.parametrize("name", NAMES)
def test_no_gold_is_empty_and_nothing_retrieved_is_0(name):
    assert score(name, with_ids(["a"], [])) == Score.unscored("the question has no gold ids")
    assert score(name, with_ids([], ["a"])) == Score(0.0, "nothing was retrieved")


def test_in_a_run_of_our_own_half_of_the_evidence_makes_a_context_gold_once():
    text = "x" * 100
    sample = make_sample(
        document=text, evidence=[(0, 20), (50, 60)], contexts=[(1, 80, 100), (1, 10, 30), (1, 0, 20), (2, 50, 60)]
    )
    # Rank 2 covers 10 of 20 characters: gold. Rank 3 covers the same span again: not counted. Rank 4: other document.
    assert score("mrr", sample).value == 1 / 2
    assert score("recall_at_k", sample).value == 1 / 2
    assert score("precision_at_k", sample).value == 1 / 4
    assert score("map", sample).value == pytest.approx(1 / 2 / 2)


def test_a_context_that_holds_two_spans_finds_both():
    sample = make_sample(document="x" * 100, evidence=[(0, 10), (20, 30)], contexts=[(1, 0, 40)])
    assert score("recall_at_k", sample).value == 1.0
    assert score("map", sample).value == 1.0
    assert score("ndcg", sample).value == 1.0
    twice = replace(sample, trace=replace(sample.trace, contexts=sample.trace.contexts * 2), ranks_asked=2)
    assert score("ndcg", twice).value == 1.0


def test_span_precision_and_iou_by_hand():
    text = "abcd efgh ijkl mnop"
    # Evidence "efgh" and "mnop"; context "cd efgh ij": 8 characters without white space, 4 of them evidence.
    sample = make_sample(document=text, evidence=[(5, 9), (15, 19)], contexts=[(1, 2, 12), (1, 2, 9)])
    assert score_of("span_precision", sample) == pytest.approx(4 / 8)
    assert score_of("span_iou", sample) == pytest.approx(4 / (8 + 4))
    assert score_of("context_matching", sample) == pytest.approx(4 / 8)
    assert score_of("span_precision", make_sample(document=text, evidence=[(5, 9)])) == 0.0


def test_a_repeat_of_the_evidence_elsewhere_is_as_good():
    text = "abcd efgh"
    sample = make_sample(document=text, evidence=[(0, 4)], contexts=[(1, 5, 9)], equivalents=[[(1, 5, 9)]])
    assert (score_of("span_precision", sample), score_of("span_iou", sample)) == (1.0, 1.0)


def score_of(name: str, sample: Sample) -> float | None:
    return metrics.get(name)().score_many([sample], make_context())[0].value
