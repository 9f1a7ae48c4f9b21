"""Which of two runs' answers a judge prefers: the background work against a real server."""

from __future__ import annotations

import pytest

from evaluation.judge.prompts import shipped_prompts
from evaluation.models import JudgePrompt, Preference, PreferenceVerdict, Run
from evaluation.queries.preferences import preferences_between
from evaluation.services.preferring import PROMPT, start_preferring
from evaluation.services.runs import delete_run
from rag_pipeline.background.tasks import request_cancel, resume, run_inline
from rag_pipeline.errors import ConfigError, InUseError
from rag_pipeline.models import BackgroundTask
from tests.factories import make_run, make_testset
from tests.fake_openai import Behaviour, FakeOpenAI

pytestmark = pytest.mark.django_db(transaction=True)
JUDGE = "openai:judge-1"


def make_runs() -> None:
    testset = make_testset()
    make_run(testset, {"p2s": "Paris"})
    make_run(testset, {"p1s": "Paris", "p1c": "Cairo"})


@pytest.fixture
def runs(begin_with):
    """Return two runs: b loses p1s and p1c, wins p2s, and has what a has otherwise."""
    begin_with(make_runs)
    return tuple(Run.objects.order_by("id"))


def judged(runs, **options) -> Preference:
    preference = start_preferring(a=runs[0], b=runs[1], judge=JUDGE, **options)
    assert run_inline(preference.task).state == "done", preference.task.error
    preference.refresh_from_db()
    return preference


def values(preference: Preference) -> dict[str, float | None]:
    rows = preference.verdicts.select_related("answer_b__question")
    return {row.answer_b.question.question_id: row.value for row in rows}


def test_each_question_has_a_verdict_and_the_share_of_wins_its_interval(runs, fake_openai: FakeOpenAI):
    preference = judged(runs)
    assert values(preference) == dict.fromkeys(("p2c", "p3s", "p3c", "o1", "o2"), 0.5) | {
        "p1s": 0.0,
        "p1c": 0.0,
        "p2s": 1.0,
    }
    summary = preference.summary
    assert (summary["wins"], summary["ties"], summary["losses"], summary["n"]) == (1, 5, 2, 8)
    assert summary["win_rate"] == pytest.approx((1 + 2.5) / 8)
    assert summary["ci_low"] < summary["win_rate"] < summary["ci_high"]
    assert (summary["clusters"], summary["verdict"]) == (5, "not distinguishable")


def test_only_answers_that_differ_are_asked_about_and_each_in_both_orders(runs, fake_openai: FakeOpenAI):
    preference = judged(runs)
    assert len(fake_openai.asked_for("PreferredAnswer")) == 3 * 2
    assert preference.judging["calls"] == 6
    assert preference.judging["cached"] == 0
    assert preference.prompts == {PROMPT: shipped_prompts()[PROMPT]}


def test_a_judge_that_goes_by_the_place_is_counted(runs, fake_openai: FakeOpenAI):
    fake_openai.always = Behaviour.says('{"reason": "It stands first.", "better": "first"}')
    summary = judged(runs).summary
    assert (summary["inconsistent"], summary["took_first"], summary["took_second"]) == (3, 3, 0)
    assert summary["win_rate"] == 0.5


def test_asked_again_it_replaces_the_earlier_one_and_pays_for_nothing(runs, fake_openai: FakeOpenAI):
    first = judged(runs)
    fake_openai.requests.clear()
    second = judged(runs)
    assert not fake_openai.requests
    assert second.judging["cached"] == 6
    assert list(preferences_between(*runs)) == [second]
    assert not BackgroundTask.objects.filter(pk=first.task_id).exists()
    turned = judged(runs[::-1])  # the same pairs in the same two orders
    assert turned.judging["cached"] == 6
    assert turned.summary["win_rate"] == pytest.approx(1 - second.summary["win_rate"])


def test_what_was_judged_before_it_stopped_is_not_asked_again(runs, fake_openai: FakeOpenAI):
    fake_openai.when("Cairo", Behaviour.server_error(400))
    preference = start_preferring(a=runs[0], b=runs[1], judge=JUDGE)
    task = run_inline(preference.task)
    assert (task.state, task.failures) == ("done", 1)
    preference.refresh_from_db()
    assert values(preference)["p1c"] is None
    assert preference.summary["n_null"] == 1
    fake_openai.rules.clear()
    resume(task)
    fake_openai.requests.clear()
    assert run_inline(task).state == "done"
    assert len(fake_openai.requests) == 2
    preference.refresh_from_db()
    assert values(preference)["p1c"] == 0.0
    assert preference.summary["n_null"] == 0


def test_a_question_that_failed_in_a_run_has_no_verdict_and_its_reason(fake_openai: FakeOpenAI):
    testset = make_testset()
    a, b = make_run(testset), make_run(testset, errors={"p1s": "Time-out"})
    preference = judged((a, b))
    row = PreferenceVerdict.objects.get(preference=preference, value=None)
    assert "Time-out" in row.reason
    assert preference.task.failures == 0


def test_a_changed_prompt_is_kept_with_the_comparison(runs, fake_openai: FakeOpenAI):
    text = shipped_prompts()[PROMPT].replace("which is better.", "which is sounder.", 1)
    JudgePrompt.objects.create(name=PROMPT, text=text)
    preference = start_preferring(a=runs[0], b=runs[1], judge=JUDGE)
    JudgePrompt.objects.all().delete()  # while it waits
    run_inline(preference.task)
    assert all("which is sounder" in prompt for prompt in fake_openai.asked_for("PreferredAnswer"))
    preference.refresh_from_db()
    assert preference.prompts == {PROMPT: text}


def test_a_judge_that_is_refused_fails_the_comparison_in_words(runs, fake_openai: FakeOpenAI):
    fake_openai.key = "another"
    preference = start_preferring(a=runs[0], b=runs[1], judge=JUDGE)
    task = run_inline(preference.task)
    assert task.state == "failed"
    assert "OPENAI_API_KEY" in task.error


@pytest.mark.parametrize(
    ("judge", "votes", "words"),
    [("", 1, "Choose a judge"), ("gpt", 1, "provider:model"), (JUDGE, 2, "odd"), ("builtin:extractive", 1, "cannot")],
)
def test_what_cannot_be_right_is_refused_before_anything_is_stored(runs, fake_openai, judge, votes, words):
    with pytest.raises(ConfigError, match=words):
        start_preferring(a=runs[0], b=runs[1], judge=judge, votes=votes)
    assert not Preference.objects.exists()


def test_runs_that_cannot_be_compared_are_refused(runs, fake_openai):
    with pytest.raises(ConfigError, match="two different runs"):
        start_preferring(a=runs[0], b=runs[0], judge=JUDGE)
    other = make_run()
    other.testset.questions.update(text="Another?")
    with pytest.raises(ConfigError, match="no question in common"):
        start_preferring(a=runs[0], b=other, judge=JUDGE)
    start_preferring(a=runs[0], b=runs[1], judge=JUDGE)
    with pytest.raises(ConfigError, match="already"):
        start_preferring(a=runs[1], b=runs[0], judge=JUDGE)


def test_a_run_is_deleted_with_its_comparisons_but_not_while_they_work(runs, fake_openai):
    preference = start_preferring(a=runs[0], b=runs[1], judge=JUDGE)
    with pytest.raises(InUseError, match="A judge is comparing"):
        delete_run(run=runs[1])
    request_cancel(preference.task)
    delete_run(run=runs[1])
    assert not Preference.objects.exists()
    assert not BackgroundTask.objects.filter(kind="prefer").exists()


def test_the_judge_may_reply_at_the_longer_length_that_either_run_allows(fake_openai: FakeOpenAI):
    testset = make_testset()
    first = make_run(testset, {"p2s": "Paris"}, evaluation={"judge_max_tokens": 9000})
    judged((first, make_run(testset, {"p1s": "Paris"})))
    assert {body["max_tokens"] for body in fake_openai.bodies()} == {9000}
