"""`evaluate --fail-under`, `--no-worse-than`, `--strict`, `--junit`: status 1 below the bar."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from evaluation.queries.quality_bar import check_no_worse, check_scores, junit_xml, read_bars
from rag_pipeline.errors import ConfigError
from tests.factories import REFUSAL, WORDS, make_run, make_testset

pytestmark = pytest.mark.django_db(transaction=True)
WRONG = {f"p{number}{kind}": REFUSAL for number in (1, 2, 3) for kind in "sc"}


def test_a_bar_is_read():
    assert read_bars("recall=0.8, total = 4") == {"recall": 0.8, "total": 4.0}
    assert read_bars("mrr=.5", ("mrr",)) == {"mrr": 0.5}


@pytest.mark.parametrize("text", ["recall", "recall=", "recall=high", "recall=nan", "rekall=0.8", "mrr=0.5", ","])
def test_a_wrong_bar_is_refused(text):
    with pytest.raises(ConfigError):
        read_bars(text)


def test_the_mean_is_held_to_the_bar_and_with_strict_the_lower_end():
    """Three of three simple questions are right: recall 1, Wilson's lower end is 3 / (3 + 3.84) = 0.44."""
    run = make_run()
    assert [each.passed for each in check_scores(run, {"recall": 1.0})] == [True]
    (strict,) = check_scores(run, {"recall": 0.5}, strict=True)
    assert not strict.passed
    assert "the lower end 0.44" in strict.said
    assert [each.passed for each in check_scores(run, {"recall": 0.43}, strict=True)] == [True]


def test_of_what_is_better_lower_the_bar_is_the_most():
    run = make_run(evaluation={"metrics": ["latency_s"]})
    assert [each.passed for each in check_scores(run, {"latency_s": 0.3})] == [True]
    (slow,) = check_scores(run, {"latency_s": 0.2})
    assert not slow.passed
    assert "at most" in slow.said


def test_a_score_without_a_value_reaches_no_bar():
    run = make_run(settings={"llm": "openai:m", "use_context": False})
    (found,) = check_scores(run, {"context_matching": 0.0})
    assert not found.passed
    assert "has no value" in found.said


def test_no_worse_than_another_run():
    testset = make_testset()
    good, bad = make_run(testset), make_run(testset, WRONG)
    assert all(each.passed for each in check_no_worse(good, good, 0.02))
    assert all(each.passed for each in check_no_worse(good, bad, 0.02))
    failed = {each.name for each in check_no_worse(bad, good, 0.02) if not each.passed}
    assert {f"recall no worse than {good}", f"robustness no worse than {good}"} <= failed


def test_strict_asks_that_it_is_shown():
    """With three pairs, one of them worse, the mean may be allowed, but nothing is shown."""
    testset = make_testset()
    before, after = make_run(testset), make_run(testset, {"p1s": REFUSAL})
    name = f"recall no worse than {before}"
    loose = {each.name: each.passed for each in check_no_worse(after, before, 0.4)}
    strict = {each.name: each.passed for each in check_no_worse(after, before, 0.4, strict=True)}
    assert (loose[name], strict[name]) == (True, False)


def test_runs_that_cannot_be_compared_fail():
    (found,) = check_no_worse(make_run(), make_run(scored=False), 0.02)
    assert not found.passed
    assert "has no scores yet" in found.said


def test_the_junit_file_has_a_case_for_each_check():
    run = make_run(name="A & B")
    checks = [*check_scores(run, {"recall": 0.5, "total": 6.0})]
    suite = ElementTree.fromstring(junit_xml(run, checks))
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert [case.find("failure") is not None for case in suite] == [False, True]


@pytest.fixture
def evaluate(manage):
    testset = make_testset(name="first")
    common = ("--corpus", testset.corpus.name, "--testset", "first", "--eval-embedding", WORDS)
    return lambda *given: manage("evaluate", *common, "--set", f"embedding={WORDS}", *given)


def test_status_one_below_the_bar(evaluate, tmp_path):
    good = evaluate("--fail-under", "context_matching=0.1", "--name", "main")
    assert (good.returncode, good.stderr) == (0, "")
    assert "passed: Context matching is" in good.stdout
    bad = evaluate("--fail-under", "total=5.5", "--no-worse-than", "main", "--junit", str(tmp_path / "rag.xml"))
    assert bad.returncode == 1
    assert "FAILED: Total is" in bad.stdout
    assert "1 check failed." in bad.stderr
    assert (tmp_path / "rag.xml").read_bytes().startswith(b"<?xml")


@pytest.mark.parametrize(
    "given",
    [
        ("--fail-under", "recal=0.8"),
        ("--strict",),
        ("--junit", "rag.xml"),
        ("--fail-under", "recall=1", "--delta", "2"),
    ],
)
def test_wrong_usage(evaluate, given):
    assert evaluate(*given).returncode == 2


def test_a_run_that_is_not_there(evaluate):
    done = evaluate("--no-worse-than", "nowhere")
    assert done.returncode == 1
    assert "has no run “nowhere”" in done.stderr
