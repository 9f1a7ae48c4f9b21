"""The page Runs: list, filters, actions."""

from __future__ import annotations

import pytest
from django.urls import reverse

from evaluation.models import Run
from rag_pipeline.models import BackgroundTask
from tests.factories import make_run, make_testset
from tests.markup import markup

pytestmark = pytest.mark.django_db


def names(response):
    """Return the names of the listed runs, in order."""
    return [str(row.run) for row in response.context["page"]]


def test_an_empty_list_says_what_to_do(client):
    assert "There is none yet" in client.get("/runs/").content.decode()


def test_runs_are_listed_with_state_settings_and_scores(client):
    run = make_run(settings={"chunk_size": 400})
    html = markup(client.get("/runs/").content.decode())
    assert reverse("run", args=[run.pk]) in html
    assert ">400<" in html
    assert "reader: extractive" in html
    assert ">5.00<" in html


def test_htmx_gets_the_table_alone(client):
    make_run()
    html = client.get("/runs/", headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in html
    assert "<table" in html


def test_filters_and_sort_are_in_the_address(client):
    testset = make_testset()
    make_run(testset, {"p1s": "Paris"}, name="Worse")
    make_run(testset, name="Better")
    make_run(name="Elsewhere")
    make_run(testset, name="Old", archived=True)
    assert names(client.get("/runs/", {"testset": testset.pk, "sort": "-total"})) == ["Better", "Worse"]
    assert names(client.get("/runs/", {"testset": testset.pk, "sort": "name"})) == ["Better", "Worse"]
    assert names(client.get("/runs/", {"q": "else"})) == ["Elsewhere"]
    assert "Old" in names(client.get("/runs/", {"archived": "on"}))
    assert len(names(client.get("/runs/", {"corpus": "no", "testset": "77", "page": "x", "sort": "??"}))) == 3


def test_long_lists_come_in_pages(client, monkeypatch):
    monkeypatch.setattr("workbench.views.runs.PER_PAGE", 2)
    testset = make_testset()
    for number in range(3):
        make_run(testset, scored=False, name=f"R{number}")
    response = client.get("/runs/", {"page": 2})
    assert names(response) == ["R0"]
    assert "Page 2 of 2" in response.content.decode()


def test_more_runs_take_no_more_queries(client, django_assert_max_num_queries):
    testset = make_testset()
    make_run(testset)
    with django_assert_max_num_queries(20) as few:
        client.get("/runs/")
    for _ in range(3):
        make_run(testset)
    with django_assert_max_num_queries(len(few)):
        client.get("/runs/")


def test_runs_are_archived_brought_back_and_deleted(client):
    first, second = make_run(), make_run()
    act = reverse("runs-act")
    response = client.post(act, {"run": [first.pk, second.pk], "action": "archive", "next": "/runs/"}, follow=True)
    assert "Archived 2 runs." in response.content.decode()
    assert not Run.objects.filter(archived=False).exists()
    client.post(act, {"run": first.pk, "action": "restore"})
    assert Run.objects.get(archived=False) == first
    client.post(act, {"run": first.pk, "action": "delete"})
    assert Run.objects.get() == second


def test_a_running_run_is_not_deleted(client):
    task = BackgroundTask.objects.create(kind="evaluate", state="running")
    run = make_run(scored=False, task=task)
    response = client.post(reverse("runs-act"), {"run": run.pk, "action": "delete"}, follow=True)
    assert "is still running. Cancel it first." in response.content.decode()
    assert Run.objects.exists()


def test_choosing_nothing_is_explained(client):
    make_run()
    response = client.post(reverse("runs-act"), {"action": "delete", "run": "x"}, follow=True)
    assert "Choose runs by the boxes" in response.content.decode()


def test_name_and_note_are_kept_or_refused(client):
    run = make_run()
    client.post(reverse("run-rename", args=[run.pk]), {"name": "Short chunks", "note": "as agreed"})
    run.refresh_from_db()
    assert (run.name, run.note) == ("Short chunks", "as agreed")
    response = client.post(reverse("run-rename", args=[run.pk]), {"name": "x" * 121})
    assert response.status_code == 422
    assert "at most 120 characters" in response.content.decode()


def test_a_cancelled_run_goes_on(client):
    task = BackgroundTask.objects.create(kind="evaluate", state="cancelled", cancel_requested=True)
    run = make_run(scored=False, task=task)
    assert "Go on where it stopped" in client.get(reverse("run", args=[run.pk])).content.decode()
    client.post(reverse("run-resume", args=[run.pk]))
    task.refresh_from_db()
    assert task.active


def test_failed_questions_of_a_finished_run_are_asked_again(client):
    task = BackgroundTask.objects.create(kind="evaluate", state="done", stage="score", failures=1)
    run = make_run(task=task)
    failed = run.answers.first()
    run.answers.filter(pk=failed.pk).update(error="The server sent nothing for 60 seconds.")
    task.units.create(stage="answer", key=f"{failed.question_id}:0", state="failed")
    task.units.create(stage="score", key="score", state="done")
    assert "Ask these again" in client.get(reverse("run-failures", args=[run.pk])).content.decode()
    client.post(reverse("run-resume", args=[run.pk]))
    task.refresh_from_db()
    assert (task.state, task.stage) == ("running", "answer")


def test_a_finished_run_has_nothing_to_go_on_with(client):
    run = make_run()
    response = client.post(reverse("run-resume", args=[run.pk]), follow=True)
    assert "nothing left to do" in response.content.decode()


def test_missing_runs_and_wrong_methods(client):
    for name in ("run-rename", "run-resume", "run-score"):
        assert client.post(reverse(name, args=[99])).status_code == 404
        assert client.get(reverse(name, args=[99])).status_code == 405
    assert client.get(reverse("runs-act")).status_code == 405
    assert client.post("/runs/").status_code == 405
