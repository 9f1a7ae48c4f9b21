"""The page of one run: scores, questions, drill-down, refusals, file."""

from __future__ import annotations

import pytest
from django.urls import reverse

from evaluation.models import MetricScore, RunMetric
from evaluation.services.files import export_run
from rag_pipeline.background.tasks import run_inline
from rag_pipeline.models import BackgroundTask
from tests.factories import make_run, make_testset
from tests.markup import leads_to, markup

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


def address(run, name="run", *more):
    """Return an address of a run's pages."""
    return reverse(name, args=[run.pk, *more])


def test_scores_parts_settings_and_prompt_are_shown(client):
    run = make_run(note="the first")
    html = client.get(address(run)).content.decode()
    for text in (
        "Download eval.csv",
        "Robustness by part",
        "Refused, near out-of-scope",
        "What it took",
        "the first",
    ):
        assert text in html
    settings = client.get(address(run, "run-settings")).content.decode()
    assert "Settings of this run" in settings
    assert "Scoring embedding" in settings


def test_a_run_without_scores_yet_shows_its_progress(client):
    task = BackgroundTask.objects.create(kind="evaluate", state="running", done=2, total=8, step="Answering")
    html = client.get(address(make_run(scored=False, task=task))).content.decode()
    assert "2 of 8" in html
    assert "Download eval.csv" not in html
    assert "What counts as a refusal" not in html


def test_a_failed_run_says_why(client):
    task = BackgroundTask.objects.create(kind="evaluate", state="failed", error="OpenAI rejected the key.")
    assert "OpenAI rejected the key." in client.get(address(make_run(scored=False, task=task))).content.decode()


def test_failed_questions_are_counted_by_message(client):
    run = make_run(errors={"p1s": "The model timed out.", "p2s": "The model timed out."})
    html = client.get(address(run, "run-failures")).content.decode()
    assert '<span class="bad strong">2</span> The model timed out.' in html


def test_questions_are_filtered_sorted_and_counted(client):
    run = make_run(answers={"p1s": "Paris"})
    response = client.get(address(run), {"kind": "simple", "sort": "recall"}, headers=HTMX)
    html = response.content.decode()
    assert "<html" not in html
    assert "8 answers, 3 shown" in html
    assert response.context["questions"].rows[0].question.question_id == "p1s"
    assert "8 answers, 8 shown" in client.get(address(run), {"kind": "?", "below": "x", "page": "x"}).content.decode()
    assert "No question fits" in client.get(address(run), {"text": "nowhere"}).content.decode()


def test_twins_stand_side_by_side(client):
    html = client.get(address(make_run()), {"view": "twins"}, headers=HTMX).content.decode()
    assert "3 pairs" in html
    assert "Where was the decree on the Rosetta Stone issued?" in html
    assert "My class is preparing a talk" in html


def test_the_file_has_the_bytes_of_the_data_folder(client):
    run = make_run()
    response = client.get(f"/runs/{run.pk}/eval.csv")
    assert response.content == export_run(run=run)
    assert response["Content-Disposition"] == 'attachment; filename="eval.csv"'


def test_one_answer_is_shown_down_to_its_evidence(client):
    run = make_run(answers={"p1s": "Memphis"})
    question = run.testset.questions.get(question_id="p1s")
    html = markup(client.get(address(run, "run-question", question.pk)).content.decode())
    assert '<mark class="evidence">The decree was issued in Memphis' in html
    assert "holds evidence" in html
    assert "Prompt sent" in html
    assert "counts only for complex questions" in html or "Robustness" in html
    assert "Complex twin" in html
    assert client.get(address(run, "run-question", question.pk), headers=HTMX).content.decode().count("<html") == 0


def test_kinds_are_named_and_a_loss_is_signed_as_everywhere(client):
    run = make_run()
    RunMetric.objects.filter(scoring__run=run, group="twin_loss").update(mean=-0.04, ci_low=-0.16, ci_high=0.08)
    html = client.get(address(run)).content.decode()
    assert '<option value="out_of_scope">Out of scope</option>' in html
    assert "−0.16 to +0.08" in html


def test_answers_are_shown_as_text_not_as_markup(client):
    run = make_run(answers={"p1s": "<script>alert(1)</script>"})
    question = run.testset.questions.get(question_id="p1s")
    html = client.get(address(run, "run-question", question.pk)).content.decode()
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert(1)" in html


def test_a_question_that_was_not_asked(client):
    run = make_run()
    question = run.testset.questions.get(question_id="p1s")
    run.answers.filter(question=question).delete()
    response = client.get(address(run, "run-question", question.pk))
    assert response.status_code == 404
    assert "has not asked this question" in response.content.decode()


def test_the_threshold_is_tried_on_stored_answers(client):
    run = make_run(answers={"o1": "It weighs 760 kg."})
    stored = MetricScore.objects.count()
    query = {"refusal_threshold": "1.0"}
    html = client.get(address(run, "run-refusals"), query, headers=HTMX).content.decode()
    assert "Out of scope" in html
    assert "Knowledge bounding" in html
    assert MetricScore.objects.count() == stored


def test_switching_everything_off_lets_a_worded_refusal_pass(client):
    run = make_run(answers={"o1": "Sorry, the text does not say.", "o2": "Sorry, the text does not say."})
    html = client.get(address(run, "run-refusals"), {"refusal_threshold": "1"}, headers=HTMX).content.decode()
    assert "2 answers judged otherwise" in html


def test_a_wrong_threshold_is_said_beside_it(client):
    run = make_run()
    response = client.get(address(run, "run-refusals"), {"refusal_threshold": "2"}, headers=HTMX)
    assert response.status_code == 422
    assert "from 0 to 1" in response.content.decode()
    assert client.post(address(run, "run-score"), {"refusal_threshold": "x"}).status_code == 422


def test_further_metrics_are_computed_on_the_stored_answers(client):
    run = make_run(evaluation={"weights": {"recall": 2}, "metrics": ["mrr"]})
    html = markup(client.get(address(run)).content.decode())
    assert 'data-card="mrr"' in html
    client.post(address(run, "run-score"), {"further": "1", "metrics": ["token_f1", "span_iou"]})
    run.refresh_from_db()
    run_inline(run.scoring_task)
    html = markup(client.get(address(run)).content.decode())
    assert 'data-card="token_f1"' in html
    assert 'data-card="span_iou"' in html
    assert 'data-card="mrr"' not in html
    assert run.current_scoring.spec["weights"] == {"recall": 2.0}
    refused = client.post(address(run, "run-score"), {"further": "1", "metrics": ["odd"]})
    assert refused.status_code == 422
    assert "There is no metric called “odd”" in refused.content.decode()
    run.refresh_from_db()
    assert run.scorings.count() == 2


def test_scoring_again_keeps_the_rest_of_the_scoring(client):
    run = make_run(evaluation={"weights": {"recall": 2}})
    response = client.post(address(run, "run-score"), {"refusal_threshold": "0.9", "refusal_list": "on"}, follow=True)
    html = response.content.decode()
    assert "Waiting" in html
    assert "The scores below stay until the new ones are there." in html
    assert run.scorings.count() == 1  # the request itself scores nothing
    run.refresh_from_db()
    run_inline(run.scoring_task)
    html = client.get(address(run, "run-failures")).content.decode()
    assert "Scored again" in html
    assert "Waiting" not in html
    spec = run.current_scoring.spec
    assert (spec["refusal_threshold"], spec["refusal_list"], spec["refusal_patterns"]) == (0.9, True, False)
    assert spec["weights"] == {"recall": 2.0}
    assert run.scorings.count() == 2


def test_scoring_again_shows_how_far_it_is_and_is_not_begun_twice(client):
    task = BackgroundTask.objects.create(kind="score_again", state="running", step="Scoring", done=3, total=8)
    run = make_run(scoring_task=task)
    html = client.get(address(run)).content.decode()
    assert "3 of 8" in html
    assert "Recall" in html
    response = client.post(address(run, "run-score"), {"refusal_threshold": "0.9"}, follow=True)
    assert "being scored again already" in response.content.decode()


def test_the_page_that_is_asked_for_when_work_has_ended_comes_whole(client):
    html = client.get(address(make_run(), "run-failures"), headers=HTMX | {"HX-Boosted": "true"}).content.decode()
    assert '<main class="page" id="content"' in html
    assert "What counts as a refusal" in html


def test_a_scoring_again_that_failed_says_why_above_the_earlier_scores(client):
    task = BackgroundTask.objects.create(kind="score_again", state="failed", error="The disk is full. Make room.")
    html = client.get(address(make_run(scoring_task=task))).content.decode()
    assert "The disk is full. Make room." in html
    assert "the scores below are the earlier ones" in html
    assert "Recall" in html
    task.state, task.error = "cancelled", ""
    task.save()
    assert "Cancelled" not in client.get(address(task.rescored_run)).content.decode()


def test_a_run_without_scores_has_no_refusals_to_try(client):
    response = client.get(address(make_run(scored=False), "run-refusals"))
    assert "no scores yet" in response.content.decode()


def test_more_answers_take_no_more_queries(client, django_assert_max_num_queries):
    testset = make_testset()
    small = make_run(testset)
    large = make_run(testset, repeat=3)
    with django_assert_max_num_queries(60) as few:
        client.get(address(small))
    with django_assert_max_num_queries(len(few)):
        client.get(address(large))


def test_missing_runs_and_wrong_methods(client):
    run = make_run()
    for name in ("run", "run-failures", "run-questions", "run-settings", "run-refusals"):
        assert client.get(reverse(name, args=[9999])).status_code == 404
        assert client.post(address(run, name)).status_code == 405
    assert client.get("/runs/9999/eval.csv").status_code == 404
    assert client.get(f"/runs/{run.pk}/output.csv").status_code == 404  # the file of a test set
    assert client.post(f"/runs/{run.pk}/eval.csv").status_code == 405
    assert client.get(address(run, "run-question", 9999)).status_code == 404


def test_a_run_that_cuts_nothing_has_no_chunks(client):
    run = make_run(make_testset(), settings={"retriever": "oracle"})
    assert "8 answers, no chunks" in client.get(f"/runs/{run.pk}/").content.decode()


def test_questions_are_filtered_and_sorted_by_a_further_metric(client):
    run = make_run(answers={"p1s": "Memphis, I think"}, evaluation={"metrics": ["token_f1", "latency_s"]})
    slow = run.answers.get(question__question_id="p2s")
    slow.scores.filter(metric="latency_s").update(value=7.5)
    query = {"metric": "token_f1", "below": "0.5"}
    response = client.get(address(run), query, headers=HTMX)
    assert [row.question.question_id for row in response.context["questions"].rows] == ["p1s"]
    html = response.content.decode()
    assert '<optgroup label="Further metrics">' in html
    assert "sort=-token_f1" in html  # its own column
    response = client.get(address(run), {"metric": "latency_s", "above": "5"}, headers=HTMX)
    assert [row.question.question_id for row in response.context["questions"].rows] == ["p2s"]
    html = response.content.decode()
    assert "At least (s)" in html
    assert "7.5 s" in html
    response = client.get(address(run), {"sort": "-latency_s"}, headers=HTMX)
    assert response.context["questions"].rows[0].question.question_id == "p2s"
    assert "7.5 s" in response.content.decode()


def test_metrics_that_the_run_does_not_hold_are_not_offered(client):
    html = client.get(address(make_run()), {"metric": "token_f1", "below": "0.5"}, headers=HTMX).content.decode()
    assert "Further metrics" not in html
    assert "8 answers, 8 shown" in html


def test_the_report_of_a_run_holds_scores_settings_and_answers_and_leads_nowhere(client):
    run = make_run(errors={"o2": "The server is down."}, name="Short chunks", note="as agreed")
    response = client.get(f"/runs/{run.pk}/report.html")
    html = response.content.decode()
    body = html.partition("<body>")[2]
    assert response["Content-Disposition"] == 'attachment; filename="run.html"'
    assert "plotly.js (cartesian" in html
    for text in ("Short chunks", "as agreed", "Knowledge bounding", "Chunk size", "July 1799", "The server is down."):
        assert text in body
    assert leads_to(html) == []


def test_the_report_of_a_run_without_scores_says_so(client):
    assert "This run has no scores." in client.get(f"/runs/{make_run(scored=False).pk}/report.html").content.decode()
