"""A run's metrics against its marks, and against each other."""

from __future__ import annotations

import pytest

from evaluation.models import AnswerMark
from evaluation.queries.calibration import calibrate
from evaluation.types import DraftQuestion
from rag_pipeline.errors import ConfigError
from tests.factories import make_run, make_testset

pytestmark = pytest.mark.django_db

REFERENCE = "alpha beta gamma delta"
PARTS = ("alpha beta gamma delta", "alpha beta gamma", "alpha beta", "alpha", "omega")


def questions(pairs=12):
    """Return a test set of simple questions that all have the same reference of four words."""
    return make_testset(
        drafts=[
            DraftQuestion(f"q{number}", f"q{number}", "simple", f"What is the word number {number}?", (REFERENCE,))
            for number in range(pairs)
        ]
    )


def marked_run(testset, words, right, **kwargs):
    """Return a run that answers question i with the first `words[i]` words; it is right where `right(i)` says so."""
    given = {f"q{number}": PARTS[4 - count] for number, count in enumerate(words)}
    run = make_run(testset, given, **kwargs)
    for answer in run.answers.select_related("question"):
        number = int(answer.question.question_id[1:])
        AnswerMark.objects.create(answer=answer, aspect="right", value=right(number))
    return run


def rows(found, aspect="right"):
    table = next(each for each in found.aspects if each.aspect == aspect)
    return {each.metric: each for each in table.rows}, {each.metric: each.found.reason for each in table.unmeasured}


def test_a_metric_that_follows_the_marks_stands_first_with_its_threshold():
    run = marked_run(questions(), [4, 3, 1, 0] * 3, lambda number: number % 4 < 2, evaluation={"metrics": ["token_f1"]})
    found, unmeasured = rows(calibrate(run))
    recall = found["recall"]
    assert recall.found.auroc is not None
    assert (recall.found.auroc.mean, recall.found.n, recall.found.positive) == (1, 12, 6)
    assert recall.threshold == "≥ 0.50"  # half way between 0.25 (one of four words) and 0.75 (three)
    assert next(iter(found)) in ("recall", "token_f1")
    assert "token_f1" in found
    assert unmeasured["robustness"] == "none of the marked answers have this score; 10 are needed"


def test_the_answers_that_a_metric_misjudges_are_shown_the_worst_first():
    # Right: 4 words (1.0) six times; wrong: 1 word (0.25) four times, 4 words once, 3 words (0.75) once.
    words = [4] * 6 + [1] * 4 + [4, 3]
    run = marked_run(questions(), words, lambda number: number < 6, evaluation={"metrics": ["exact_match"]})
    found = calibrate(run, examined="recall").aspects[0]
    assert found.examined.metric == "recall"
    assert found.examined.threshold == "≥ 0.88"
    assert [(each.answer.question.question_id, each.value, each.mark) for each in found.misjudged] == [
        ("q10", "1.00", "wrong")
    ]
    assert calibrate(run, examined="nonsense").aspects[0].examined == found.rows[0]


def test_lower_is_better_is_turned_round():
    run = marked_run(
        questions(), [4, 3, 1, 0] * 3, lambda number: number % 4 < 2, evaluation={"metrics": ["latency_s"]}
    )
    for answer in run.answers.select_related("question"):
        slow = int(answer.question.question_id[1:]) % 4
        answer.scores.filter(metric="latency_s").update(value=1.0 + slow)
    found, _ = rows(calibrate(run))
    assert found["latency_s"].found.auroc.mean == 1
    assert found["latency_s"].threshold == "≤ 2.5 s"
    table = calibrate(run).correlations
    recall, latency = table.labels.index("Recall"), table.labels.index("Latency")
    assert table.cells[recall][latency].value > 0.9


def test_without_marks_every_metric_has_its_reason_and_correlations_are_there():
    found = calibrate(make_run(questions(), {f"q{number}": PARTS[number % 5] for number in range(12)}))
    (right, unmeasured), (_, others) = rows(found), rows(found, "grounded")
    assert right == {}
    assert set(unmeasured) == set(others)
    assert "Recall" in found.correlations.labels
    assert found.correlations.rows[0][0] == found.correlations.labels[0]
    assert calibrate(make_run(questions())).correlations.constant == ["Recall", "Brevity", "Knowledge bounding"]


def test_answers_to_the_same_question_by_several_runs_are_compared_pairwise():
    testset = questions()
    good = marked_run(testset, [4] * 12, lambda number: True)
    bad = marked_run(testset, [1] * 11 + [4], lambda number: False, name="Worse")
    alone, _ = rows(calibrate(good))
    assert alone == {}
    found = calibrate(good, pooled=True)
    pooled, _ = rows(found)
    assert {run.pk for run in found.runs} == {good.pk, bad.pk}
    assert pooled["recall"].found.couples == 12
    assert pooled["recall"].found.pairwise.mean == pytest.approx(11.5 / 12)


def test_runs_that_were_scored_otherwise_are_left_out_and_named():
    testset = questions()
    good = marked_run(testset, [4] * 12, lambda number: True)
    marked_run(testset, [1] * 12, lambda number: False, name="Strict", evaluation={"refusal_threshold": 0.9})
    found = calibrate(good, pooled=True)
    assert [run.pk for run in found.runs] == [good.pk]
    assert found.left_out == ["Strict was scored with other settings"]


def test_a_metric_with_other_options_elsewhere_counts_only_here():
    testset = questions()
    evaluation = {"metrics": ["recall_at_k", "token_f1"]}
    good = marked_run(testset, [4] * 12, lambda number: True, evaluation=evaluation)
    marked_run(
        testset,
        [1] * 12,
        lambda number: False,
        evaluation=evaluation | {"metric_options": {"recall_at_k": {"k": 1}}},
    )
    found, _ = rows(calibrate(good, pooled=True))
    assert found["token_f1"].found.n == 24
    assert "recall_at_k" not in found


def test_an_unscored_run_says_so():
    with pytest.raises(ConfigError, match="no scores yet"):
        calibrate(make_run(scored=False))


def test_more_marks_take_no_more_queries(django_assert_max_num_queries):
    few = marked_run(questions(12), [4, 0] * 6, lambda number: number % 2 == 0)
    many = marked_run(questions(40), [4, 0] * 20, lambda number: number % 2 == 0)
    for run in (few, many):
        with django_assert_max_num_queries(8):
            calibrate(run)
