"""`manage.py judge_check`, and what the page of a run says of it."""

from __future__ import annotations

import json

import pytest
from django.core.management import CommandError, call_command

from evaluation.models import JudgeCheck
from evaluation.services.summaries import run_summary
from tests.factories import make_run
from tests.fake_openai import Behaviour
from tests.markup import markup

pytestmark = pytest.mark.django_db
JUDGE = "openai:judge-1"


def test_it_prints_agreement_flips_unusable_replies_and_cost(fake_openai, capsys):
    call_command("judge_check", judge=JUDGE)
    text = capsys.readouterr().out
    for words in ("judge openai:judge-1, 68 marked claims", "agreement with the marks", "flips", "not usable", "took"):
        assert words in text
    call_command("judge_check", judge=JUDGE, json=True)
    found = json.loads(capsys.readouterr().out)
    assert (found["judge"], found["judge_batch"], found["claims"], found["calls"]) == (JUDGE, 40, 68, 30)  # afresh
    assert 0.4 < found["agreement"] < 0.6  # the fake judge goes by words alone: these claims show that it guesses
    assert found["agreement"] == JudgeCheck.objects.latest("pk").found["agreement"]


def test_without_a_judge_or_one_that_answers_it_fails_with_the_mend(fake_openai):
    with pytest.raises(CommandError, match="Name the judge to be checked") as wrong:
        call_command("judge_check")
    assert wrong.value.returncode == 2
    fake_openai.always = Behaviour.rejected_key()
    with pytest.raises(CommandError, match="key") as failed:
        call_command("judge_check", judge=JUDGE)
    assert failed.value.returncode == 1
    assert not JudgeCheck.objects.exists()


def test_the_page_of_a_run_shows_the_check_of_its_judge_asked_in_the_same_way(client, fake_openai):
    run = make_run(evaluation={"metrics": "judge_score", "judge": JUDGE})
    address = f"/runs/{run.pk}/settings/"
    assert "Not checked yet: <code>manage.py judge_check" in markup(client.get(address).content.decode())
    call_command("judge_check", judge=JUDGE, judge_batch=10)
    assert "Not checked yet" in client.get(address).content.decode()
    call_command("judge_check", judge=JUDGE)
    html = markup(client.get(address).content.decode())
    assert "with 68 marked claims: agrees with" in html
    assert "Not checked yet" not in html
    checked = run_summary(run=run)["judge"]["check"]
    assert checked == JudgeCheck.objects.latest("pk").found
