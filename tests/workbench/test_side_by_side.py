"""Chat side by side: several saved settings answer one message, and blind votes on them."""

from __future__ import annotations

import re

import pytest

from evaluation.spec import EvaluationSpec, RunOptions
from evaluation.statistics.intervals import wilson
from rag_pipeline.models import BackgroundTask
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from tests.factories import ROSETTA, WORDS, make_corpus, make_run, make_testset
from tests.fake_openai.behaviour import Behaviour
from tests.markup import words_of
from workbench.models import Chat, ChatMessage, ChatRound, Preferences, Preset
from workbench.services.presets import save_preset
from workbench.services.side_by_side import saved_settings
from workbench.services.votes import ENOUGH, vote_tables

pytestmark = pytest.mark.django_db(transaction=True)
PAGE = "/chat/side-by-side/"
SETTINGS = {"embedding": WORDS, "chunk_size": 300, "chunk_overlap": "0"}
QUESTION = "Who announced the decipherment of the hieroglyphs?"


@pytest.fixture(autouse=True)
def no_weights(monkeypatch):
    """Let the built-in reader compare words: its own model is tested elsewhere."""
    monkeypatch.setattr("rag_pipeline.services.pipelines.READER_EMBEDDING", WORDS)


@pytest.fixture
def corpus():
    """A corpus on the Rosetta Stone; scoring needs no model."""
    Preferences.store({"evaluation": {"eval_embedding": WORDS}})
    return make_corpus(files={"stone.txt": ROSETTA})


def preset(name: str, **settings) -> str:
    """Save a preset and return the key that ticks it."""
    spec = PipelineSpec.create(SETTINGS | settings)
    saved = save_preset(name=name, pipeline=spec, evaluation=EvaluationSpec(), options=RunOptions())
    return f"preset-{saved.pk}"


def send(client, *settings: str, text: str = QUESTION, **more):
    return client.post(f"{PAGE}send/", {"message": text, "settings": settings} | more)


def test_without_documents_or_settings_the_page_leads_to_them(client):
    assert "Upload documents" in words_of(client.get(PAGE))
    make_corpus()
    page = words_of(client.get(PAGE))
    assert "there are fewer than two yet" in page
    assert "Go to the Workbench" in page


def test_each_setting_answers_with_its_own_contexts_in_the_order_listed(client, corpus):
    one, two = preset("Small", chunk_size=60, top_k=1), preset("Wide", top_k=3)
    response = send(client, one, two)
    asked = ChatRound.objects.get()
    assert response["Location"] == f"{PAGE}#round-{asked.pk}"
    small, wide = asked.messages.all()
    assert (small.settings_name, wide.settings_name) == ("Small", "Wide")
    assert [len(each.trace["contexts"]) for each in (small, wide)] == [1, 3]
    assert all("Champollion" in each.answer for each in (small, wide))
    page = client.get(PAGE)
    words = words_of(page)
    assert words.index("A Small") < words.index("B Wide")
    assert words.count("Add to test set") == 2
    assert "Which answer is best?" not in words
    html = page.content.decode()
    assert len(re.findall(r'name="settings" value="preset-\d+" form="chat-composer"\s+checked', html)) == 2


def test_one_that_fails_says_why_and_the_other_answers(client, corpus, fake_openai):
    fake_openai.always = Behaviour.rejected_key()
    send(client, preset("Reader"), preset("Model", llm="openai:gpt-4.1-mini"), blind="on")
    reader, model = ChatMessage.objects.order_by("-settings_name")
    assert "Champollion" in reader.answer
    assert "key" in model.error
    page = words_of(client.get(PAGE))
    assert "Model" in page
    assert "No vote: not all of them answered." in page
    asked = ChatRound.objects.get()
    assert "no vote on these answers" in words_of(client.post(f"{PAGE}{asked.pk}/vote/", {"vote": "A"}, follow=True))
    assert vote_tables(corpus) == []


def test_settings_that_are_not_understood_any_more_fail_alone(client, corpus):
    old = Preset.objects.create(name="Old", values={"pipeline": {"chunker": "by_moonlight"}})
    send(client, preset("Reader"), f"preset-{old.pk}")
    broken, reader = ChatMessage.objects.order_by("settings_name")
    assert "Champollion" in reader.answer
    assert "by_moonlight" in broken.error


def test_all_are_asked_at_the_same_time(client, corpus, fake_openai):
    """The server answers nobody before three calls are in flight."""
    fake_openai.always = Behaviour(together=3, reply="Champollion.")
    keys = [preset(f"At {each}", llm="openai:gpt-4.1-mini", top_k=each) for each in (1, 2, 3)]
    send(client, *keys)
    assert [each.answer for each in ChatMessage.objects.all()] == ["Champollion."] * 3


@pytest.mark.parametrize(
    ("ticked", "said"),
    [([], "Tick 2 to 4"), (["a"], "these are 1"), (["a", "b", "c", "d", "e"], "these are 5"),
     (["a", "twin"], "are the same settings"), (["a", "gone"], "no longer there")],
)  # fmt: skip
def test_what_cannot_be_asked_is_said_and_the_message_stays(client, corpus, ticked, said):
    keys = {name: preset(name, top_k=number) for number, name in enumerate("abcde", 1)}
    keys |= {"twin": preset("twin", top_k=1), "gone": "preset-999"}
    response = send(client, *[keys[each] for each in ticked])
    assert response.status_code == 422
    assert said in words_of(response)
    assert QUESTION in response.content.decode()
    assert not ChatRound.objects.exists()


def test_blind_nothing_on_the_page_tells_which_settings_gave_which_answer(client, corpus):
    keys = preset("Small", chunk_size=60, top_k=1), preset("Wide", prompt="{context} Now: {question}")
    send(client, *keys, blind="on")
    asked = ChatRound.objects.get()
    log = client.get(PAGE).content.decode().partition('id="chat-log"')[2].partition("chat-composer")[0]
    assert "Champollion" in log
    assert not re.search("Small|Wide|Now:|Prompt as sent|What each step", log)
    client.post(f"{PAGE}{asked.pk}/vote/", {"vote": "B"})
    log = client.get(PAGE).content.decode().partition('id="chat-log"')[2].partition("chat-composer")[0]
    assert all(each in log for each in ("Small", "Wide", "Now:", "preferred"))
    again = words_of(client.post(f"{PAGE}{asked.pk}/vote/", {"vote": "A"}, follow=True))
    assert "You voted on these answers before" in again
    asked.refresh_from_db()
    assert asked.vote == "B"


def test_blind_the_order_is_drawn_by_chance(client, corpus, monkeypatch):
    monkeypatch.setattr("workbench.services.side_by_side.random.sample", lambda given, count: list(given)[::-1])
    keys = preset("A first"), preset("B second", top_k=2)
    send(client, *keys, blind="on")
    send(client, *keys)
    blind, plain = ChatRound.objects.all()
    assert [each.settings_name for each in blind.messages.all()] == ["B second", "A first"]
    assert [each.settings_name for each in plain.messages.all()] == ["A first", "B second"]


@pytest.mark.parametrize("choice", ["C", "", "best"])
def test_a_vote_for_what_is_not_there_is_refused(client, corpus, choice):
    send(client, preset("A"), preset("B", top_k=2), blind="on")
    asked = ChatRound.objects.get()
    page = words_of(client.post(f"{PAGE}{asked.pk}/vote/", {"vote": choice}, follow=True))
    assert "A vote is one of: A, B, tie, bad." in page
    assert not ChatRound.objects.exclude(vote="").exists()


def voted(corpus, settings: dict[str, dict], votes: list[str]) -> None:
    """Store rounds of these settings (in alternating order) with votes for a name, `tie` or `bad`."""
    for number, preferred in enumerate(votes):
        chat = Chat.objects.create(corpus=corpus)
        names = list(settings) if number % 2 else list(settings)[::-1]
        letter = preferred if preferred in ("tie", "bad") else "ABCD"[names.index(preferred)]
        asked = ChatRound.objects.create(chat=chat, question="?", blind=True, vote=letter)
        for name in names:
            ChatMessage.objects.create(
                chat=chat, round=asked, question="?", settings_name=name, pipeline=settings[name], trace={"used": []}
            )


def test_votes_are_counted_by_settings_whatever_letter_they_had(client, corpus):
    both = {"One": {"top_k": 1}, "Two": {"top_k": 2}}
    voted(corpus, both, ["One", "One", "Two", "tie", "bad", "One"])
    voted(corpus, both | {"Three": {"top_k": 3}}, ["Three"])
    voted(make_corpus(), both, ["Two"])
    three, two = vote_tables(corpus)
    assert [(row.name, row.count, row.low) for row in two.rows] == [("One", 3, None), ("Two", 1, None)]
    assert (two.votes, two.ties, two.bad) == (6, 1, 1)
    assert two.rows[0].share == 0.5
    assert [(row.name, row.count) for row in three.rows] == [("Three", 1), ("One", 0), ("Two", 0)]


def test_an_interval_is_shown_with_enough_votes_alone(client, corpus):
    both = {"One": {"top_k": 1}, "Two": {"top_k": 2}}
    preset("One", top_k=1), preset("Two", top_k=2)
    voted(corpus, both, ["One"] * (ENOUGH - 1))
    assert vote_tables(corpus)[0].rows[0].low is None
    voted(corpus, both, ["Two"])
    row = vote_tables(corpus)[0].rows[0]
    assert (row.low, row.high) == wilson(9, 10)
    assert round(row.low, 2) == 0.6  # (0.9 + 1.92/10 − 1.96 √(0.09/10 + 3.84/400)) / 1.384
    page = words_of(client.get(PAGE))
    assert "9 of 10 60 % to 98 %" in page


def test_the_settings_to_choose_from_are_preferred_presets_and_runs_each_pipeline_once(corpus):
    Preferences.store({"pipeline": SETTINGS, "evaluation": {"eval_embedding": WORDS}})
    preset("Kept", top_k=2)
    testset = make_testset(make_corpus())
    done = [BackgroundTask.objects.create(kind="evaluate", state="done") for _ in range(3)]
    make_run(testset, settings=SETTINGS, task=done[0], scored=False)
    newest = make_run(testset, settings=SETTINGS, task=done[1], scored=False)
    make_run(testset, settings={"retriever": "oracle"}, task=done[2], scored=False)
    found = saved_settings(testset.corpus)
    assert [each.name for each in found] == ["Preferred settings", "Kept", str(newest)]
    assert [each.name for each in saved_settings(corpus)] == ["Preferred settings", "Kept"]


def test_a_new_chat_begins_empty_and_the_other_chat_stays_its_own(client, corpus):
    send(client, preset("A"), preset("B", top_k=2))
    assert QUESTION not in client.get("/chat/").content.decode().partition('id="chat-log"')[2]
    assert client.post(f"{PAGE}new/")["Location"] == PAGE
    assert "Nothing asked yet" in words_of(client.get(PAGE))
    assert ChatRound.objects.count() == 1


def test_tabs_of_chat(client):
    for address, label in (("/chat/", "Chat"), (PAGE, "Side by side")):
        tabs = client.get(address).content.decode().partition('<nav class="tabs tabs-pages"')[2].partition("</nav>")[0]
        assert re.findall(r'aria-current="page">([^<]+)</a>', tabs) == [label]


@pytest.mark.parametrize("path", ["send/", "stream/", "new/", "1/vote/"])
def test_wrong_methods_and_missing_rounds(client, path):
    assert client.get(PAGE + path).status_code == 405
    assert client.post(PAGE).status_code == 405
    assert client.post(f"{PAGE}999/vote/", {"vote": "A"}).status_code == 404
