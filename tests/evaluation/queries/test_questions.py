"""The table of a run's questions and the panel of one of them."""

from __future__ import annotations

import pytest

from evaluation.models import Answer, Run
from evaluation.queries.questions import question_detail, question_rows
from evaluation.queries.rows import QuestionFilters
from tests.factories import REFUSAL, ROSETTA, make_run, make_testset

pytestmark = pytest.mark.django_db


def ids(run, **kwargs):
    filters = QuestionFilters(**kwargs)
    return [row.question.question_id for row in question_rows(run=run, filters=filters).rows]


def make_one_run() -> None:
    answers = {"p1s": "Cairo", "p2c": REFUSAL, "o1": "It weighs 760 kg."}
    make_run(answers=answers, errors={"p3c": "The server is down."})


@pytest.fixture
def run(begin_with):
    begin_with(make_one_run)
    return Run.objects.get()


def test_without_filters_all_questions_come_in_order(run):
    page = question_rows(run=run)
    assert [row.question.question_id for row in page.rows] == ["p1s", "p1c", "p2s", "p2c", "p3s", "p3c", "o1", "o2"]
    assert (page.matching, page.total, page.pages, page.has_next) == (8, 8, 1, False)


def test_a_row_has_its_twin_beside_it(run):
    first, second = question_rows(run=run).rows[:2]
    assert first.twin is not None
    assert (first.twin.answer_id, first.twin.text) == (second.answer_id, "Memphis")
    assert first.scores["recall"].value == 0
    assert first.twin.scores["robustness"].value == 1
    assert question_rows(run=run).rows[6].twin is None


@pytest.mark.parametrize(
    "filters, expected",
    [
        ({"kind": "out_of_scope"}, ["o1", "o2"]),
        ({"transformation": "near"}, ["o1"]),
        ({"error_kind": "lower_case"}, ["p2c"]),
        ({"refused": "refused"}, ["p2c", "o2"]),
        ({"refused": "failed"}, ["p3c"]),
        ({"refused": "empty"}, []),
        ({"text": "cairo"}, ["p1s"]),
        ({"text": "NITROGEN"}, ["o2"]),
        ({"metric": "recall", "below": 0.5}, ["p1s"]),
        ({"metric": "recall", "above": 0.5}, ["p2s", "p3s"]),
    ],
)
def test_filters_keep_what_they_say(run, filters, expected):
    assert ids(run, **filters) == expected


def test_sorting_by_a_score_puts_empty_values_last_both_ways(run):
    worst_first = [
        row.scores["knowledge_bounding"].value for row in question_rows(run=run, sort="knowledge_bounding").rows
    ]
    best_first = [
        row.scores["knowledge_bounding"].value for row in question_rows(run=run, sort="-knowledge_bounding").rows
    ]
    assert worst_first == [0, 0, 1, 1, 1, 1, 1, None]
    assert best_first == [1, 1, 1, 1, 1, 0, 0, None]


def test_pages_are_cut_on_the_server_and_a_page_too_far_is_the_last(run):
    page = question_rows(run=run, page=2, per_page=3)
    assert [row.question.question_id for row in page.rows] == ["p2c", "p3s", "p3c"]
    assert (page.number, page.pages, page.has_previous, page.has_next) == (2, 3, True, True)
    assert question_rows(run=run, page=99, per_page=3).number == 3


def test_more_questions_take_no_more_queries(run, django_assert_num_queries):
    with django_assert_num_queries(5):
        question_rows(run=run, per_page=2)
    with django_assert_num_queries(5):
        question_rows(run=run, per_page=50, sort="-recall", filters=QuestionFilters(metric="recall", below=1))


def test_the_detail_marks_the_evidence_in_the_contexts():
    start = ROSETTA.index("The stone was found")
    run = make_run(contexts={"p2s": [(start - 20, start + 30), (0, 10)]}, answers={"p2s": "In July"})
    detail = question_detail(run=run, question=run.testset.questions.get(question_id="p2s"))
    first, second = detail.contexts
    assert [(piece.text, piece.is_evidence) for piece in first.pieces] == [
        (ROSETTA[start - 20 : start], False),
        (ROSETTA[start : start + 30], True),
    ]
    assert first.has_evidence
    assert not second.has_evidence
    (evidence,) = detail.evidence
    assert evidence.before + evidence.text + evidence.after in ROSETTA
    assert evidence.covered == pytest.approx(24 / 76)  # "The stone was found in July 17" without its white space
    by_name = {score.metric: score for score in detail.scores}
    assert by_name["recall"].value == 0.5
    assert by_name["recall"].reason == "1 of 2 words of the reference are in the answer"
    assert by_name["robustness"].reason == "counts only for complex questions"
    assert detail.row.refusal is not None
    assert detail.row.refusal.label == "attempt"


def test_a_question_that_was_not_asked_has_no_detail():
    run = make_run()
    other = make_testset(run.corpus).questions.first()
    with pytest.raises(Answer.DoesNotExist):
        question_detail(run=run, question=other)


def test_repeats_are_listed():
    run = make_run(repeat=2)
    detail = question_detail(run=run, question=run.testset.questions.first(), repeat=1)
    assert [row.repeat for row in detail.repeats] == [0, 1]
    assert detail.row.repeat == 1
