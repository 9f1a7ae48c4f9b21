"""Contexts from another run, chosen on the Workbench and shown with the run."""

from __future__ import annotations

import pytest

from evaluation.models import Run
from rag_pipeline.models import BackgroundTask
from tests.factories import WORDS, make_run, make_testset
from workbench.forms.workbench import SettingsForm
from workbench.services.preferences import preferred_bench

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


def make_source() -> None:
    task = BackgroundTask.objects.create(kind="evaluate", state=BackgroundTask.State.DONE)
    settings = {"embedding": WORDS, "chunk_size": 90, "top_k": 2}
    make_run(make_testset(), settings=settings, name="odd", task=task)


@pytest.fixture
def source(begin_with) -> Run:
    """Return a finished run."""
    begin_with(make_source)
    return Run.objects.get()


def sent(**changes):
    """Return what a browser sends for the form as it starts, with changes."""
    bound = SettingsForm(initial=preferred_bench().values | changes).bound()
    return {name: value for name, value in bound.data.items() if value != "false"}


def test_the_finished_runs_of_the_test_set_are_offered(client, source):
    make_run(make_testset(source.corpus), name="of other questions")
    make_run(source.testset, name="unfinished", task=BackgroundTask.objects.create(kind="evaluate"))
    form = SettingsForm(initial=preferred_bench().values | {"testset": source.testset_id})
    assert [str(run) for run in form.fields["contexts_from"].queryset] == ["odd"]
    assert ">Contexts from</label>" in client.get("/").content.decode()


def test_retrieval_settings_are_hidden_while_contexts_come_from_a_run(client, source):
    shown = client.get(f"/?testset={source.testset_id}&contexts_from={source.pk}").content.decode()
    assert 'type="hidden" name="chunk_size"' in shown
    assert 'type="hidden" name="retriever"' in shown
    assert 'type="hidden" name="prompt"' not in shown
    assert "none to embed" not in shown
    assert (
        'type="hidden" name="chunk_size"'
        not in client.get(f"/?testset={source.testset_id}&contexts_from=").content.decode()
    )


def test_evaluate_starts_a_run_on_those_contexts(client, source):
    response = client.post("/evaluate/", sent(testset=source.testset_id, contexts_from=source.pk), headers=HTMX)
    assert response.status_code == 200
    run = Run.objects.first()
    assert run.contexts_from == source
    assert (run.pipeline["chunk_size"], run.pipeline["top_k"]) == (90, 2)
    assert f'<option value="{source.pk}" selected>odd</option>' in response.content.decode()  # the next one too
    assert "contexts from <a" in client.get(f"/runs/{run.pk}/").content.decode()


def test_a_run_of_another_test_set_is_refused_or_forgotten(client, source):
    other = make_testset(source.corpus)
    response = client.post("/evaluate/", sent(testset=other.pk) | {"contexts_from": source.pk}, headers=HTMX)
    assert response.status_code == 422
    assert "This run does not belong to the test set" in response.content.decode()
    form = SettingsForm(initial=preferred_bench().values | {"testset": other.pk, "contexts_from": source.pk})
    assert form.value("contexts_from") is None


def test_a_run_that_asked_fewer_is_refused_before_any_work(client, source):
    source.answers.filter(question__pair_id="p3").delete()
    data = sent(testset=source.testset_id, contexts_from=source.pk)
    estimate = client.post("/settings/estimate/", data, headers=HTMX)
    assert "no contexts for 2 of the 8 questions" in estimate.content.decode()
    assert client.post("/evaluate/", data, headers=HTMX).status_code == 422
    assert Run.objects.count() == 1


def test_compare_and_the_run_s_page_say_where_contexts_came_from(client, source):
    run = make_run(source.testset, contexts_from=source, contexts_run="odd", name="same contexts")
    assert (
        "same contexts answered on contexts from odd."
        in client.get(f"/compare/?a={source.pk}&b={run.pk}").content.decode()
    )
    source.delete()
    page = client.get(f"/runs/{run.pk}/").content.decode()
    assert "contexts from odd (deleted)" in page


def test_where_the_chunk_fields_were_it_says_where_contexts_come_from(client, source):
    shown = client.get(f"/?testset={source.testset_id}&contexts_from={source.pk}").content.decode()
    assert f'Contexts come from <a href="/runs/{source.pk}/">odd</a>.' in shown
    assert "Contexts come from" not in client.get(f"/?testset={source.testset_id}&contexts_from=").content.decode()
