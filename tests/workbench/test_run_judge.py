"""What the page of a run says of its judge."""

from __future__ import annotations

import pytest

from evaluation.models import JudgePrompt
from tests.factories import make_run
from tests.fake_openai import Behaviour
from tests.markup import markup

pytestmark = pytest.mark.django_db

JUDGED = {"metrics": "judge_score,aspect:polite", "judge": "openai:judge-1"} | {
    "metric_options": {"aspect:polite": {"definition": "Is the answer polite?"}}
}


def test_the_judge_stands_apart_with_what_it_took_and_its_prompts(client, fake_openai):
    run = make_run(evaluation=JUDGED | {"judge_votes": 3})
    html = markup(client.get(f"/runs/{run.pk}/settings/").content.decode())
    judge = html.partition('id="judge"')[2].partition("</section>")[0]
    assert "openai:judge-1" in judge
    assert "<dt>Votes</dt><dd>3</dd><dt>Calls</dt><dd>48</dd><dt>From the cache</dt><dd>0</dd>" in judge
    assert "aspect_binary" in judge
    assert "rate_answer" in judge
    assert "changed since" not in judge
    assert "model under test" not in judge
    assert "aspect:polite: definition Is the answer polite?" in html


def test_a_prompt_that_was_changed_since_is_shown_with_what_changed(client, fake_openai):
    run = make_run(evaluation=JUDGED)
    JudgePrompt.objects.create(name="rate_answer", text="Stars? {question} {reference} {answer}")
    judge = client.get(f"/runs/{run.pk}/settings/").content.decode().partition('id="judge"')[2]
    assert "1 prompt changed since" in judge
    assert "Stars? {question}</ins>" in judge.replace(" {reference} {answer}", "")


def test_a_judge_that_wrote_the_answers_itself_is_called_that(client, fake_openai):
    run = make_run(evaluation=JUDGED, settings={"llm": "openai:judge-1"})
    html = client.get(f"/runs/{run.pk}/settings/").content.decode()
    assert "The judge is the model under test: openai:judge-1 wrote" in html


def test_verdicts_that_could_not_be_had_are_counted(client, fake_openai):
    fake_openai.when("rate the answer", Behaviour.too_long())
    html = client.get(f"/runs/{make_run(evaluation=JUDGED).pk}/settings/").content.decode()
    judge = markup(html).partition('id="judge"')[2]
    assert '<dt>Without a verdict</dt><dd class="warn">8: ' in judge


def test_without_a_judge_nothing_is_said_of_one(client):
    assert 'id="judge"' not in client.get(f"/runs/{make_run().pk}/settings/").content.decode()


def test_a_verdict_has_its_reason_beside_it(client, fake_openai):
    run = make_run(evaluation=JUDGED)
    question = run.testset.questions.get(question_id="p2s")
    html = markup(client.get(f"/runs/{run.pk}/questions/{question.pk}/").content.decode())
    assert "It has 100% of the reference.<span" in html
    assert "rating: 10 of 10" in html
    assert "verdict: yes" in html


def test_a_quality_of_ones_own_shows_its_definition_and_less_harm_is_better(client, fake_openai):
    run = make_run(evaluation=JUDGED | {"metrics": "aspect:polite,aspect:harmfulness"})
    further = markup(client.get(f"/runs/{run.pk}/").content.decode())
    assert "Is the answer polite?</p>" in further
    assert "could do harm. Lower is better.</p>" in further
