"""A run over a retriever of the user's own: contexts that stand in no document are kept, shown and scored as text."""

from __future__ import annotations

import json

import pytest
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda

from evaluation.exchange.csv_cells import from_csv
from evaluation.models import Answer, Run
from evaluation.queries.questions import question_detail
from evaluation.services.files import export_run
from evaluation.services.reuse import earlier_runs
from evaluation.services.runs import estimate_run, start_run
from evaluation.spec import EvaluationSpec, RunOptions
from rag_pipeline.background.tasks import run_inline
from rag_pipeline.errors import ConfigError
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from tests.factories import PAIRS, ROSETTA, WORDS, make_testset

pytestmark = pytest.mark.django_db(transaction=True)

MEMPHIS, FOUND = PAIRS[0][3], PAIRS[1][3]
IN_OTHER_WORDS = f"From another archive. {FOUND} So the catalogue says."


def museum() -> BaseRetriever | RunnableLambda[str, list[Document]]:
    """Return a retriever whose first text stands in the corpus, and whose second holds evidence but stands nowhere."""
    texts = [MEMPHIS, IN_OTHER_WORDS, "Nothing of use."]
    return RunnableLambda(lambda query: [Document(text, metadata={"source": "archive"}) for text in texts])


def run_over(path: str = f"{__name__}:museum", testset=None, source: Run | None = None, **settings: object) -> Run:
    testset = testset or make_testset()
    given = {} if source else {"retriever": "langchain", "retriever_path": path, "top_k": 2}
    run = start_run(
        corpus=testset.corpus,
        testset=testset,
        spec=PipelineSpec.create(given | settings),
        evaluation=EvaluationSpec(eval_embedding=WORDS, agreement="token_recall"),
        options=RunOptions(),
        contexts_from=source,
    )
    task = run_inline(run.task)
    assert task.state == "done", task.error
    run.refresh_from_db()
    return run


def scores(run: Run, metric: str) -> dict[str, float | None]:
    found = run.current_scoring.scores.filter(metric=metric)
    return dict(found.values_list("answer__question__question_id", "value"))


def test_contexts_are_placed_or_scored_as_text():
    run = run_over()
    assert scores(run, "context_matching") | {"o1": None, "o2": None} == {
        "p1s": 1.0, "p1c": 1.0,  # placed where it stands
        "p2s": 1.0, "p2c": 1.0,  # word for word in a text that stands nowhere
        "p3s": 0.0, "p3c": 0.0, "o1": None, "o2": None,
    }  # fmt: skip
    at = ROSETTA.index(MEMPHIS)
    header, first, *_ = from_csv(export_run(run=run).decode())
    row = dict(zip(header, first, strict=True))
    assert json.loads(row["contexts"]) == [MEMPHIS, IN_OTHER_WORDS]
    assert json.loads(row["contexts_id"]) == [
        f"rosetta_stone.txt:{at}-{at + len(MEMPHIS)}", f"archive:0-{len(IN_OTHER_WORDS)}",
    ]  # fmt: skip


def test_nothing_is_cut_or_embedded():
    run = run_over()
    assert run.chunks is None
    assert not {"chunker", "chunk_size", "embedding", "index_kind"} & set(run.pipeline)


def test_the_page_of_an_answer_shows_all_texts(client):
    run = run_over(reranker="none", consolidate="extract")
    answer = Answer.objects.get(run=run, question__question_id="p2s")
    detail = question_detail(run=run, question=answer.question)
    assert detail.steps is not None
    assert [row.document for row in detail.steps.rows] == ["rosetta_stone.txt", "archive"]
    assert any(piece.is_evidence for context in detail.contexts for piece in context.pieces)
    page = client.get(f"/runs/{run.pk}/questions/{answer.question_id}/").content.decode()
    assert 'title="A text that stands in none of the documents">archive</span>' in page
    assert "passages" not in detail.details


def test_another_run_can_take_its_contexts():
    first = run_over()
    second = run_over(testset=first.testset, source=first, refusal="No idea")
    for one, other in zip(first.answers.order_by("question_id"), second.answers.order_by("question_id"), strict=True):
        assert one.contexts == other.contexts
    assert scores(second, "context_matching") == scores(first, "context_matching")


def test_its_answers_stand_for_no_later_run():
    first = run_over()
    assert earlier_runs(run_over(testset=first.testset)) == []


def test_why_an_answer_failed_is_said_without_asking_the_retriever_again():
    run = run_over()
    point = run.current_scoring.scores.get(metric="failure_point", answer__question__question_id="p3s")
    assert point.value == 2
    assert "is not asked how far down" in point.reason


def test_a_wrong_path_is_refused_before_any_work():
    testset = make_testset()
    for path in ("", "nowhere_at_all:retriever"):
        spec = PipelineSpec.create({"retriever": "langchain"} | ({"retriever_path": path} if path else {}))
        with pytest.raises(ConfigError) as refused:
            estimate_run(corpus=testset.corpus, testset=testset, spec=spec, options=RunOptions())
        assert refused.value.field == "retriever_path"
