"""What the pages show of the built-in reader's answer: how sure it is, the sentence, its place."""

from __future__ import annotations

import pytest
from django.urls import reverse

from evaluation.models import Answer
from rag_pipeline.settings.prompt_templates import shipped_prompts
from tests.factories import REFUSAL, ROSETTA, WORDS, make_corpus, make_run
from tests.markup import markup, words_of
from workbench.display.reader_answer import reader_answer
from workbench.models import ChatMessage, Preferences

SETTINGS = {"prompt": "Answer. If you cannot, say {refusal}. {context} {question}", "refusal": REFUSAL}
ALWAYS = SETTINGS | {"prompt": "Answer. {context} {question}"}
SENTENCE = "The decree was issued in Memphis in 196 BC."
DETAILS = {
    "expects": "place",
    "prompt": ["Declines with the refusal when the context does not hold the answer."],
    "strictness": 0.41,
    "sentence": SENTENCE,
    "document": "stone.txt",
    "document_id": 7,
    "start": 100,
    "end": 100 + len(SENTENCE),
    "answer": "Memphis",
    "answer_start": 125,
    "answer_end": 132,
    "score": 3.2,
    "probability": 0.73,
    "far": False,
    "declined": False,
}
OF_BEFORE = {name: value for name, value in DETAILS.items() if name not in ("probability", "strictness", "far")}


def words(response) -> str:
    return words_of(response).replace("&#x27;", "'")


@pytest.mark.parametrize(
    "changes, pipeline, verdict",
    [
        ({}, SETTINGS, "Probability that the contexts hold the answer: 0.73; declines below 0.41."),
        (
            {"probability": 0.2},
            ALWAYS,
            "Probability that the contexts hold the answer: 0.20. It answers in any case: the prompt does not tell it "
            "to decline.",
        ),
        (
            {"probability": 0.2, "strictness": 0},
            SETTINGS,
            "Probability that the contexts hold the answer: 0.20. It answers in any case: strictness is 0.",
        ),
        (
            {"probability": 0.2, "declined": True},
            SETTINGS,
            "Declined: the probability that the contexts hold the answer is 0.20, below the strictness of 0.41.",
        ),
        (
            {"probability": 0.409, "declined": True},
            SETTINGS,
            "Declined: the probability that the contexts hold the answer is 0.409, below the strictness of 0.41.",
        ),
        (
            {"probability": 0.41, "declined": True},  # rounded when it was stored
            SETTINGS,
            "Declined: the probability that the contexts hold the answer is just below the strictness of 0.41.",
        ),
        (
            {"probability": 0.998, "declined": True, "strictness": 1.0},
            SETTINGS,
            "Declined: the probability that the contexts hold the answer is 0.998, below the strictness of 1.00.",
        ),
        (
            {"probability": 0.0, "declined": True, "far": True},
            SETTINGS,
            "Declined outright: nothing here is near the question.",
        ),
        (
            {"probability": 0.0, "far": True},
            ALWAYS,
            "Nothing here is near the question. It answers all the same: the prompt does not tell it to decline.",
        ),
    ],
)
def test_how_sure_it_is_in_words(changes, pipeline, verdict):
    assert reader_answer(DETAILS | changes, pipeline).verdict == verdict


def test_the_sentence_with_its_answer_and_place():
    quote = reader_answer(DETAILS, SETTINGS, page=3).quote
    assert (quote.before, quote.answer, quote.after) == ("The decree was issued in ", "Memphis", " in 196 BC.")
    assert (quote.document_id, quote.document, quote.page, quote.start) == (7, "stone.txt", 3, 100)


def test_what_stands_far_from_the_answer_is_left_out():
    long = {"sentence": "so " * 200 + "Memphis" + " etc" * 200, "start": 0, "answer_start": 600, "answer_end": 607}
    quote = reader_answer(DETAILS | long, SETTINGS).quote
    assert quote.before.startswith("… so so")
    assert quote.after.endswith("etc etc …")
    assert max(len(quote.before), len(quote.after)) < 290


def test_what_has_no_spaces_is_cut_all_the_same():
    long = {"sentence": "東" * 999 + "京" + "都" * 999, "start": 0, "answer_start": 999, "answer_end": 1000}
    quote = reader_answer(DETAILS | long, SETTINGS).quote
    assert (quote.before, quote.answer, quote.after) == ("… " + "東" * 280, "京", "都" * 280 + " …")
    whole = {"sentence": "so " * 2000, "start": 0, "answer_start": 0, "answer_end": 6000}
    assert len(reader_answer(DETAILS | whole, SETTINGS).quote.answer) < 1010


def test_a_whole_sentence_is_not_said_twice(client, run):
    whole = {"answer_start": ROSETTA.index("The decree"), "answer_end": ROSETTA.index("The decree") + len(SENTENCE)}
    assert "<blockquote" not in client.get(read(run, **whole)).content.decode()
    assert f">{SENTENCE}</blockquote>" in client.get(read(run, **whole, declined=True)).content.decode()


def test_a_declined_answer_shows_what_it_would_have_been():
    assert reader_answer(DETAILS, SETTINGS).lead == ""
    assert reader_answer(DETAILS | {"declined": True}, SETTINGS).lead == "It would have answered:"


def test_without_text_to_read_it_says_so():
    empty = {"expects": "place", "prompt": [], "strictness": 0.41}
    declined = reader_answer(empty | {"declined": True}, SETTINGS)
    assert (declined.verdict, declined.quote) == ("Declined: the contexts hold no sentence to answer from.", None)
    assert reader_answer(empty | {"declined": False}, ALWAYS).verdict.startswith("No answer: the contexts hold")


def test_an_answer_of_an_earlier_version_is_shown_without_a_probability():
    found = reader_answer(OF_BEFORE | {"margin": 0.2}, SETTINGS)
    assert found.verdict == "Answered by an earlier version, which gave no probability."
    assert found.quote.answer == "Memphis"
    declined = reader_answer({"declined": True, "expects": "place", "prompt": []}, SETTINGS)
    assert declined.declined


def test_another_models_answer_has_nothing_to_show():
    assert reader_answer(None, SETTINGS) is None
    assert reader_answer({}, SETTINGS) is None


@pytest.fixture
def run(db):
    """A run of the built-in reader."""
    return make_run(settings={"prompt": shipped_prompts()["Concise"]})


def read(run, **changes) -> str:
    """Store the details with the first answer, on its document, and return the page's address."""
    document = run.corpus.documents.get()
    start = ROSETTA.index("The decree")
    placed = {"document_id": document.pk, "start": start, "answer_start": start + 25, "answer_end": start + 32}
    answer = Answer.objects.filter(run=run).order_by("pk")[0]
    answer.details = {"reader": DETAILS | placed | changes, "other": "told"}
    answer.save()
    return reverse("run-question", args=[run.pk, answer.question_id])


def test_the_page_of_a_question_shows_it(client, run):
    html = markup(client.get(read(run)).content.decode())
    assert "0.73; declines below 0.41" in html
    assert 'The decree was issued in <mark class="said">Memphis</mark> in 196 BC.' in html
    document = run.corpus.documents.get()
    start = ROSETTA.index("The decree")
    assert f'href="{reverse("document", args=[document.pk])}?start={start}&amp;end=' in html
    assert "<dt>Other</dt><dd>told</dd>" in html
    assert "<dt>Reader</dt>" not in html


def test_the_page_names_the_page_of_a_document_that_has_pages(client, run):
    assert "</a> page" not in markup(client.get(read(run)).content.decode())
    run.corpus.documents.update(page_starts=[0, 50])
    assert "</a> page 2 " in markup(client.get(read(run)).content.decode())


def test_what_was_declined_stands_there_too(client, run):
    page = words(client.get(read(run, declined=True, probability=0.3)))
    assert "Declined: the probability that the contexts hold the answer is 0.30, below the strictness of 0.41." in page
    assert "It would have answered: The decree was issued in Memphis in 196 BC." in page
    assert "Declined outright" in words(client.get(read(run, declined=True, probability=0.0, far=True)))


def test_everything_is_escaped(client, run):
    bad = "<script>alert(1)</script>"
    html = client.get(read(run, sentence=bad + "Memphis", document=bad, expects=bad, prompt=[bad])).content.decode()
    assert "<script>alert" not in html
    assert html.count("&lt;script&gt;alert") >= 3


def test_the_page_of_an_answer_of_before_opens(client, run):
    address = read(run)
    Answer.objects.filter(details__has_key="reader").update(details={"reader": OF_BEFORE | {"margin": 0.1}})
    assert "by an earlier version" in words(client.get(address))


@pytest.fixture
def chat(db, monkeypatch):
    """Return a function that asks the chat, with a strictness, and returns the stored message."""
    monkeypatch.setattr("rag_pipeline.services.pipelines.READER_EMBEDDING", WORDS)
    corpus = make_corpus(files={"stone.txt": ROSETTA})
    corpus.documents.update(page_starts=[0, ROSETTA.index("The stone was found")])

    def ask(client, strictness) -> ChatMessage:
        pipeline = {"embedding": WORDS, "chunk_size": 300, "chunk_overlap": "0", "strictness": strictness}
        Preferences.store({"pipeline": pipeline, "evaluation": {"eval_embedding": WORDS}})
        client.post("/chat/send/", {"message": "When was the stone found?", "use_context": "on"})
        return ChatMessage.objects.last()

    return ask


def test_the_chat_shows_it(client, chat):
    assert "July 1799" in chat(client, 0).answer
    page = words(client.get("/chat/"))
    assert "It answers in any case: strictness is 0." in page
    assert "stone.txt page 2 " in page
    assert "answered from 1 of" in page


def test_the_chat_shows_what_it_did_not_answer(client, chat):
    message = chat(client, 1)
    assert message.answer == REFUSAL
    assert message.trace["used"] == []
    page = words(client.get("/chat/"))
    assert "below the strictness of 1.00. It would have answered: The stone was found in July 1799" in page


def test_the_chat_says_beforehand_what_to_expect(client, chat):
    chat(client, 0.3)
    assert "extracts and does not reason:" not in words(client.get("/chat/"))  # once something was asked
    client.post("/chat/new/")
    page = words(client.get("/chat/"))
    assert "extracts and does not reason:" in page
    assert "Strictness 0.3" in page
    Preferences.store({"pipeline": {"llm": "openai:gpt-4.1-mini"}})
    assert "does not reason" not in words(client.get("/chat/"))


def test_messages_of_before_are_shown_as_they_were(client, chat):
    message = chat(client, 0)
    del message.trace["reader"]
    message.save()
    assert "strictness is 0" not in words(client.get("/chat/"))
