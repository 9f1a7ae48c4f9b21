"""Metrics against marks: numbers worked by hand, scipy and scikit-learn, and what holds for any data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.statistics.calibration import Marked, agreement, couples, oriented
from evaluation.statistics.correlations import average_ranks, correlations, spearman
from evaluation.statistics.roc import auroc, auroc_estimate, newcombe
from evaluation.statistics.thresholds import best_threshold, corrected
from tests.commands import ROOT

R, W = True, False

MARKED = st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=4, max_size=40).filter(
    lambda rows: len({mark for _, mark in rows}) == 2
)


def arrays(rows):
    return np.array([score / 6 for score, _ in rows]), np.array([mark for _, mark in rows])


def noisy(n=60, signal=1.0, seed=1, per_cluster=1):
    """Return rows whose scores rise with the mark by `signal` standard deviations."""
    rng = np.random.default_rng(seed)
    marks = rng.random(n) < 0.5
    return Marked.of(rng.normal(size=n) + signal * marks, marks, [str(row // per_cluster) for row in range(n)])


def test_auroc_counts_couples_in_order_and_ties_as_half():
    # right: 0.9, 0.5, 0.2; wrong: 0.5, 0.1. Couples: 0.9 wins two, 0.5 ties and wins, 0.2 loses and wins.
    assert auroc(np.array([0.9, 0.5, 0.2, 0.5, 0.1]), np.array([R, R, R, W, W])) == pytest.approx((2 + 1.5 + 1) / 6)


@settings(max_examples=40)
@given(MARKED)
def test_auroc_agrees_with_scikit_learn_and_with_mann_whitney(rows):
    from scipy import stats as scipy_stats
    from sklearn.metrics import roc_auc_score

    scores, marks = arrays(rows)
    assert auroc(scores, marks) == pytest.approx(roc_auc_score(marks, scores))
    u = scipy_stats.mannwhitneyu(scores[marks], scores[~marks]).statistic
    assert auroc(scores, marks) == pytest.approx(u / (marks.sum() * (~marks).sum()))


@settings(max_examples=40)
@given(MARKED)
def test_turning_scores_round_turns_the_auroc_round(rows):
    scores, marks = arrays(rows)
    turned = np.array(oriented(list(scores), higher_is_better=False))
    assert auroc(turned, marks) == pytest.approx(1 - auroc(scores, marks))


def test_newcombes_interval_solves_its_own_equation():
    low, high = newcombe(0.8, 12, 9)
    for edge in (low, high):
        half = (12 + 9) / 2 - 1
        variance = edge * (1 - edge) * (1 + half * (1 - edge) / (2 - edge) + half * edge / (1 + edge)) / (12 * 9)
        assert abs(0.8 - edge) == pytest.approx(1.959964 * variance**0.5, rel=1e-6)
    assert newcombe(1.0, 12, 9)[1] == 1
    assert newcombe(1.0, 12, 9)[0] < 0.9  # a perfect order of 21 answers does not prove a perfect metric


def test_the_interval_of_the_auroc_holds_its_value_and_narrows_with_more_marks():
    few, many = (auroc_estimate(rows.scores, rows.marks, rows.clusters) for rows in (noisy(20), noisy(300)))
    for found in (few, many):
        assert found.low < found.mean < found.high
    assert many.high - many.low < few.high - few.low


def test_answers_that_belong_together_make_the_interval_wider():
    alone = noisy(120)
    together = Marked.of(np.repeat(alone.scores[:30], 4), np.repeat(alone.marks[:30], 4), np.repeat(range(30), 4))
    apart = Marked.of(together.scores, together.marks)
    wide, narrow = (auroc_estimate(each.scores, each.marks, each.clusters) for each in (together, apart))
    assert wide.mean == narrow.mean
    assert wide.high - wide.low > 1.3 * (narrow.high - narrow.low)


def test_the_best_threshold_lies_in_the_widest_of_the_best_gaps():
    # ≥ 0.55 (between 0.4 and 0.7): six of seven, only the right answer at 0.3 is missed.
    found = best_threshold(np.array([0.9, 0.8, 0.7, 0.3, 0.4, 0.2, 0.1]), np.array([R, R, R, R, W, W, W]))
    assert found.value == pytest.approx(0.55)
    assert found.accuracy == pytest.approx(6 / 7)
    # calls: 3 right, 4 wrong; marks: 4 right, 3 wrong. e = (3·4 + 4·3)/49 = 24/49; kappa = (42 − 24)/(49 − 24).
    assert found.kappa == pytest.approx(18 / 25)
    assert not found.constant


def test_a_threshold_that_calls_all_answers_alike_says_so():
    found = best_threshold(np.array([0.5, 0.5, 0.5]), np.array([W, W, R]))
    assert (found.constant, found.accuracy, found.kappa) == (True, pytest.approx(2 / 3), 0)


@settings(max_examples=40)
@given(MARKED)
def test_no_threshold_at_all_does_better_than_the_best(rows):
    scores, marks = np.array([float(score) for score, _ in rows]), np.array([mark for _, mark in rows])
    found = best_threshold(scores, marks)
    tried = [np.mean((scores >= value - 0.5) == marks) for value in range(9)]
    assert found.accuracy == pytest.approx(max(tried))
    assert found.accuracy == pytest.approx(np.mean((scores >= found.value) == marks))
    assert found.accuracy > max(marks.mean(), 1 - marks.mean()) - 1e-9


@settings(max_examples=40)
@given(MARKED)
def test_kappa_agrees_with_scikit_learn(rows):
    from sklearn.metrics import cohen_kappa_score

    scores, marks = arrays(rows)
    found = best_threshold(scores, marks)
    called = scores >= found.value
    assert found.constant == (len(set(called)) == 1)
    assert found.kappa == pytest.approx(0 if found.constant else cohen_kappa_score(called, marks))


def corrections(signal, n=40, runs=40):
    """Return the mean accuracy of the best threshold, on its own rows and corrected, over many samples."""
    rows = [noisy(n, signal, seed) for seed in range(runs)]
    best = [best_threshold(each.scores, each.marks) for each in rows]
    found = [corrected(each.scores, each.marks, each.clusters, resamples=100) for each in rows]
    return np.mean([each.accuracy for each in best]), np.mean([each.accuracy for each in found]), found


def test_what_a_threshold_gains_by_luck_is_taken_off_again():
    flattered, honest, found = corrections(0.0)
    assert flattered > 0.6  # scores that say nothing: 0.5 is the truth
    assert honest == pytest.approx(0.52, abs=0.03)
    assert abs(np.mean([each.kappa for each in found])) < 0.08
    flattered, honest, _ = corrections(1.5)
    assert flattered > 0.8
    assert honest == pytest.approx(0.773, abs=0.02)  # Φ(0.75), the best that any threshold can do


def test_a_score_that_is_always_the_same_is_no_better_than_chance():
    marks = np.array([R, W] * 20)
    found = corrected(np.full(40, 0.5), marks, [str(row) for row in range(40)])
    assert 0.4 < found.accuracy <= 0.5
    assert found.kappa == 0


def test_a_metric_that_parts_right_from_wrong_keeps_its_accuracy():
    rows = Marked.of([0.9, 0.8] * 6 + [0.2, 0.1] * 6, [R] * 12 + [W] * 12)
    found = corrected(rows.scores, rows.marks, rows.clusters)
    assert (found.accuracy, found.kappa) == (1, 1)
    assert found.low == pytest.approx(24 / (24 + 1.959964**2))  # Wilson's 24 of 24


def test_pairwise_accuracy_stays_within_the_question():
    # Hard question: right 0.4, wrong 0.2 and 0.4. Easy one: right 0.9, 0.7, wrong 0.8. A third has no wrong answer.
    scores = [0.4, 0.2, 0.4, 0.9, 0.7, 0.8, 0.1]
    rows = Marked.of(scores, [R, W, W, R, R, W, R], ["hard"] * 3 + ["easy"] * 3 + ["third"])
    values, clusters = couples(rows)
    assert sorted(zip(clusters, values, strict=True)) == [("easy", 0), ("easy", 1), ("hard", 0.5), ("hard", 1)]
    everything = Marked.of(scores, rows.marks, ["one"] * 7)
    assert np.mean(couples(everything)[0]) == pytest.approx(auroc(rows.scores, rows.marks))


@pytest.mark.parametrize(
    "marks, reason",
    [
        ([], "none of the marked answers have this score; 10 are needed"),
        ([R], "1 of the marked answers has this score; 10 are needed"),
        ([R] * 12, "none of the 12 marked answers with this score are wrong; 3 are needed"),
        ([R] * 12 + [W], "only 1 of the 13 marked answers with this score is wrong; 3 are needed"),
        ([W] * 12 + [R, R], "only 2 of the 14 marked answers with this score are right; 3 are needed"),
    ],
)
def test_too_few_marks_give_a_reason_and_no_number(marks, reason):
    found = agreement(Marked.of([0.5] * len(marks), marks))
    assert (found.reason, found.n, found.positive) == (reason, len(marks), sum(marks))
    assert (found.auroc, found.best, found.corrected, found.pairwise) == (None, None, None, None)


def test_a_score_that_is_the_same_for_all_says_nothing():
    found = agreement(Marked.of([0.5] * 12, [R, W] * 6))
    assert (found.reason, found.auroc) == ("all 12 marked answers have the same score", None)


def test_agreement_brings_everything_together_as_in_the_worked_example_of_the_docs():
    scores = [0.9, 0.6, 0.8, 0.3, 0.75, 0.5, 0.6, 0.4, 0.9, 0.2, 0.5, 0.5]
    found = agreement(Marked.of(scores, [R, W] * 6, [str(row // 2) for row in range(12)]))
    assert (found.n, found.positive, found.commoner, found.couples) == (12, 6, 0.5, 6)
    auroc_found, pairwise, best, fair = found.auroc, found.pairwise, found.best, found.corrected
    assert auroc_found.mean == pytest.approx(33.5 / 36)
    assert pairwise.mean == pytest.approx(5.5 / 6)
    assert (best.value, best.accuracy, best.kappa) == pytest.approx((0.675, 10 / 12, 2 / 3))
    page = (ROOT / "docs" / "calibration.md").read_text(encoding="utf-8")
    for text in (
        f"33.5 of 36 = {auroc_found.mean:.2f}, 95 % interval {auroc_found.low:.2f} to {auroc_found.high:.2f}.",
        f"5.5 of 6 = {pairwise.mean:.2f}.",
        f"Corrected: {fair.accuracy:.2f}, {fair.low:.2f} to {fair.high:.2f}.",
        f"{best.kappa:.2f} at its best, {fair.kappa:.2f} corrected.",
    ):
        assert text in page


def test_marks_that_share_no_question_have_no_pairwise_accuracy():
    found = agreement(noisy(40))
    assert found.pairwise is None
    assert found.pairwise_reason.startswith(
        "0 couples of a right and a wrong answer to the same question; 5 are needed"
    )


def test_the_same_marks_give_the_same_numbers():
    assert agreement(noisy(40, per_cluster=2)) == agreement(noisy(40, per_cluster=2))


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=10, max_size=40))
def test_spearman_agrees_with_scipy(rows):
    from scipy import stats as scipy_stats

    first, second = (np.array(side, float) for side in zip(*rows, strict=True))
    found = spearman(first, second)
    if len(set(first)) == 1 or len(set(second)) == 1:
        assert (found.value, found.reason) == (None, "one of the two is the same for all of them")
    else:
        assert found.value == pytest.approx(scipy_stats.spearmanr(first, second).statistic)
        assert found.low <= found.value <= found.high


def test_only_rows_that_both_scored_are_correlated():
    first = np.array([1.0, 2, 3, 4, 5, 6, 7, 8, 9, 10, np.nan, 0])
    second = np.array([2.0, 1, 4, 3, 6, 5, 8, 7, 10, 9, 5, np.nan])
    found = spearman(first, second)
    # Ten neighbours changed places: the squared differences of ranks add up to 10. ρ = 1 − 6·10/(10·99).
    assert (found.n, found.value) == (10, pytest.approx(1 - 60 / 990))
    short = spearman(first[:9], second[:9])
    assert (short.value, short.reason) == (None, "9 answers have both; 10 are needed")
    assert spearman(first, -first).value == -1


def test_equal_values_share_the_mean_of_their_ranks():
    assert list(average_ranks(np.array([0.5, 0.1, 0.5, 0.9]))) == [2.5, 1, 2.5, 4]


def test_a_table_of_correlations_is_symmetric_with_ones_in_the_diagonal():
    rng = np.random.default_rng(2)
    table = correlations([rng.random(30) for _ in range(3)])
    assert [table[place][place].value for place in range(3)] == [1, 1, 1]
    assert table[0][2] == table[2][0]
