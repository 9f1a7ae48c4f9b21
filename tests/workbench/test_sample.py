"""The sample of the first start is made once, and goes on where it stopped."""

from __future__ import annotations

import pytest
from django.utils.html import escape

from evaluation.generator_spec import GeneratorSpec
from evaluation.models import Answer, Run, TestSet
from evaluation.services.files import export_testset
from rag_pipeline.background.tasks import enqueue, run_inline
from rag_pipeline.models import BackgroundTask, Corpus
from rag_pipeline.services.corpora import get_or_create_corpus
from tests.finished import TEXT, load_rows
from tests.sample_questions import write_anew
from workbench.services.sample import CORPUS, QUESTIONS, REPORT, TESTSET, LoadSample, queue_sample, sample_files

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_document_with_its_licence_is_shipped():
    (document,) = sample_files()
    notice = (document.parent / "NOTICE.md").read_text(encoding="utf-8")
    assert document.name in notice
    assert "Creative Commons" in notice


def test_it_is_queued_once():
    assert queue_sample() is not None
    assert queue_sample() is None
    assert BackgroundTask.objects.filter(kind=LoadSample.kind).count() == 1


def test_it_does_not_come_back_after_it_was_deleted():
    queue_sample()
    get_or_create_corpus(name=CORPUS).delete()
    assert queue_sample() is None


def test_a_user_who_has_documents_gets_none():
    get_or_create_corpus(name="Mine")
    assert queue_sample() is None


def test_it_becomes_two_evaluated_runs(monkeypatch, finished, data_dir):
    load_rows(finished, data_dir)
    monkeypatch.setattr("workbench.services.sample.sample_files", lambda: [finished / TEXT])
    ended = run_inline(enqueue(LoadSample.kind, {}))
    assert (ended.state, ended.error) == (BackgroundTask.State.DONE, "")
    corpus = Corpus.objects.get()
    testset = TestSet.objects.get()
    assert testset.name == TESTSET
    runs = list(corpus.runs.filter(name__startswith="Sample").order_by("id"))
    assert [run.pipeline["chunk_size"] for run in runs] == [300, 1000]
    for run in runs:
        assert run.answers.count() == 10
        assert run.current_scoring is not None
        assert run.current_scoring.metrics.get(metric="total", group="").mean is not None


@pytest.mark.slow
def test_the_shipped_questions_are_those_that_the_built_in_writer_writes():
    questions, report = write_anew()
    assert questions.decode() == QUESTIONS.read_bytes().decode()
    assert report == REPORT.read_text(encoding="utf-8")


def test_the_sample_has_the_shipped_questions_as_if_they_were_written_here():
    task = queue_sample()
    assert task is not None
    testset = LoadSample(task).testset()
    assert export_testset(testset=testset) == QUESTIONS.read_bytes()
    assert testset.generator == GeneratorSpec().model_dump()
    assert testset.report["made"] == {"pairs": 30, "out_of_scope": 15}


def test_a_stopped_worker_leaves_what_the_next_one_goes_on_with():
    task = queue_sample()
    assert task is not None
    begun = LoadSample(task).testset()
    next_one = LoadSample(task)
    assert next_one.testset() == begun
    assert next_one.corpus.documents.count() == 1
    assert TestSet.objects.count() == 1


def test_the_first_page_shows_its_progress(client):
    queue_sample()
    text = client.get("/").content.decode()
    assert "A sample is being made" in text
    assert 'role="progressbar"' in text


def test_its_questions_stand_there_at_once_and_its_answers_as_they_come(client):
    task = queue_sample()
    assert "The document is being read." in client.get("/sample/").content.decode()
    testset = LoadSample(task).testset()
    first = testset.questions.first()
    html = client.get("/").content.decode()
    assert "0 of 150 answered" in html
    assert escape(first.text) in html
    run = Run.objects.create(corpus=testset.corpus, testset=testset, pipeline={}, pipeline_fingerprint="x")
    Answer.objects.create(run=run, question=first, text="In the year of the answer")
    part = client.get("/sample/").content.decode()
    assert "1 of 150 answered" in part
    assert "In the year of the answer" in part
    assert "not answered yet" not in part
    assert client.post("/sample/").status_code == 405


def test_the_first_page_is_the_users_own_once_there_are_documents(client):
    queue_sample()
    get_or_create_corpus(name="Mine")
    assert "A sample is being made" not in client.get("/").content.decode()


def test_the_page_that_waits_is_loaded_anew_at_the_end(client):
    task = queue_sample()
    assert task is not None
    address = f"/tasks/{task.pk}/"
    assert "HX-Refresh" not in client.get(address).headers
    BackgroundTask.objects.filter(pk=task.pk).update(state=BackgroundTask.State.DONE)
    assert client.get(address).headers["HX-Refresh"] == "true"
