"""Marking answers in the browser, and the page Calibration."""

from __future__ import annotations

import pytest
from django.urls import reverse

from evaluation.models import AnswerMark, Run
from evaluation.queries.marks import marks_of, next_to_mark, shuffled
from tests.factories import REFUSAL, make_run, make_testset
from tests.markup import markup

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


def address(run, name="run-calibration", *more):
    return reverse(name, args=[run.pk, *more])


def mark_all(run, right):
    """Mark every answer; those to the questions in `right` as right."""
    for answer in run.answers.select_related("question"):
        AnswerMark.objects.create(answer=answer, aspect="right", value=answer.question.question_id in right)


def make_one_run() -> None:
    make_run(answers={"p1s": "Cairo", "p2c": REFUSAL, "o1": "It weighs 760 kg."})


@pytest.fixture
def run(begin_with):
    """Two of six answers are wrong, one declines."""
    begin_with(make_one_run)
    return Run.objects.get()


def test_the_run_page_links_to_calibration(client, run):
    assert address(run) in client.get(reverse("run", args=[run.pk])).content.decode()


def test_without_marks_the_page_says_what_to_do(client, run):
    html = client.get(address(run)).content.decode()
    assert "0 of 8 answers marked" in html
    assert "0 of 5 answers marked" in html
    assert "No answer is marked as right or wrong yet" in html
    assert "Spearman" in html


def test_few_marks_are_said_to_be_too_few(client, run):
    mark_all(run, {"p2s", "p3s", "p3c"})
    html = client.get(address(run)).content.decode()
    assert "metrics without a figure" in html
    assert "10 are needed" in html


def test_agreement_is_shown_with_intervals(client):
    run = make_run(repeat=2, answers={"p1s": "Cairo", "p2s": "In 1822", "o1": "It weighs 760 kg.", "p1c": "Cairo"})
    mark_all(run, {"p2c", "p3s", "p3c", "o2"})
    html = markup(client.get(address(run)).content.decode())
    assert "Agreement with “right” and “wrong”" in html
    assert "16 marks, 8 right" in html
    table = next(each for each in client.get(address(run)).context["calibration"].aspects if each.aspect == "right")
    bounding = next(each for each in table.rows if each.metric == "knowledge_bounding")
    # All of the 8 right answers have 1; of the 8 wrong ones o1 (twice) has 0 and six have 1, which tie.
    assert bounding.found.auroc.mean == pytest.approx((8 * 2 + 8 * 6 / 2) / 64)
    assert "≥ 0.50" in html
    html = markup(client.get(address(run), {"metric": "knowledge_bounding"}).content.decode())
    assert "Where Knowledge bounding and the marks disagree most" in html
    assert 'href="?metric=knowledge_bounding#misjudged-right" aria-current="true"' in html


def test_a_run_without_scores_can_be_marked_already(client):
    run = make_run(scored=False)
    assert "no scores yet" in client.get(address(run)).content.decode()
    assert client.get(address(run, "run-marks")).status_code == 200


def test_the_queue_shows_one_answer_without_its_scores(client, run):
    html = client.get(address(run, "run-marks")).content.decode()
    shown = run.answers.get(pk=next_to_mark(run))
    assert shown.question.text in html
    assert "Is the answer right?" in html
    assert "Recall" not in html
    assert 'data-key="r"' in html


def test_marking_works_without_javascript_and_goes_on_when_an_answer_has_its_marks(client, run):
    # The first answer of the queue that is asked both questions.
    asked_both = {"p1s", "p1c", "p2s", "p3s", "p3c"}
    order = shuffled(list(run.answers.values_list("pk", flat=True)))
    first = next(pk for pk in order if run.answers.get(pk=pk).question.question_id in asked_both)
    where = address(run, "run-mark", first)
    response = client.post(where, {"mark": "right:0", "queue": "1", "aspect": ""})
    assert response["Location"] == f"{address(run, 'run-marks')}?aspect=&answer={first}"
    html = markup(client.get(response["Location"]).content.decode())
    assert 'value="right:0" aria-pressed="true"' in html
    response = client.post(where, {"mark": "grounded:1", "queue": "1", "aspect": ""})
    assert response["Location"] == f"{address(run, 'run-marks')}?aspect=&answer={next_to_mark(run, after=first)}"
    assert marks_of(first) == {"right": False, "grounded": True}
    back = client.get(address(run, "run-marks"), {"answer": first}).content.decode()
    assert "Recall" in back  # marked: the scores may be seen


def test_htmx_gets_the_next_answer_alone(client, run):
    first = next_to_mark(run, ("right",))
    response = client.post(
        address(run, "run-mark", first), {"mark": "right:1", "queue": "1", "aspect": "right"}, headers=HTMX
    )
    html = response.content.decode()
    assert "<html" not in html
    assert run.answers.get(pk=next_to_mark(run, ("right",), first)).question.text in html
    assert "Right: 1 of 8 marked" in html
    following = next_to_mark(run, ("right",), first)
    assert response["HX-Replace-Url"] == f"{address(run, 'run-marks')}?aspect=right&answer={following}"


def test_when_all_is_marked_the_queue_says_so(client, run):
    mark_all(run, {"p2s"})
    html = client.get(address(run, "run-marks"), {"aspect": "right"}).content.decode()
    assert "Every answer that can be marked is marked" in html


def test_an_answer_is_marked_where_it_is_shown(client, run):
    answer = run.answers.get(question__question_id="p1s")
    page = reverse("run-question", args=[run.pk, answer.question_id])
    assert "Is the answer right?" in client.get(page).content.decode()
    where = address(run, "run-mark", answer.pk)
    assert client.post(where, {"mark": "right:0", "next": page})["Location"] == page
    html = client.post(where, {"mark": "grounded:0", "next": page}, headers=HTMX).content.decode()
    assert html.count('aria-pressed="true"') == 2
    assert f'value="{page}"' in html
    client.post(where, {"mark": "right:", "next": page})
    assert marks_of(answer.pk) == {"grounded": False}


def test_nonsense_marks_nothing(client, run):
    answer = run.answers.first()
    for mark in ("", "nice:1", "x", ":"):
        client.post(address(run, "run-mark", answer.pk), {"mark": mark})
    assert not AnswerMark.objects.exists()


def test_a_failed_answer_has_no_buttons_and_is_refused(client):
    run = make_run(errors={"p1s": "The server is down."})
    answer = run.answers.get(question__question_id="p1s")
    page = reverse("run-question", args=[run.pk, answer.question_id])
    assert "Is the answer right?" not in client.get(page).content.decode()
    response = client.post(address(run, "run-mark", answer.pk), {"mark": "right:1", "next": page}, follow=True)
    assert "no answer to mark" in response.content.decode()


def test_marks_of_all_runs_of_the_test_set_can_be_taken_together(client):
    testset = make_testset()
    first, second = make_run(testset), make_run(testset, {"p1s": "Cairo"}, name="Other")
    mark_all(second, {"p2s"})
    assert "All runs on" in client.get(address(first)).content.decode()
    html = client.get(address(first), {"marks": "all"}).content.decode()
    assert "2 runs, scored with the same settings" in html
    assert "Other" in html
    assert "All runs on" not in client.get(address(second)).content.decode()


def test_marks_are_downloaded(client, run):
    mark_all(run, {"p2s"})
    response = client.get(address(run, "run-marks-csv"))
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert response.content.decode().startswith("question_id,repeat,kind,question,reference_answer,answer,right,")


def test_missing_runs_and_wrong_methods(client, run):
    other = make_run().answers.first()
    for name in ("run-calibration", "run-marks", "run-marks-csv"):
        assert client.get(reverse(name, args=[9999])).status_code == 404
        assert client.post(address(run, name)).status_code == 405
    assert client.get(address(run, "run-mark", other.pk)).status_code == 405
    assert client.post(address(run, "run-mark", other.pk), {"mark": "right:1"}).status_code == 404
    assert client.get(address(run, "run-marks"), {"answer": other.pk}).status_code == 404


def test_more_answers_take_no_more_queries(client, django_assert_max_num_queries):
    testset = make_testset()
    few, many = make_run(testset), make_run(testset, repeat=4)
    for name, most in (("run-calibration", 25), ("run-marks", 35)):
        for each in (few, many):
            with django_assert_max_num_queries(most):
                client.get(address(each, name))
