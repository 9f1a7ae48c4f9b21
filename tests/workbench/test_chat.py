"""The page Chat without streaming: which pipeline answers, what is stored, what can go wrong."""

from __future__ import annotations

import re

import pytest

from rag_pipeline.models import BackgroundTask
from tests.factories import ROSETTA, WORDS, make_corpus, make_run, make_testset
from tests.fake_openai.behaviour import Behaviour
from tests.markup import words_of
from workbench.models import Chat, ChatMessage, Preferences

pytestmark = pytest.mark.django_db
SETTINGS = {"embedding": WORDS, "chunk_size": 300, "chunk_overlap": "0"}
EVALUATION = {"eval_embedding": WORDS}


@pytest.fixture(autouse=True)
def no_weights(monkeypatch):
    """Let the built-in reader compare words: its own model is tested elsewhere."""
    monkeypatch.setattr("rag_pipeline.services.pipelines.READER_EMBEDDING", WORDS)


def prefer(**settings) -> None:
    Preferences.store({"pipeline": SETTINGS | settings, "evaluation": EVALUATION})


@pytest.fixture
def corpus():
    """A corpus on the Rosetta Stone, and preferred settings that need no model."""
    prefer()
    return make_corpus(files={"stone.txt": ROSETTA})


def send(client, text, **fields):
    return client.post("/chat/send/", {"message": text, "use_context": "on"} | fields)


def finished_run(**fields):
    run = make_run(settings=SETTINGS, **fields)
    run.task = BackgroundTask.objects.create(kind="evaluate", state="done")
    run.save()
    return run


def test_without_documents_the_page_leads_to_them(client):
    assert "Upload documents" in client.get("/chat/").content.decode()


def test_an_answer_is_stored_and_shown_with_its_contexts_and_its_line(client, corpus):
    response = send(client, "Who announced the decipherment of the hieroglyphs?")
    message = ChatMessage.objects.get()
    assert response["Location"] == f"/chat/#message-{message.pk}"
    assert "Champollion" in message.answer
    assert message.error == ""
    used = [context for context in message.trace["contexts"] if context["used"]]
    assert all("Champollion" in context["text"] for context in used)
    page = words_of(client.get("/chat/"))
    assert re.search(r"answered from 1 of \d contexts · \d+(\.\d)? m?s · not a refusal", page)
    assert "stone.txt" in page
    assert "Add to test set" in page


def test_a_message_may_look_in_one_document_alone(client):
    prefer()
    obelisk = "The obelisk was found in Luxor, where Champollion chose it."
    corpus = make_corpus(files={"stone.txt": ROSETTA, "obelisk.txt": obelisk})
    one = corpus.documents.get(name="obelisk.txt")
    assert f'<option value="{one.pk}">obelisk.txt</option>' in client.get("/chat/").content.decode()
    send(client, "Where was the stone found?", document=one.pk)
    assert {each["document"] for each in ChatMessage.objects.last().trace["contexts"]} == {"obelisk.txt"}
    send(client, "Where was the stone found?", document="")
    assert "stone.txt" in {each["document"] for each in ChatMessage.objects.last().trace["contexts"]}
    other = make_corpus().documents.get()
    assert send(client, "Where was the stone found?", document=other.pk).status_code == 422


def test_each_message_is_independent_of_earlier_ones(client, corpus):
    send(client, "When was the stone found?")
    send(client, "Who announced the decipherment of the hieroglyphs?")
    assert Chat.objects.count() == 1
    assert "When was the stone found?" not in ChatMessage.objects.last().trace["prompt"]


def test_declining_counts_as_a_refusal(client, corpus, fake_openai):
    prefer(llm="openai:gpt-4.1-mini")
    fake_openai.next(Behaviour.says("I am not aware of that topic."))
    send(client, "Who won the match?")
    message = ChatMessage.objects.get()
    assert message.refused
    page = words_of(client.get("/chat/"))
    assert "declined after" in page
    assert "counts as a refusal" in page
    assert "tokens" in page


def test_what_a_provider_says_stands_in_the_page(client, corpus, fake_openai):
    prefer(llm="openai:gpt-4.1-mini")
    fake_openai.next(Behaviour.rejected_key())
    send(client, "Who won the match?")
    message = ChatMessage.objects.get()
    assert "key" in message.error
    assert message.error in client.get("/chat/").content.decode().replace("&#x27;", "'")


def test_the_model_alone_answers_without_contexts(client, corpus, fake_openai):
    prefer(llm="openai:gpt-4.1-mini")
    fake_openai.next(Behaviour.says("Paris."))
    client.post("/chat/send/", {"message": "What is the capital of France?"})
    message = ChatMessage.objects.get()
    assert (message.answer, message.trace["contexts"], message.trace["prompt"]) == (
        "Paris.",
        [],
        "What is the capital of France?",
    )
    assert "answered without contexts" in words_of(client.get("/chat/"))


def test_the_builtin_reader_says_that_it_needs_context(client, corpus):
    response = client.post("/chat/send/", {"message": "Who?"})
    assert response.status_code == 422
    assert "cannot run without context" in words_of(response)
    assert "Who?" in response.content.decode()
    assert not ChatMessage.objects.exists()


def test_an_empty_message_comes_back_with_words(client, corpus):
    response = send(client, "  ")
    assert response.status_code == 422
    assert "Type a question first." in words_of(response)


def test_the_latest_evaluated_pipeline_answers_and_another_can_be_chosen(client):
    first = finished_run(testset=make_testset())
    latest = finished_run(testset=make_testset())
    make_run(settings=SETTINGS)  # never finished
    assert client.get("/chat/").context["current"].run == latest
    page = client.get("/chat/", {"run": first.pk})
    assert page.context["current"].run == first
    assert page.context["corpus"] == first.corpus
    response = send(client, "When was it found?", run=first.pk)
    assert response["Location"].startswith(f"/chat/?run={first.pk}#")
    assert Chat.objects.get().run == first


def test_a_run_that_is_gone_is_explained_and_the_latest_answers(client, corpus):
    page = client.get("/chat/", {"run": "999"})
    assert page.status_code == 200
    assert "does not exist any more" in words_of(page)


def test_questions_of_the_test_set_are_offered_to_begin_with(client):
    finished_run(testset=make_testset())
    assert "When was the Rosetta Stone found?" in words_of(client.get("/chat/"))
    assert client.get("/chat/", {"message": "Why?"}).context["form"]["message"].value() == "Why?"


def test_a_new_chat_begins_empty_and_keeps_the_old_one_stored(client, corpus):
    send(client, "When was it found?")
    client.post("/chat/new/")
    assert client.get("/chat/").context["chat_messages"] == []
    assert ChatMessage.objects.count() == 1


def test_the_number_of_queries_does_not_grow_with_the_messages(
    client, corpus, django_assert_num_queries, django_assert_max_num_queries
):
    send(client, "When was it found?")
    with django_assert_max_num_queries(18) as counted:
        client.get("/chat/")
    count = len(counted.captured_queries)
    for _ in range(4):
        send(client, "When was it found?")
    with django_assert_num_queries(count):
        client.get("/chat/")


def test_methods_are_kept_apart(client):
    assert client.post("/chat/").status_code == 405
    for address in ("/chat/send/", "/chat/stream/", "/chat/new/"):
        assert client.get(address).status_code == 405
