"""A judge's preference on the page Compare."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from evaluation.models import JudgePrompt, Preference, Run
from rag_pipeline.background.tasks import run_inline
from rag_pipeline.models import BackgroundTask
from tests.factories import make_run, make_testset
from tests.fake_openai import Behaviour, FakeOpenAI
from tests.markup import markup

pytestmark = pytest.mark.django_db(transaction=True)
JUDGE = "openai:judge-1"
BUTTON = "Ask the judge which answers are better"


def make_runs() -> None:
    testset = make_testset()
    make_run(testset, {"p2s": "Paris"})
    make_run(testset, {"p1s": "Paris", "p1c": "Cairo"})


@pytest.fixture
def runs(begin_with):
    """Return two runs: b loses p1s and p1c, wins p2s, and has what a has otherwise."""
    begin_with(make_runs)
    return tuple(Run.objects.order_by("id"))


def asked(client, runs, **more):
    sent = {"a": runs[0].pk, "b": runs[1].pk, "judge": JUDGE, "judge_votes": "1"} | more
    return client.post(reverse("prefer"), sent)


def page(client, runs, **more) -> str:
    return markup(client.get(reverse("compare"), {"a": runs[0].pk, "b": runs[1].pk} | more).content.decode())


def judge(client, runs, **more) -> Preference:
    asked(client, runs, **more)
    preference = Preference.objects.select_related("task").get()
    assert run_inline(preference.task).state == "done"
    return preference


def test_the_judge_is_asked_in_the_background_and_the_page_shows_how_far(client, runs, fake_openai: FakeOpenAI):
    assert BUTTON in page(client, runs)
    response = asked(client, runs)
    assert response.status_code == 302
    assert response["Location"].endswith(f"?a={runs[0].pk}&b={runs[1].pk}#preference")
    html = page(client, runs)
    assert f'id="task-{Preference.objects.get().task_id}"' in html
    assert BUTTON not in html


def test_the_share_of_wins_and_each_verdict_with_its_reason(client, runs, fake_openai: FakeOpenAI):
    judge(client, runs)
    html = page(client, runs)
    assert "44 %</span>" in html  # (1 + 5 / 2) / 8
    assert "1 won by b" in html
    assert "5 tied" in html
    assert "2 won by a" in html
    assert "orders agree on all 3 pairs" in html
    assert html.count("a is better</span>") == 2
    assert "The first has 0% of the reference, the second " in html
    assert "b shown first: a · b shown second: a" in html
    assert "6 calls, 0 from the cache" in html


def test_seen_from_the_other_side_wins_are_losses(client, runs, fake_openai: FakeOpenAI):
    judge(client, runs)
    html = page(client, runs[::-1])
    assert "56 %</span>" in html
    assert "2 won by b" in html
    assert html.count("b is better</span>") == 2
    assert "a shown first: b · a shown second: b" in html


def test_verdicts_are_filtered_by_the_address(client, runs, fake_openai: FakeOpenAI):
    fake_openai.when("Cairo", Behaviour.says('{"reason": "It stands first.", "better": "first"}'))
    judge(client, runs)
    for shown, number in (("won", 1), ("lost", 1), ("tied", 6), ("disagreed", 1), ("all", 8), ("nonsense", 8)):
        view = client.get(reverse("compare"), {"a": runs[0].pk, "b": runs[1].pk, "verdicts": shown}).context
        assert len(view["preferred"].rows) == number, shown
    html = page(client, runs, verdicts="disagreed")
    assert "On <span" in html
    assert "the answer shown first was taken both times on 1" in html
    assert "orders disagree</span>" in html


def test_a_judge_that_is_a_model_under_test_is_called_that(client, fake_openai: FakeOpenAI):
    testset = make_testset()
    runs = make_run(testset), make_run(testset, {"p1s": "Paris"}, settings={"llm": JUDGE})
    judge(client, runs)
    assert f"The judge {JUDGE} is itself the model of {runs[1]}" in page(client, runs)


def test_a_prompt_changed_since_is_told(client, runs, fake_openai: FakeOpenAI):
    judge(client, runs)
    assert "changed since" not in page(client, runs)
    JudgePrompt.objects.create(name="prefer_answer", text="{question} {reference} {first} {second}?")
    assert "which has been changed since" in page(client, runs)


@pytest.mark.parametrize(("judge_", "words"), [("", "Choose a judge"), ("nonsense", "provider:model")])
def test_a_judge_that_cannot_be_is_refused_beside_the_field(client, runs, judge_, words):
    response = asked(client, runs, judge=judge_)
    assert response.status_code == 422
    assert words in response.content.decode()
    assert "judge" in response.context["preference_form"].errors
    assert not Preference.objects.exists()


def test_one_that_stopped_goes_on(client, runs, fake_openai: FakeOpenAI):
    fake_openai.key = "another"
    asked(client, runs)
    task = run_inline(BackgroundTask.objects.get(kind="prefer"))
    assert task.state == "failed"
    html = page(client, runs)
    assert "OPENAI_API_KEY" in html
    assert "Go on where it stopped" in html
    fake_openai.key = ""
    client.post(reverse("prefer-resume"), {"a": runs[0].pk, "b": runs[1].pk})
    assert run_inline(task).state == "done"
    assert "2 won by a" in page(client, runs)


def test_htmx_gets_the_panel_alone_and_a_reader_the_page(client, runs):
    address, sent = reverse("preference"), {"a": runs[0].pk, "b": runs[1].pk}
    assert client.get(address, sent, headers={"HX-Request": "true"}).content.decode().count("<section") == 1
    assert client.get(address, sent)["Location"].startswith(reverse("compare"))


def test_missing_runs_and_wrong_methods(client, runs):
    assert client.get(reverse("preference"), {"a": 999, "b": runs[0].pk}).status_code == 404
    assert client.get(reverse("preference"), {"a": "x", "b": runs[0].pk}).status_code == 404
    assert client.post(reverse("preference")).status_code == 405
    assert client.get(reverse("prefer")).status_code == 405
    assert client.get(reverse("prefer-resume")).status_code == 405
    sent = {"a": runs[0].pk, "b": runs[1].pk}
    assert "nothing left" in client.post(reverse("prefer-resume"), sent, follow=True).content.decode()


def test_more_verdicts_take_no_more_queries(client, runs, fake_openai: FakeOpenAI):
    judge(client, runs)
    counted = []
    for shown in ("won", "all"):
        with CaptureQueriesContext(
            connection,
        ) as queries:
            page(client, runs, verdicts=shown)
        counted.append(len(queries))
    assert counted[0] == counted[1]
