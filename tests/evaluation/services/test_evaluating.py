"""The work of a run: block by block, the documents read once, whatever comes and goes meanwhile."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from evaluation.models import Run
from evaluation.services import answering
from evaluation.services.evaluating import EvaluateRun
from evaluation.services.runs import start_run
from evaluation.spec import EvaluationSpec, RunOptions
from rag_pipeline.background.tasks import run_inline
from rag_pipeline.services.corpora import import_documents
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from tests.factories import WORDS, make_testset
from tests.queries import text_reads

pytestmark = pytest.mark.django_db(transaction=True)


def start(**settings: object) -> Run:
    testset = make_testset()
    return start_run(
        corpus=testset.corpus,
        testset=testset,
        spec=PipelineSpec.create({"embedding": WORDS, "chunk_size": 300, "top_k": 1} | settings),
        evaluation=EvaluationSpec(eval_embedding=WORDS),
        options=RunOptions(),
    )


@pytest.fixture
def opened(monkeypatch) -> list[object]:
    """Every pipeline that a run opens."""
    pipelines: list[object] = []

    def opening(**kwargs):
        pipelines.append(answering_open(**kwargs))
        return pipelines[-1]

    answering_open = answering.open_pipeline
    monkeypatch.setattr(answering, "open_pipeline", opening)
    return pipelines


def reads_of(run: Run) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert run_inline(run.task).state == "done"
    return text_reads(queries)


def test_a_run_of_many_blocks_reads_no_more_than_a_run_of_one(monkeypatch, opened):
    one = reads_of(start())
    assert len(opened) == 1
    monkeypatch.setattr(EvaluateRun, "block", {"answer": 2})
    many = reads_of(start())
    assert len(opened) == 1 + 4
    assert one == many == 3  # all of them once; of the answers to score and to write down, those they point into
    assert len({id(each.retrieval.retriever.index) for each in opened[1:]}) == 1


def test_a_document_that_is_imported_between_two_blocks_is_not_seen(monkeypatch, opened):
    monkeypatch.setattr(EvaluateRun, "block", {"answer": 4})
    run = start()
    late = [("late.txt", b"The Rosetta Stone was found in July 1799, says a late note.")]

    def at_progress(task) -> None:
        if task.stage == "answer" and late:
            import_documents(corpus=run.corpus, files=[late.pop()])

    assert run_inline(run.task, at_progress).state == "done"
    assert run.corpus.documents.count() == 2
    assert [len(each.documents) for each in opened] == [1, 1]
    assert opened[1].retrieval.retriever.index is opened[0].retrieval.retriever.index


def test_the_chunks_are_those_of_the_index(opened):
    run = start()
    run_inline(run.task)
    run.refresh_from_db()
    assert run.chunks == len(opened[0].retrieval.retriever.index)
