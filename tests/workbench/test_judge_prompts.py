"""The judge's prompts in the browser: read, change, compare, reset."""

from __future__ import annotations

import pytest
from django.urls import reverse

from evaluation.generator_spec import GeneratorSpec
from evaluation.judge.prompts import shipped_prompts
from evaluation.models import JudgePrompt, Scoring
from evaluation.queries.judge_prompts import changed_writer_prompts, get_judge_prompt
from evaluation.question_writers.base import writer_prompts
from evaluation.services.judge_prompts import save_judge_prompt
from evaluation.services.rescoring import start_scoring_again
from evaluation.services.testsets import start_generation
from evaluation.spec import EvaluationSpec
from rag_pipeline.background.tasks import run_inline
from tests.factories import WORDS, make_corpus, make_run
from tests.fake_openai import FakeOpenAI

pytestmark = pytest.mark.django_db
NAME = "rate_answer"
CHANGED = shipped_prompts()[NAME].replace("from 0 to 10.", "from 0 to 10, sternly.", 1)


def url(action: str = "") -> str:
    return reverse(f"judge-prompt{action}", args=[NAME])


def test_every_prompt_is_listed_with_the_metrics_that_use_it(client):
    html = client.get("/prompts/").content.decode()
    for name in shipped_prompts():
        assert f'<span class="quiet mono">{name}</span>' in html
        assert get_judge_prompt(name=name).used_by, f"no metric uses {name}"
    assert reverse("metrics") + "#judge_score" in html


def test_a_changed_text_is_in_force_shown_with_what_changed_and_reset(client):
    assert "the shipped text is in force" in client.get(url()).content.decode()
    assert client.post(url("-save"), {"text": CHANGED.replace("\n", "\r\n")}).status_code == 302
    assert JudgePrompt.objects.get().text == CHANGED
    html = client.get(url()).content.decode()
    assert "<ins" in html
    assert "sternly" in html
    assert "badge" in client.get("/prompts/").content.decode().partition("judge-title")[2]
    assert client.post(url("-reset")).status_code == 302
    assert not JudgePrompt.objects.exists()


def test_the_shipped_text_given_back_is_no_change(client):
    client.post(url("-save"), {"text": CHANGED})
    client.post(url("-save"), {"text": shipped_prompts()[NAME]})
    assert not JudgePrompt.objects.exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (CHANGED.replace("{answer}", "the answer"), "must keep {answer}"),
        ("", "The prompt is empty"),
        (CHANGED + "x" * 20_000, "at most 20,000"),
    ],
)
def test_what_the_metric_could_not_use_is_refused_in_words_and_nothing_typed_is_lost(client, text, words):
    response = client.post(url("-save"), {"text": text}, headers={"HX-Request": "true"})
    assert response.status_code == 422
    assert words in response.content.decode()
    assert response.context["form"]["text"].value() == text
    assert not JudgePrompt.objects.exists()


def test_an_unknown_prompt_and_wrong_methods(client):
    assert client.get(reverse("judge-prompt", args=["nothing"])).status_code == 404
    assert client.post(reverse("judge-prompt-save", args=["nothing"]), {"text": "x"}).status_code == 404
    assert client.post(url()).status_code == 405
    assert client.get(url("-save")).status_code == 405
    assert client.get(url("-reset")).status_code == 405


@pytest.mark.django_db(transaction=True)
def test_the_judge_is_asked_with_the_changed_text_and_the_scoring_keeps_it(client, fake_openai: FakeOpenAI):
    client.post(url("-save"), {"text": CHANGED})
    run = make_run()
    spec = EvaluationSpec.create({"eval_embedding": WORDS, "metrics": "judge_score", "judge": "openai:judge-1"})
    run_inline(start_scoring_again(run=run, spec=spec))
    assert all("sternly" in prompt for prompt in fake_openai.asked_for("AnswerRating"))
    assert Scoring.objects.get(run=run, current=True).prompts == {NAME: CHANGED}


def test_the_prompts_of_the_question_writer_are_changed_likewise(client):
    html = client.get("/prompts/").content.decode()
    assert "What the writer of questions is asked" in html
    shipped = writer_prompts()["write_far"]
    address = reverse("judge-prompt", args=["writer_write_far"])
    assert "Asked by a model that writes questions" in client.get(address).content.decode()
    refused = client.post(f"{address}save/", {"text": "Write anything."})
    assert refused.status_code == 422
    assert "must keep {avoid}" in refused.content.decode()
    assert client.post(f"{address}save/", {"text": f"{shipped} Be bold."}).status_code == 302
    assert changed_writer_prompts() == {"write_far": f"{shipped} Be bold."}
    assert "writer_write_far" not in str(make_run(scored=False).evaluation)


def test_a_test_set_keeps_the_writer_s_prompts_it_was_begun_with(fake_openai: FakeOpenAI):
    text = f"{writer_prompts()['write_pair']} Be bold."
    save_judge_prompt(name="writer_write_pair", text=text)
    spec = GeneratorSpec.create({"llm": "openai:fake", "pairs": 1, "out_of_scope": 0})
    by_model = start_generation(corpus=make_corpus(), name="one", spec=spec)
    assert by_model.generator["prompts"] == {"write_pair": text}
    by_rules = start_generation(corpus=make_corpus(), name="two", spec=GeneratorSpec.create())
    assert by_rules.generator["prompts"] == {}
