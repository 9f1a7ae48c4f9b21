"""What each step of retrieval kept, on the page of a question, in Chat and on the command line."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from evaluation.models import Answer
from evaluation.queries.steps import steps_view
from rag_pipeline.management.commands.search import trails
from rag_pipeline.pipeline.step_table import stored_steps
from rag_pipeline.services.pipelines import search
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from rag_pipeline.types import Context, SourceDoc, Span
from tests.factories import PAIRS, ROSETTA, WORDS, make_corpus, make_run
from workbench.models import ChatMessage, Preferences

SENTENCES = [match.span() for match in re.finditer(r"\S[^.]*\.", ROSETTA)]
EVIDENCE = PAIRS[0][3]


def hits(document: int, *numbers: int) -> list[dict]:
    """Return sentences of the Rosetta document, best first, as an answer stores them."""
    return [
        {
            "document_id": document,
            "start": SENTENCES[number][0],
            "end": SENTENCES[number][1],
            "score": 1.0,
            "rank": rank,
        }
        for rank, number in enumerate(numbers, 1)
    ]


def stored(document: int) -> dict:
    """The evidence (sentence 1) comes third, is reranked to the top and given."""
    return {
        "steps": [
            {"name": "retrieve", "hits": hits(document, 0, 2, 1)},
            {"name": "rerank", "hits": hits(document, 1, 0, 2)},
        ]
    }


def given(*numbers: int) -> list[Context]:
    return [Context(Span(7, *SENTENCES[number]), "stone.txt", "", 1.0, rank) for rank, number in enumerate(numbers, 1)]


def view(*numbers: int):
    start = ROSETTA.index(EVIDENCE)
    gold = [Span(7, start, start + len(EVIDENCE))]
    return steps_view(stored_steps(stored(7)), given(*numbers), {7: SourceDoc(7, "stone.txt", ROSETTA)}, gold)


def test_the_candidate_with_evidence_is_followed_to_the_model():
    table = view(1)
    assert [(column.label, column.left) for column in table.columns] == [
        ("Retrieved", 3),
        ("Reranked", 3),
        ("Given to the model", 1),
    ]
    row = table.rows[2]
    assert row.has_evidence
    assert [piece.text for piece in row.pieces if piece.is_evidence] == [EVIDENCE]
    assert [(cell.ranks, cell.moved, cell.dropped) for cell in row.cells] == [
        ("3", 0, False),
        ("1", 2, False),
        ("1", 0, False),
    ]
    assert table.evidence == "1 candidate holds evidence and reached the model."


def test_it_says_which_step_lost_the_evidence():
    assert view(0).evidence == "1 candidate holds evidence; dropped: 1 at “Given to the model”."


def test_one_step_has_no_table():
    assert steps_view(stored_steps(stored(7))[:1], given(0), {7: SourceDoc(7, "stone.txt", ROSETTA)}) is None


@pytest.mark.django_db
def test_the_page_of_a_question_shows_the_steps(client):
    run = make_run()
    document = run.corpus.documents.get()
    question = run.testset.questions.get(question_id="p1s")
    address = reverse("run-question", args=[run.pk, question.pk])
    assert "What each step of retrieval kept" not in client.get(address).content.decode()
    Answer.objects.filter(run=run, question=question).update(details=stored(document.pk))
    html = client.get(address).content.decode()
    assert "What each step of retrieval kept" in html
    assert "1 candidate holds evidence and reached the model." in html
    assert html.count("steps-evidence") == 1
    assert "↑2" in html
    assert html.count(">dropped<") == 2
    assert "What the model reported" not in html  # the steps are no remark of the model


@pytest.mark.django_db(transaction=True)
def test_chat_shows_the_steps(client, monkeypatch):
    monkeypatch.setattr("rag_pipeline.services.pipelines.READER_EMBEDDING", WORDS)
    settings = {"embedding": WORDS, "chunk_size": 120, "consolidate": "extract", "context_budget": 30}
    Preferences.store({"pipeline": settings, "evaluation": {"eval_embedding": WORDS}})
    make_corpus()
    client.post("/chat/send/", {"message": "Where was the decree issued?", "use_context": "on"})
    columns = ChatMessage.objects.get().trace["steps"]["columns"]
    assert [column["label"] for column in columns] == ["Retrieved", "Consolidated", "Within budget"]
    html = client.get("/chat/").content.decode()
    assert "What each step of retrieval kept" in html
    assert 'class="table steps"' in html


@pytest.mark.django_db
def test_a_search_tells_what_became_of_each_candidate():
    settings = {"embedding": WORDS, "chunk_size": 120, "chunk_overlap": 0, "context_budget": 30}
    found = search(corpus=make_corpus(), spec=PipelineSpec.create(settings), query="Where was the decree issued?")
    lines = trails(found)
    assert lines[0] == "What each step kept (retrieved → within budget):"
    assert len(lines) == 1 + 4
    assert lines[1].startswith("1 → 1  rosetta_stone.txt:")
    assert lines[-1].startswith("4 → dropped  rosetta_stone.txt:")
