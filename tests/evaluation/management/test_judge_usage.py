"""What a judge took, on the command line and in the summary."""

from __future__ import annotations

import json

import pytest

from evaluation.management.judge_usage import usage_line
from evaluation.services.summaries import run_summary
from tests.factories import WORDS, make_run, make_testset
from tests.fake_openai import FakeOpenAI

JUDGE = "openai:judge-1"
TOOK = {"calls": 1200, "cached": 3, "prompt_tokens": 40_000, "completion_tokens": 2_000, "cost_usd": 0.0042}


def test_the_line_has_calls_cache_tokens_and_cost() -> None:
    line = f"judge {JUDGE}: 1,200 calls, 3 from the cache, 42,000 tokens, $0.0042"
    assert usage_line(JUDGE, TOOK) == line
    assert usage_line(JUDGE, TOOK, wrote_the_answers=True) == f"{line}; it is the model under test"
    unknown = TOOK | {"prompt_tokens": None, "cost_usd": None}
    assert usage_line(JUDGE, unknown).endswith("tokens unknown, cost unknown")


@pytest.mark.django_db(transaction=True)
def test_evaluate_tells_what_the_judge_took_and_that_it_is_under_test(manage, tmp_path, fake_openai: FakeOpenAI):
    testset, out = make_testset(), tmp_path / "summary.json"
    ended = manage(
        "evaluate", "--corpus", testset.corpus.name, "--testset", testset.name, "--set", f"embedding={WORDS}",
        "--set", f"llm={JUDGE}", "--eval-embedding", WORDS, "--metrics", "judge_score", "--judge", JUDGE,
        "--json", str(out),
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert f"judge {JUDGE}: 8 calls, 0 from the cache" in ended.stdout
    assert "it is the model under test" in ended.stdout
    judge = json.loads(out.read_text())["judge"]
    assert (judge["model"], judge["votes"], judge["calls"], judge["under_test"]) == (JUDGE, 1, 8, True)
    assert list(judge["prompts"]) == ["rate_answer"]


@pytest.mark.django_db
def test_without_a_judge_the_summary_says_so() -> None:
    assert run_summary(run=make_run())["judge"] is None
