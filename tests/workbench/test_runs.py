"""What is done to runs: actions on ticked ones, name, note and tags, going on."""

from __future__ import annotations

import pytest
from django.urls import reverse

from evaluation.models import Run
from rag_pipeline.models import BackgroundTask
from tests.factories import make_run, make_testset

pytestmark = pytest.mark.django_db


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


def test_one_run_of_a_test_set_is_the_baseline(client):
    testset = make_testset()
    first, second = make_run(testset), make_run(testset)
    for run in (first, second):
        client.post(reverse("runs-act"), {"run": run.pk, "action": "pin"})
    assert Run.objects.get(baseline=True) == second
    client.post(reverse("runs-act"), {"run": second.pk, "action": "unpin"})
    assert not Run.objects.filter(baseline=True).exists()


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


def test_ticked_runs_are_compared_all_of_them_and_only_their_ids_are_in_the_address(client):
    runs = [make_run() for _ in range(3)]
    sent = {"run": [run.pk for run in runs], "action": "compare", "next": "/dashboard/?q=x"}
    ids = ",".join(str(run.pk) for run in runs)
    assert client.post(reverse("runs-act"), sent)["Location"] == f"/compare/?runs={ids}"


def test_ticked_runs_are_drawn_or_exported_with_the_filters_of_the_page(client):
    run = make_run()
    sent = {"run": run.pk, "next": "/dashboard/?q=a%26b&chart=spread&runs=77"}
    addresses = {
        "draw": f"/dashboard/?q=a%26b&chart=spread&runs={run.pk}",
        "export.xlsx": f"/dashboard/runs.xlsx?q=a%26b&chart=spread&runs={run.pk}",
        "report": f"/dashboard/report.html?q=a%26b&chart=spread&runs={run.pk}",
        "export.exe": sent["next"],
    }
    found = {action: client.post(reverse("runs-act"), sent | {"action": action})["Location"] for action in addresses}
    assert found == addresses


def test_what_was_ticked_is_still_ticked_after_it_was_tagged(client):
    testset = make_testset()
    first, second, other = make_run(testset), make_run(testset), make_run(testset)
    sent = {"run": [first.pk, second.pk], "next": f"/dashboard/?testset={testset.pk}&sort=name"}
    for action in ("tag", "untag"):
        response = client.post(reverse("runs-act"), sent | {"action": action, "tag": "short"})
        assert response["Location"] == f"{sent['next']}&ticked={first.pk},{second.pk}"
        html = client.get(response["Location"]).content.decode()
        boxes = [html.partition(f'aria-label="Choose {run}"')[2].partition(">")[0] for run in (first, second, other)]
        assert ["checked" in box for box in boxes] == [True, True, False]
    sent |= {"action": "pin", "next": reverse("run", args=[first.pk])}
    assert client.post(reverse("runs-act"), sent)["Location"] == sent["next"]


def test_tags_are_given_and_taken_away(client):
    first, second = make_run(tags=["mine"]), make_run()
    sent = {"run": [first.pk, second.pk], "tag": " short, quick "}
    client.post(reverse("runs-act"), sent | {"action": "tag"})
    client.post(reverse("runs-act"), sent | {"action": "tag"})
    assert [run.tags for run in Run.objects.order_by("id")] == [["mine", "short, quick"], ["short, quick"]]
    client.post(reverse("runs-act"), {"run": first.pk, "tag": "mine", "action": "untag"})
    assert Run.objects.get(pk=first.pk).tags == ["short, quick"]
    response = client.post(reverse("runs-act"), {"run": first.pk, "action": "tag"}, follow=True)
    assert "Write the tag beside the button first." in response.content.decode()


def test_name_note_and_tags_are_kept_or_refused(client):
    run = make_run()
    sent = {"name": "Short chunks", "note": "as agreed", "tags": "a, b,, a"}
    client.post(reverse("run-rename", args=[run.pk]), sent)
    run.refresh_from_db()
    assert (run.name, run.note, run.tags) == ("Short chunks", "as agreed", ["a", "b"])
    response = client.post(reverse("run-rename", args=[run.pk]), {"name": "x" * 121, "tags": "y" * 41})
    assert response.status_code == 422
    assert "at most 120 characters" in response.content.decode()
    assert "A tag has at most 40 characters" in response.content.decode()


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
    assert client.get("/dashboard/columns/").status_code == 405
