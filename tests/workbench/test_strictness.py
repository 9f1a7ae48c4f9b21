"""The built-in reader's strictness: the setting and what it costs, by form, command line, preferences, and old runs."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from evaluation.models import Run
from rag_pipeline.extractive_qa.strictness import cost_of
from rag_pipeline.extractive_qa.trained_model import card, default_strictness
from rag_pipeline.models import BackgroundTask
from tests.factories import ROSETTA, WORDS, make_corpus, make_run, make_testset
from tests.markup import words_of
from workbench.forms.workbench import SettingsForm
from workbench.models import Preferences
from workbench.services.preferences import preferred_bench

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
LABEL = ">Strictness</label>"
NOTE = "extracts and does not reason"


@pytest.fixture
def testset():
    """Return a test set on the Rosetta document."""
    return make_testset()


def sent(**changes):
    """Return what a browser sends for the form as it starts, with changes."""
    bound = SettingsForm(initial=preferred_bench().values | changes).bound()
    return {name: value for name, value in bound.data.items() if value != "false"}


def words(response) -> str:
    return words_of(response).replace("&#x27;", "'")


def without_strictness(run: Run) -> Run:
    """Make a run one of before there was the setting."""
    run.pipeline = {name: value for name, value in run.pipeline.items() if name != "strictness"}
    run.task = BackgroundTask.objects.create(kind="evaluate", state="done")
    run.save()
    return run


def test_the_field_stands_with_the_built_in_reader_alone(client, testset):
    html = client.get("/").content.decode()
    assert LABEL in html
    assert NOTE in html
    html = client.get("/?llm=openai:gpt-4.1-mini").content.decode()
    assert LABEL not in html
    assert NOTE not in html
    assert 'type="hidden" name="strictness"' in html


def test_what_the_value_costs_follows_the_typing(client, testset):
    assert cost_of(default_strictness(), card()) in words(client.get("/"))
    live = client.post(reverse("estimate"), sent(strictness="0"), headers=HTMX)
    assert 'id="strictness-cost" hx-swap-oob="true"' in live.content.decode()
    assert "0 answers every question" in words(live)
    assert "Always attempts an answer: it may decline, but not at strictness 0." in words(live)
    live = client.post(reverse("estimate"), sent(strictness="0.35"), headers=HTMX)
    assert "is below 0.35, or nothing in it is near the question." in words(live)
    assert cost_of(0.35, card()) in words(live)


@pytest.mark.parametrize("wrong", ["", "much", "1.5", "-0.1", "nan"])
def test_what_is_no_strictness_is_said_beside_the_field(client, testset, wrong):
    live = client.post(reverse("estimate"), sent(strictness=wrong), headers=HTMX)
    assert live.status_code == 422
    response = client.post(reverse("evaluate"), sent(strictness=wrong), headers=HTMX)
    assert response.status_code == 422
    assert "Strictness must be a number from 0 to 1." in words(response)
    assert not Run.objects.exists()


def test_a_prompt_that_always_answers_leaves_it_without_effect(client, testset):
    page = words(client.get("/?library=Always+answer"))
    assert "The prompt does not tell the reader to decline, so this changes nothing." in page
    assert "Strictness changes nothing then." in page


def test_it_goes_into_the_run_the_address_and_the_preferred_settings(client, testset):
    response = client.post(reverse("evaluate"), sent(strictness="0.25"))
    run = Run.objects.get()
    assert run.pipeline["strictness"] == 0.25
    assert response["Location"] == f"/?run={run.pk}"
    assert "strictness=0.25" in client.post(reverse("settings"), sent(strictness="0.25"))["Location"]
    client.post(reverse("preferences"), sent(strictness="0.25"))
    assert Preferences.load()["pipeline"]["strictness"] == 0.25
    assert re.search(r'name="strictness" value="0.25"', client.get("/").content.decode())
    assert "<dt>Strictness</dt><dd>0.25</dd>" in client.get(f"/runs/{run.pk}/settings/").content.decode()


def test_it_is_forgotten_with_another_model(client, testset, fake_openai):
    client.post(reverse("evaluate"), sent(strictness="0.25", llm="openai:gpt-4.1-mini"))
    assert "strictness" not in Run.objects.get().pipeline


def test_two_runs_that_differ_in_it_say_so(client, testset):
    strict, mild = (make_run(testset, settings={"strictness": value}) for value in (0.8, 0.2))
    assert "Strictness 0.8 0.2" in words(client.get(reverse("compare"), {"a": strict.pk, "b": mild.pk}))


def test_preferred_settings_saved_before_there_was_one_take_the_shipped(client, testset):
    Preferences.store({"pipeline": {"embedding": WORDS}, "corpus": testset.corpus.pk, "testset": testset.pk})
    assert f'name="strictness" value="{default_strictness():g}"' in client.get("/").content.decode()


def test_a_run_of_before_is_shown_compared_taken_up_and_chatted_with(client, testset, monkeypatch):
    monkeypatch.setattr("rag_pipeline.services.pipelines.READER_EMBEDDING", WORDS)
    settings = {"embedding": WORDS, "chunk_size": 300}
    old, new = without_strictness(make_run(testset, settings=settings)), make_run(testset, settings=settings)
    assert "<dt>Strictness</dt>" not in client.get(f"/runs/{old.pk}/settings/").content.decode()
    compared = words(client.get(reverse("compare"), {"a": old.pk, "b": new.pk}))
    assert f"Strictness — {default_strictness():g} " in compared
    assert f'name="strictness" value="{default_strictness():g}"' in client.get(f"/?run={old.pk}").content.decode()
    for address in ("/runs/", "/dashboard/", f"/chat/?run={old.pk}"):
        assert client.get(address).status_code == 200, address
    client.post("/chat/send/", {"message": "When was the stone found?", "use_context": "on", "run": old.pk})
    assert "July 1799" in words(client.get(f"/chat/?run={old.pk}"))


def test_the_command_line_takes_it(manage):
    make_corpus("museum", files={"stone.txt": ROSETTA})
    ask = ("ask", "--corpus", "museum", "--set", f"embedding={WORDS}", "--json")
    always, never = (manage(*ask, "--set", f"strictness={value}", "Where was it found?") for value in ("0", "1"))
    assert (always.returncode, never.returncode) == (0, 0), always.stderr + never.stderr
    assert "I am not aware of that topic" not in always.stdout.partition('"prompt"')[0]
    assert "I am not aware of that topic" in never.stdout
    wrong = manage(*ask, "--set", "strictness=2", "Where?")
    assert wrong.returncode != 0
    assert "Strictness must be" in wrong.stderr
    unread = manage(*ask, "--set", "strictness=0.3", "--set", "llm=openai:gpt-4.1-mini", "Where?")
    assert "strictness would change nothing: it is only read by builtin:extractive." in unread.stderr


def test_an_evaluation_by_command_answers_all_or_nothing(manage, monkeypatch):
    monkeypatch.setattr("rag_pipeline.services.pipelines.READER_EMBEDDING", WORDS)
    testset = make_testset(make_corpus("museum"), "basics")
    for value in ("0", "1"):
        done = manage(
            *("evaluate", "--corpus", "museum", "--testset", testset.name, "--eval-embedding", WORDS),
            *("--set", f"embedding={WORDS}", "--set", f"strictness={value}"),
        )
        assert done.returncode == 0, done.stderr
    strict, mild = Run.objects.order_by("-pk")
    refusal = "I am not aware of that topic"
    assert set(strict.answers.values_list("text", flat=True)) == {refusal}
    assert not mild.answers.filter(text=refusal).exists()
