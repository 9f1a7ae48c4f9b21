"""Runs beside a baseline: outcomes by question, flips, ranks, settings, correction over the runs."""

from __future__ import annotations

import pytest

from evaluation.models import Run
from evaluation.queries import side_by_side
from evaluation.queries.side_by_side import FLIPS, LOST, SAME, WON, compare_with
from evaluation.statistics.paired import SIGNIFICANT
from tests.factories import make_run, make_testset

pytestmark = pytest.mark.django_db


def make_runs() -> None:
    testset = make_testset()
    make_run(testset, {"p1s": "Cairo", "p2s": "July"}, name="Baseline")
    make_run(testset, {"p2s": "July"}, name="Better", settings={"top_k": 2})
    make_run(testset, {"p1s": "Cairo", "p3c": "Paris"}, name="Mixed", settings={"chunk_size": 300})
    make_run(testset, {"p1s": "Cairo", "p2s": "July"}, name="Alike")


@pytest.fixture
def runs(begin_with):
    """Return a baseline with one wrong answer and a half right one; two runs that change these, and one alike."""
    begin_with(make_runs)
    return tuple(Run.objects.order_by("id"))


def lines(found):
    """Return the questions that are shown by id."""
    return {line.question.question_id: line for line in found.questions}


def test_each_answer_has_its_change_against_the_baseline(runs):
    found = compare_with(baseline=runs[0], others=runs[1:])
    p1s, p2s, p3c = (lines(found)[key] for key in ("p1s", "p2s", "p3c"))
    assert [(each.change, each.outcome, each.flips) for each in p1s.others] == [
        (1.0, WON, True), (0.0, SAME, False), (0.0, SAME, False),
    ]  # fmt: skip
    assert [(each.change, each.outcome, each.flips) for each in p2s.others] == [
        (0.0, SAME, False), (0.5, WON, False), (0.0, SAME, False),
    ]  # fmt: skip  # "July" is half right: a win that crosses nothing
    assert [(each.change, each.outcome, each.flips) for each in p3c.others] == [
        (0.0, SAME, False), (-1.0, LOST, True), (0.0, SAME, False),
    ]  # fmt: skip
    assert (p2s.baseline.value, p2s.baseline.metric, p2s.others[1].value) == (0.5, "recall", 1.0)


@pytest.mark.parametrize(
    ("shown", "expected"),
    [(WON, ["p1s", "p2s"]), (LOST, ["p3c"]), (FLIPS, ["p1s", "p3c"]), (SAME, ["p1c", "p2c", "p3s", "o1", "o2"])],
)
def test_a_kind_of_questions_is_shown_the_largest_change_first(runs, shown, expected):
    found = compare_with(baseline=runs[0], others=runs[1:], shown=shown)
    assert [line.question.question_id for line in found.questions] == expected
    assert found.counts == {"all": 8, WON: 2, LOST: 1, SAME: 5, FLIPS: 2}


def test_the_correction_counts_the_runs_that_have_a_p_value(runs):
    found = compare_with(baseline=runs[0], others=runs[1:])
    for line in found.scores:
        known = [cell for cell in line.runs if cell.difference.p is not None]
        assert all(cell.p_holm >= cell.difference.p for cell in known)
        assert min(cell.p_holm for cell in known) == pytest.approx(min(1, 3 * min(c.difference.p for c in known)))
        assert [cell.falls for cell in known] == [cell.difference.p < SIGNIFICANT <= cell.p_holm for cell in known]


def test_settings_that_differ_name_the_other_value_of_each_run(runs):
    found = compare_with(baseline=runs[0], others=runs[1:])
    differing = {line.name: [(value, other) for _, value, other in line.values] for line in found.settings}
    assert differing == {
        "top_k": [(2, True), (4, False), (4, False)],
        "chunk_size": [(1000, False), (300, True), (1000, False)],
    }


def test_a_question_that_a_run_did_not_ask_stays_empty(runs):
    part = make_run(runs[0].testset, limit=1)
    part.answers.exclude(question__question_id="p1s").delete()
    found = compare_with(baseline=runs[0], others=[runs[1], part])
    assert lines(found)["p2s"].others[1].row is None
    assert lines(found)["p1s"].others[1].outcome == WON


def test_pages_hold_so_many_answers(runs, monkeypatch):
    monkeypatch.setattr(side_by_side, "ANSWERS_A_PAGE", 12)  # of four runs: three questions
    found = compare_with(baseline=runs[0], others=runs[1:], page=9)
    assert (found.number, found.pages, len(found.questions)) == (3, 3, 2)
    assert (found.has_previous, found.has_next) == (True, False)
    assert len(compare_with(baseline=runs[0], others=runs[1:], whole=True).questions) == 8
