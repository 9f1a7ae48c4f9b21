"""The recommendation: the cheapest that is not worse, its sentence, and what was not measured."""

from __future__ import annotations

from evaluation.experiments.recommendation import Basis, Offer, recommend, remarks, without_effect
from evaluation.experiments.verdicts import BEST, EQUIVALENT, IDENTICAL, SAME, WORSE, Standing

BASIS = Basis(pairs=60, documents=5, evidence_documents=5, score="recall")


def offer(number: int, mean: float, word: str, low: float | None = None, **facts) -> Offer:
    difference = None if low is None else low + 0.005
    return Offer(number, f"chunk size {number}00", mean, Standing(word, difference, low), **facts)


def test_the_cheapest_that_is_not_worse():
    offers = [
        offer(1, 0.70, WORSE, -0.2, context_tokens=100.0),
        offer(2, 0.81, EQUIVALENT, -0.014, context_tokens=400.0),
        offer(3, 0.82, BEST, context_tokens=800.0),
    ]
    found = recommend(offers, 0.02, BASIS)
    assert found.number == 2
    assert (
        found.reason
        == (
            "Use chunk size 200: recall 0.81, at most 0.01 below the best (chunk size 300, 0.82), with 400 tokens of "
            "context instead of 800 (50 % fewer)."
        )
        or "at most 0.02 below" in found.reason
    )
    assert found.remarks == []


def test_what_might_be_worse_by_delta_is_not_taken_however_cheap():
    offers = [offer(1, 0.80, SAME, -0.05, context_tokens=10.0), offer(2, 0.82, BEST, context_tokens=800.0)]
    found = recommend(offers, 0.02, BASIS)
    assert found.number == 2
    assert found.reason == (
        "There is no clear winner: chunk size 200 is ahead with recall 0.82, but these 60 pairs cannot tell it from "
        "the other."
    )


def test_cost_counts_where_the_contexts_are_as_long_and_time_where_that_is_equal_too():
    same = {"context_tokens": 400.2}
    dear = offer(1, 0.8, BEST, **same, cost_usd=0.02, latency_s=1.0)
    cheap = offer(2, 0.8, IDENTICAL, 0.0, context_tokens=399.9, cost_usd=0.01, latency_s=3.0)
    assert recommend([dear, cheap], 0.02, BASIS).number == 2
    slow = offer(1, 0.8, BEST, **same, latency_s=2.0)
    fast = offer(2, 0.8, IDENTICAL, 0.0, **same, latency_s=1.0)
    found = recommend([slow, fast], 0.02, BASIS)
    assert found.number == 2
    assert "in 1.00 s instead of 2.00 s a question" in found.reason


def test_where_all_takes_the_same_the_best_stays():
    offers = [offer(1, 0.79, EQUIVALENT, -0.01), offer(2, 0.8, BEST)]
    assert recommend(offers, 0.02, BASIS).number == 2


def test_a_clear_winner_says_so_and_what_is_open():
    offers = [offer(1, 0.9, BEST), offer(2, 0.6, WORSE, -0.4), offer(3, 0.88, SAME, -0.06)]
    assert recommend(offers, 0.02, BASIS).reason == (
        "Use chunk size 100: recall 0.90, the best, and nothing cheaper is within 0.02 of it; the other cannot be "
        "told from it yet."
    )


def test_nothing_scored_recommends_nothing():
    assert recommend([], 0.02, BASIS).number is None


def test_it_says_where_nothing_was_measured():
    ceiling = [offer(1, 0.99, BEST, chunks=5), offer(2, 0.985, EQUIVALENT, -0.01, chunks=5)]
    said = " ".join(remarks(ceiling, Basis(8, 5, 1, "recall")))
    assert "ceiling" in said
    assert "single chunk" in said
    assert "one document" in said
    assert "only 8 pairs" in said
    assert remarks([offer(1, 0.5, BEST, chunks=50)], BASIS) == []


def test_a_part_that_changed_no_ranking_is_named():
    def made(number: int, size: int, reranker: str, contexts: str) -> Offer:
        swept = (("Chunk size", size), ("Reranker", reranker))
        return offer(number, 0.5, SAME, -0.1, contexts=contexts, swept=swept)

    same = [made(1, 200, "none", "x"), made(2, 200, "llm", "x"), made(3, 400, "none", "y"), made(4, 400, "llm", "y")]
    assert without_effect(same) == ["Reranker"]
    assert without_effect([*same[:3], made(4, 400, "llm", "z")]) == []
    assert without_effect(same[:1]) == []
