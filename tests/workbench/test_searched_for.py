"""What was searched for: stored with the answer, shown on pages and by commands where it is not the question."""

from __future__ import annotations

import json

import pytest
from django.core.management import call_command
from django.urls import reverse

from evaluation.models import Answer
from rag_pipeline.services.pipelines import search
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from tests.factories import ROSETTA, WORDS, make_corpus, make_run
from tests.fake_openai import Behaviour, FakeOpenAI
from workbench.models import ChatMessage, Preferences

ASKED = "Hi, could you please tell me where the decree was isssued?"
CORE = "Where the decree was issued?"
RULES = {"embedding": WORDS, "chunk_size": 120, "query_transform": "rewrite"}


@pytest.mark.django_db
def test_the_page_of_a_question_shows_what_was_searched_for(client):
    run = make_run()
    question = run.testset.questions.get(question_id="p1s")
    address = reverse("run-question", args=[run.pk, question.pk])
    assert "Searched for" not in client.get(address).content.decode()
    Answer.objects.filter(run=run, question=question).update(details={"queries": ["Decree <place>?"]})
    html = client.get(address).content.decode()
    assert "Searched for:</span> Decree &lt;place&gt;?" in html
    assert "What the model reported" not in html
    Answer.objects.filter(run=run, question=question).update(details={"queries": ["First?", "Second?"]})
    html = client.get(address).content.decode()
    assert "Searched for 2 texts, their results fused" in html
    assert html.index("First?") < html.index("Second?")


@pytest.mark.django_db(transaction=True)
def test_chat_shows_what_was_searched_for(client, monkeypatch):
    monkeypatch.setattr("rag_pipeline.services.pipelines.READER_EMBEDDING", WORDS)
    Preferences.store({"pipeline": RULES, "evaluation": {"eval_embedding": WORDS}})
    make_corpus(files={"stone.txt": ROSETTA})
    client.post("/chat/send/", {"message": ASKED, "use_context": "on"})
    message = ChatMessage.objects.get()
    assert message.trace["queries"] == [CORE]
    assert ASKED in message.trace["prompt"]  # the model is asked in the user's own words
    assert f"Searched for:</span> {CORE}" in client.get("/chat/").content.decode()


@pytest.mark.django_db(transaction=True)
def test_several_wordings_are_fused_and_their_calls_counted(fake_openai: FakeOpenAI) -> None:
    fake_openai.when("different ways", Behaviour.says("1. Place of the decree?\n2. Who deciphered the hieroglyphs?"))
    corpus = make_corpus(files={"stone.txt": ROSETTA})
    settings = {"embedding": WORDS, "chunk_size": 120, "llm": "openai:gpt-4.1-mini", "query_count": 2}
    found = search(corpus=corpus, spec=PipelineSpec.create(settings | {"query_transform": "multi_query"}), query=CORE)
    assert found.queries == (CORE, "Place of the decree?", "Who deciphered the hieroglyphs?")
    texts = " ".join(context.text for context in found.contexts)
    assert "decree" in texts
    assert "hieroglyphs" in texts


@pytest.mark.django_db(transaction=True)
def test_commands_say_what_was_searched_for(capsys, monkeypatch):
    monkeypatch.setattr("rag_pipeline.services.pipelines.READER_EMBEDDING", WORDS)
    corpus = make_corpus(files={"stone.txt": ROSETTA})
    chosen = [part for name, value in RULES.items() for part in ("--set", f"{name}={value}")]
    call_command("search", ASKED, "--corpus", corpus.name, *chosen)
    assert capsys.readouterr().out.splitlines()[0] == f"Searched for: {CORE}"
    call_command("ask", ASKED, "--corpus", corpus.name, *chosen, "--json")
    assert json.loads(capsys.readouterr().out)["queries"] == [CORE]
    call_command("ask", CORE, "--corpus", corpus.name, *chosen)
    assert "Searched for" not in capsys.readouterr().out


@pytest.mark.django_db
def test_the_prompts_of_the_transforms_can_be_read(client):
    html = client.get("/prompts/").content.decode()
    assert "What the query transforms ask the model" in html
    assert "Take a step back from the question below" in html
    assert html.count("{question}\n&lt;/question&gt;") == 4
