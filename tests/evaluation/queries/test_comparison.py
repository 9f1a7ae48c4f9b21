"""Score cards and comparisons say what changed, by how much and how surely."""

from __future__ import annotations

import math

import pytest

from evaluation.queries.comparison import score_cards
from evaluation.spec import EvaluationSpec
from evaluation.types import DraftQuestion
from tests.compared import compare_runs
from tests.factories import REFUSAL, make_run, make_testset

pytestmark = pytest.mark.django_db


def many_questions(pairs=12):
    """Return a test set of simple questions and as many out-of-scope ones."""
    drafts = [
        DraftQuestion(f"q{number}", f"q{number}", "simple", f"What is the word number {number}?", ("alpha beta",))
        for number in range(pairs)
    ]
    drafts += [
        DraftQuestion(f"o{number}", f"o{number}", "out_of_scope", f"Who is {number}?") for number in range(pairs)
    ]
    return make_testset(drafts=drafts)


def test_a_clear_gain_is_better_with_numbers_worked_by_hand():
    testset = many_questions()
    before = make_run(testset, answers={f"q{number}": "alpha" for number in range(12)})
    after = make_run(testset)
    difference = next(each for each in compare_runs(a=before, b=after).differences if each.metric == "recall")
    assert (difference.mean_diff, difference.n, difference.clusters) == (0.5, 12, 12)
    # The interval reaches 0 where 1.5 q = 0.5, so z² = 12 / 2: p = erfc(√3).
    assert difference.p == pytest.approx(math.erfc(math.sqrt(3)))
    assert difference.verdict == "better"
    # All differ by 0.5: at most q = z²/(12 + z²) of others may not, from −1 to 1.
    q = 1.959964**2 / (12 + 1.959964**2)
    assert (difference.ci_low, difference.ci_high) == pytest.approx((0.5 - 1.5 * q, 0.5 + 0.5 * q))
    assert difference.sentence.startswith("Recall +0.50 on 12 questions (95 % interval +0.14 to +0.62, p = 0.014)")


def test_what_stands_when_all_are_looked_at():
    testset = many_questions()
    before = make_run(testset, answers={f"q{number}": "alpha" for number in range(12)})
    found = compare_runs(a=before, b=make_run(testset))
    # Recall and brevity alike have p = 0.014: among the five that could be compared, 5 · 0.014 = 0.07 is too much.
    clear = [each for each in found.differences if each.verdict == "better"]
    assert clear
    compared = sum(each.p is not None for each in found.differences)
    assert found.together.startswith(f"Corrected for looking at {compared} differences at once (Holm), ")
    assert compare_runs(a=before, b=before).together == ""


def test_the_same_answers_are_not_distinguishable():
    testset = many_questions()
    comparison = compare_runs(a=make_run(testset), b=make_run(testset))
    recall = comparison.differences[0]
    assert (recall.mean_diff, recall.p, recall.verdict) == (0, 1, "not distinguishable")
    assert recall.ci_low < 0 < recall.ci_high
    assert recall.sentence.startswith("Recall is unchanged on 12 questions")
    assert (comparison.won, comparison.lost, comparison.same, comparison.settings) == ([], [], 24, [])


def test_few_pairs_are_said_to_be_too_few():
    testset = make_testset()
    before = make_run(testset, answers=dict.fromkeys(("p1s", "p2s", "p3s"), "Cairo"))
    recall = compare_runs(a=before, b=make_run(testset)).differences[0]
    assert recall.verdict == "not distinguishable"
    assert recall.sentence.endswith("not distinguishable; 3 pairs are too few to tell.")


def test_questions_won_and_lost_come_with_both_answers():
    testset = make_testset()
    before = make_run(testset, answers={"p1s": "Cairo", "p2s": "July"}, settings={"chunk_size": 300})
    after = make_run(testset, answers={"o1": "It weighs 760 kg."}, settings={"chunk_size": 900})
    comparison = compare_runs(a=before, b=after)
    assert [(each.question.question_id, each.change) for each in comparison.won] == [("p1s", 1), ("p2s", 0.5)]
    (lost,) = comparison.lost
    assert (lost.a.text, lost.b.text, lost.metric) == (REFUSAL, "It weighs 760 kg.", "knowledge_bounding")
    assert (comparison.same, comparison.uncompared, comparison.won_count, comparison.lost_count) == (5, 0, 2, 1)
    assert [(each.name, each.label, each.a, each.b) for each in comparison.settings] == [
        ("chunk_size", "Chunk size", 300, 900)
    ]


def test_a_failed_question_is_not_compared():
    testset = make_testset()
    before = make_run(testset, errors={"p1s": "The server is down."})
    comparison = compare_runs(a=before, b=make_run(testset))
    assert (comparison.uncompared, comparison.same) == (1, 7)
    assert next(each for each in comparison.differences if each.metric == "recall").n == 2


def test_runs_scored_differently_are_not_compared_and_it_says_so():
    testset = make_testset()
    other = make_run(testset, evaluation={"agreement": "semantic_similarity", "refusal_threshold": 0.7})
    comparison = compare_runs(a=make_run(testset), b=other)
    assert "different settings (Agreement, Refusal threshold)" in comparison.note
    assert all(each.mean_diff is None and each.reason == comparison.note for each in comparison.differences)


def test_limits_of_failure_points_and_a_judge_beside_the_five_leave_runs_comparable():
    testset = make_testset()
    a = make_run(testset)
    b = make_run(testset, evaluation={"failure_context": 0.9, "failure_brevity": 0.2, "judge_votes": 3})
    assert compare_runs(a=a, b=b).note == ""


def test_runs_on_different_test_sets_have_nothing_to_compare():
    first, second = make_run(), make_run(many_questions())
    assert "no question in common" in compare_runs(a=first, b=second).note


def test_an_unscored_run_is_named():
    testset = make_testset()
    run = make_run(testset, scored=False, name="Waiting")
    assert compare_runs(a=run, b=make_run(testset)).note == "Waiting has no scores yet."


def test_cards_stand_beside_the_previous_and_the_preferred_run():
    testset = many_questions()
    previous = make_run(testset, answers={f"q{number}": "alpha" for number in range(12)})
    preferred = make_run(testset, answers={f"o{number}": "It is me." for number in range(12)})
    cards = {card.metric: card for card in score_cards(run=make_run(testset), previous=previous, preferred=preferred)}
    assert list(cards) == ["recall", "robustness", "brevity", "knowledge_bounding", "context_matching", "total"]
    recall = cards["recall"]
    assert recall.previous is not None
    assert (recall.previous.verdict, recall.preferred_value) == ("better", 1)
    bounding = cards["knowledge_bounding"]
    assert bounding.preferred is not None
    assert (bounding.preferred.mean_diff, bounding.preferred_value) == (0.5, 0.5)
    assert bounding.preferred.verdict == "better"
    assert bounding.hint == "attempted 100 %, answered rightly 100 %, refused 100 %. 0.5 means no discrimination."
    assert {group.group for group in bounding.groups} == {"attempted", "right", "refused", "kind:simple"}
    assert cards["robustness"].summary.reason == "there are no complex questions"
    assert cards["total"].summary.mean is None
    assert cards["total"].high == 5


def test_an_unscored_run_has_no_cards():
    assert score_cards(run=make_run(scored=False)) == []


def test_more_questions_take_no_more_queries(django_assert_max_num_queries):
    few, many = make_testset(), many_questions(30)
    for testset in (few, many):
        a, b = make_run(testset), make_run(testset, answers=dict.fromkeys(("p1s", "q1", "q2", "q3"), "Cairo"))
        with django_assert_max_num_queries(22):
            compare_runs(a=a, b=b)
        with django_assert_max_num_queries(10):
            score_cards(run=b, previous=a, preferred=a)


def further(a, b):
    return {each.metric: each for each in compare_runs(a=a, b=b, further=True).further}


def test_further_metrics_that_both_hold_are_compared_too():
    testset = many_questions()
    names = ["token_f1", "latency_s", "rouge_l"]
    before = make_run(testset, {f"q{number}": "alpha" for number in range(12)}, evaluation={"metrics": names})
    after = make_run(testset, evaluation={"metrics": ["latency_s", "token_f1", "mrr"]})
    comparison = compare_runs(a=before, b=after, further=True)
    assert [each.metric for each in comparison.further] == ["latency_s", "token_f1"]
    assert comparison.only_one == ["MRR", "ROUGE-L"]
    f1 = comparison.further[1]
    # one of two words: precision 1, recall 1/2, so F1 2/3; then both words: 1
    assert (f1.mean_diff, f1.n, f1.verdict) == (pytest.approx(1 / 3), 12, "better")
    assert compare_runs(a=before, b=after).further == []
    # Without a run value the rows that have one, such as refusals that no judge was asked about, are not compared.
    after.current_scoring.metrics.filter(metric="token_f1", group="").update(mean=None)
    assert further(before, after)["token_f1"].mean_diff is None


def test_a_further_metric_of_which_less_is_better_is_judged_so():
    testset = many_questions()
    slow, fast = (make_run(testset, evaluation={"metrics": ["latency_s"]}) for _ in range(2))
    for place, score in enumerate(slow.current_scoring.scores.filter(metric="latency_s")):
        score.value = 1.25 + place / 100
        score.save()
    latency = further(slow, fast)["latency_s"]
    assert latency.verdict == "better"
    assert latency.mean_diff == pytest.approx(-1.115)
    assert latency.sentence.startswith("Latency −1.1 s on 24 questions (95 % interval −1.1 s to −1.1 s, p < 0.001)")
    same = further(fast, fast)["latency_s"]
    assert same.ci_low < 0 < same.ci_high  # never certain of no difference at all


def test_a_further_metric_with_other_options_is_not_compared_and_says_so():
    testset = many_questions()
    metrics = {"metrics": ["max_words", "token_f1"]}
    a = make_run(testset, evaluation=metrics)
    b = make_run(testset, evaluation=metrics | {"metric_options": {"max_words": {"limit": 5}}})
    found = further(a, b)
    assert found["max_words"].reason == "measured differently: options of At most so many words"
    assert found["token_f1"].mean_diff == 0
    assert compare_runs(a=a, b=b).note == ""


@pytest.mark.parametrize(
    "given, prompts, reason",
    [
        ({"judge": "openai:other"}, {}, "Judge"),
        ({"judge_votes": 3}, {}, "Judge votes"),
        ({}, {"judge_score": "Rate it harshly."}, "the judge's prompt judge_score"),
        ({"eval_embedding": "words:other"}, {}, "Scoring embedding"),
    ],
)
def test_a_judge_s_metric_is_compared_only_under_the_same_judge(given, prompts, reason):
    def scored(evaluation, prompts):
        run = make_run(testset, evaluation={"metrics": ["token_f1"]})
        spec = {"eval_embedding": "words:counts", "judge": "openai:this", "metrics": ["judge_score"]} | evaluation
        run.scorings.update(spec=EvaluationSpec.create(spec).model_dump(mode="json"), prompts=prompts)
        run.current_scoring.scores.filter(metric="token_f1").update(metric="judge_score")
        return run

    testset = make_testset()
    plain = scored({}, {"judge_score": "Rate it."})
    assert further(plain, scored({}, {"judge_score": "Rate it."}))["judge_score"].mean_diff == 0
    other = further(plain, scored(given, prompts))["judge_score"]
    assert (other.mean_diff, other.reason) == (None, f"measured differently: {reason}")
