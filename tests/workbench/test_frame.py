"""The frame of every page: navigation, worker state, progress, theme."""

from __future__ import annotations

import datetime as dt
import re

import pytest
from django.utils import timezone

from rag_pipeline.models import BackgroundTask, WorkerHeartbeat, WorkUnit
from tests.factories import make_corpus, make_run, make_testset
from tests.markup import markup
from workbench.services.current_settings import chosen_corpus

pytestmark = pytest.mark.django_db


def test_the_current_page_is_marked(client):
    html = client.get("/runs/").content.decode()
    assert '<a href="/dashboard/" aria-current="page">Dashboard</a>' in html
    assert '<a href="/">Workbench</a>' in html
    assert '<a href="/" aria-current="page">Workbench</a>' in client.get("/prompts/").content.decode()


def test_the_navigation_has_seven_entries_and_tabs_for_those_of_several_pages(client):
    html = markup(client.get("/score/").content.decode())
    entries = re.findall(r'">?([A-Z][a-z ]+)</a>', html.partition('aria-label="Pages"')[2].partition("</nav>")[0])
    assert entries == ["Workbench", "Documents", "Test sets", "Dashboard", "Compare", "Chat", "Metrics"]
    tabs = html.partition('<nav class="tabs tabs-pages" aria-label="Metrics">')[2].partition("</nav>")[0]
    assert '<a href="/score/" aria-current="page">Score</a>' in tabs
    assert '<a href="/calibration/">Calibration</a>' in tabs
    assert "tabs-pages" not in client.get("/documents/").content.decode()


def test_calibration_leads_to_the_latest_run_of_the_corpus(client):
    assert client.get("/calibration/")["Location"] == "/"
    task = {"task": BackgroundTask.objects.create(kind="evaluate", state="done")}
    run = make_run(**task)
    assert client.get("/calibration/")["Location"] == f"/runs/{run.pk}/calibration/"
    for part in ("calibration", "marks"):
        html = client.get(f"/runs/{run.pk}/{part}/").content.decode()
        assert '<a href="/metrics/" aria-current="page">Metrics</a>' in html


def test_one_corpus_is_chosen_for_all_pages(client):
    first, second = make_testset(), make_testset()
    assert chosen_corpus() == second.corpus  # the newest, until one is chosen
    response = client.post("/corpus/", {"chosen": first.corpus.pk, "next": "/documents/"})
    assert response["Location"] == "/documents/"
    assert client.get("/documents/").context["corpus"] == first.corpus
    assert client.get("/").context["form"].key("corpus") == first.corpus.pk
    assert client.get("/").context["form"].key("testset") == first.pk
    assert client.get("/testsets/").context["page"][0].newest == first
    assert client.get("/chat/").context["corpus"] == first.corpus
    head = markup(client.get("/compare/").content.decode())
    assert f'<span class="menu-chosen">{first.corpus}</span>' in head
    assert f'value="{first.corpus.pk}" aria-current="true"' in head
    make_corpus()
    assert chosen_corpus() == first.corpus
    assert client.post("/corpus/", {"chosen": "999"}).status_code == 404
    assert client.get("/corpus/").status_code == 405


def test_the_corpus_of_a_form_or_of_an_address_is_the_chosen_one(client):
    first, second = make_testset(), make_testset()
    client.get("/documents/", {"corpus": first.corpus.pk})
    assert chosen_corpus() == first.corpus
    values = {name: value for name, value in client.get("/").context["form"].bound().data.items() if value != "false"}
    sent = client.post("/settings/", values | {"corpus": second.corpus.pk}, headers={"HX-Request": "true"})
    assert chosen_corpus() == second.corpus
    assert f'<span class="menu-chosen">{second.corpus}</span>' in markup(sent.content.decode())
    run = make_run(first)
    client.get("/", {"run": run.pk})
    assert chosen_corpus() == first.corpus


def test_another_corpus_leaves_the_settings_as_they_stand(client):
    run, other = make_run(settings={"chunk_size": 777}), make_testset()
    client.get("/", {"run": run.pk})
    client.post("/corpus/", {"chosen": other.corpus.pk})
    form = client.get("/").context["form"]
    assert (form.key("corpus"), form.key("testset")) == (other.corpus.pk, other.pk)
    assert str(form.value("chunk_size")) == "777"


def test_pages_forbid_inline_scripts_and_have_none(client):
    response = client.get("/runs/")
    assert "script-src 'self';" in response["Content-Security-Policy"]
    assert "<script>" not in response.content.decode()


def test_the_worker_is_missing_ready_or_working(client):
    assert 'data-state="stopped"' in client.get("/worker/").content.decode()
    WorkerHeartbeat.objects.create(name="w", seen=timezone.now())
    assert 'data-state="ready"' in client.get("/worker/").content.decode()
    BackgroundTask.objects.create(kind="evaluate", state="running")
    assert 'data-state="working"' in client.get("/worker/").content.decode()


def test_an_active_task_polls_and_an_ended_one_tells_the_page(client):
    task = BackgroundTask.objects.create(
        kind="evaluate", state="running", done=3, total=12, step="Answering", started=timezone.now()
    )
    response = client.get(f"/tasks/{task.pk}/")
    html = response.content.decode()
    assert 'hx-trigger="every 1s"' in html
    assert "3 of 12" in html
    assert "width: 25.0%" in html
    assert "HX-Trigger-After-Settle" not in response

    BackgroundTask.objects.update(state="failed", error="OpenAI rejected the key.", finished=timezone.now())
    response = client.get(f"/tasks/{task.pk}/")
    assert "hx-trigger" not in response.content.decode()
    assert "OpenAI rejected the key." in response.content.decode()
    assert response["HX-Trigger-After-Settle"] == "task-ended"


def test_a_stage_whose_total_is_not_known_is_shown_by_its_name_alone(client):
    task = BackgroundTask.objects.create(kind="evaluate", state="running", step="Preparing the index")
    html = client.get(f"/tasks/{task.pk}/").content.decode()
    assert re.search(r"<span>\s*Preparing the index\s*</span>", html)
    assert " of " not in html
    assert "aria-valuemax" not in html


def test_cancel_stops_a_waiting_task_and_goes_back_to_the_page(client):
    task = BackgroundTask.objects.create(kind="evaluate")
    response = client.post(f"/tasks/{task.pk}/cancel/", {"next": "/runs/"})
    assert (response.status_code, response["Location"]) == (302, "/runs/")
    task.refresh_from_db()
    assert task.state == "cancelled"


def test_cancel_by_htmx_shows_that_it_was_heard(client):
    task = BackgroundTask.objects.create(kind="evaluate", state="running", started=timezone.now())
    lease = timezone.now() + dt.timedelta(minutes=1)
    WorkUnit.objects.create(task=task, stage="s", key="1", state="leased", lease_until=lease)
    html = client.post(f"/tasks/{task.pk}/cancel/", headers={"HX-Request": "true"}).content.decode()
    assert "Cancelling" in html
    assert "<html" not in html


def test_missing_tasks_and_wrong_methods(client):
    assert client.get("/tasks/999/").status_code == 404
    assert client.post("/tasks/999/cancel/").status_code == 404
    assert client.get("/tasks/999/cancel/").status_code == 405
    assert client.get("/theme/").status_code == 405
    assert client.post("/worker/").status_code == 405


def test_the_theme_is_kept_and_forgotten(client):
    client.post("/theme/", {"theme": "dark", "next": "/runs/"})
    assert 'data-theme="dark"' in client.get("/runs/").content.decode()
    client.post("/theme/", {"theme": "system"})
    assert "data-theme=" not in client.get("/runs/").content.decode()


def test_next_never_leads_to_another_site(client):
    assert client.post("/theme/", {"theme": "dark", "next": "https://example.org/"})["Location"] == "/"
