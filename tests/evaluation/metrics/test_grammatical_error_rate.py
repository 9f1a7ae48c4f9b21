"""Sentences with a mistake are counted by a real server; what fails on the way is a reason in plain words."""

from __future__ import annotations

import json
import socket
from dataclasses import replace

import httpx
import pytest

from evaluation.metrics.grammatical_error_rate import GrammaticalErrorRate, GrammaticalErrorRateOptions
from evaluation.spec import EvaluationSpec
from rag_pipeline.errors import ConfigError
from rag_pipeline.runtime import ModelLimits, configure, configured_limits
from tests.evaluation.samples import make_answered, make_context
from tests.fake_languagetool import Behaviour, FakeLanguageTool

LIMITS = ModelLimits(timeout_s=120, max_retries=2, first_wait_s=0.001)
GOOD, BAD = "The decree was issued in Memphis.", "It were written in three scripts."


@pytest.fixture
def server(monkeypatch):
    before = configured_limits()
    configure(LIMITS)
    with FakeLanguageTool() as fake:
        monkeypatch.setenv("LANGUAGETOOL_URL", fake.url)
        yield fake
    configure(before)


def counted(plain, calls):
    async def call(*given, **named):
        calls.append(given)
        return await plain(*given, **named)

    return call


def scored(*answers: str, **options):
    metric = GrammaticalErrorRate(GrammaticalErrorRateOptions(**options))
    samples = [make_answered("Where?", answer) for answer in answers]
    return metric.score_many(samples, make_context(["attempt"] * len(samples)))


def test_is_the_share_of_sentences_with_a_mistake(server):
    good, half, both = scored(GOOD, f"{GOOD} {BAD}", f"{BAD} It were so.")
    assert [good.value, half.value, both.value] == [0, 0.5, 1]
    assert half.reason == "1 of 2 sentences have a mistake"
    assert half.details["mistakes"] == [
        {"rule": "IT_VBZ", "message": "Use “was” with “it”.", "sentence": "It were written in three scripts."}
    ]


def test_two_mistakes_in_a_sentence_count_once_and_hints_on_style_not_at_all(server):
    assert scored("It were bad grammer. That is so.")[0].value == 0.5
    assert scored("That is very good.")[0].value == 0


def test_sends_language_and_rules_as_chosen(server):
    score = scored("Bad grammer is here.", disabled_rules="MORFOLOGIK_RULE_EN_US, EN_A_VS_AN", language="en-GB")[0]
    assert score.value == 0
    assert server.requests == [
        {
            "path": "/v2/check",
            "text": "Bad grammer is here.",
            "language": "en-GB",
            "disabledRules": "MORFOLOGIK_RULE_EN_US,EN_A_VS_AN",
        }
    ]


def test_counts_in_the_units_of_the_server_after_an_emoji(server):
    score = scored(f"Fine 😀😀😀😀😀😀😀😀 😀😀😀😀. {BAD} Good.")[0]
    assert score.value == pytest.approx(1 / 3)


def test_splits_sentences_itself_for_a_server_that_does_not_tell(server):
    server.tells_sentences = False
    assert scored(f"Fine 😀😀😀😀. {BAD} Good.")[0].value == pytest.approx(1 / 3)


def test_an_answer_of_10000_words_goes_in_pieces_that_a_server_takes(server):
    server.longest = 8000
    score = scored(" ".join([f"{GOOD} {GOOD} {GOOD} {BAD}"] * 420))[0]
    assert score.value == pytest.approx(0.25)
    assert len(server.requests) > 5
    assert scored("word " * 4000)[0].value == 0  # one sentence, cut where it must be


def test_an_answer_that_comes_often_is_sent_once(server):
    assert len(scored(*[GOOD] * 20)) == 20
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "answer, reason",
    [
        ("", "the answer is empty"),
        ("😀 42!", "the answer has no words"),
        ("这项法令是在孟菲斯颁布的，用三种文字写成。", "the answer is in “zh”, and “en” is checked"),
        ("Das Dekret wurde in Memphis erlassen, in drei Schriften.", "the answer is in “de”, and “en” is checked"),
    ],
)
def test_what_its_rules_do_not_fit_is_null_and_not_sent(server, answer, reason):
    assert scored(answer)[0].reason == reason
    assert server.requests == []


def test_a_text_of_another_language_is_checked_where_that_is_chosen(server):
    german = "Das Dekret wurde in Memphis erlassen, in drei Schriften."
    assert scored(german, language="de-DE")[0].value == 0
    assert scored(german, language="auto")[0].value == 0


def test_without_a_server_all_is_null_with_the_mend_which_is_told_before(monkeypatch):
    monkeypatch.delenv("LANGUAGETOOL_URL", raising=False)
    reason = "no LanguageTool server is set: start one and set LANGUAGETOOL_URL, such as http://127.0.0.1:8081, then "
    assert GrammaticalErrorRate().unready().startswith(reason)
    assert [score.reason for score in scored(GOOD, BAD)] == [GrammaticalErrorRate().unready()] * 2
    monkeypatch.setenv("LANGUAGETOOL_URL", "127.0.0.1:8081")
    assert "is no web address" in GrammaticalErrorRate().unready()


@pytest.mark.parametrize("suffix", ["/", "/v2", "/v2/", "/v2/check"])
def test_the_address_may_be_given_with_its_version(server, monkeypatch, suffix):
    monkeypatch.setenv("LANGUAGETOOL_URL", server.url + suffix)
    assert GrammaticalErrorRate().unready() == ""
    assert scored(GOOD)[0].value == 0


@pytest.mark.parametrize(
    "how, words",
    [
        (Behaviour(500, "Error: Internal Error"), "refused the answer (status 500): Internal Error"),
        (Behaviour(400, "Error: xx is not a language code known"), "status 400): xx is not a language code known"),
        (Behaviour(403, "Error: Access denied"), "refuses this machine: Access denied"),
        (Behaviour(404, "nothing"), "there is no LanguageTool server at"),
        (Behaviour(200, "<html>"), "is no LanguageTool server: correct LANGUAGETOOL_URL"),
        (Behaviour(200, json.dumps({"matches": "no"})), "is no LanguageTool server: correct LANGUAGETOOL_URL"),
    ],
)
def test_a_failure_is_the_reason_of_its_row(server, how, words):
    server.script.append(how)
    assert words in scored(GOOD)[0].reason
    assert scored(GOOD)[0].value == 0  # the next time the server may be well


def test_silence_is_the_reason_of_its_row(server):
    server.script.append(Behaviour(silent=True))
    configure(replace(LIMITS, timeout_s=0.3))
    assert "sent nothing for 0.3 seconds" in scored(GOOD)[0].reason
    configure(LIMITS)
    server.script.clear()  # where the request never got there
    assert scored(GOOD)[0].value == 0


def test_a_busy_server_is_asked_again(server):
    server.script.extend([Behaviour(429, "Error: too many"), Behaviour(503, "Error: queue full")])
    assert scored(GOOD)[0].value == 0
    server.script.extend([Behaviour(429, "Error: too many")] * 3)
    assert scored(GOOD)[0].reason.startswith("the LanguageTool server takes no more requests for the moment (too many)")


def test_an_incomplete_check_is_no_score(server):
    server.incomplete = True
    assert scored(GOOD)[0].reason == "the LanguageTool server gave up before the end of the answer: try again later"


def test_a_server_that_is_down_is_not_asked_for_every_row(server, monkeypatch):
    samples = [make_answered("Where?", f"Sentence number {number} is short.") for number in range(500)]
    metric, tried = GrammaticalErrorRate(), []
    monkeypatch.setattr(httpx.AsyncClient, "post", counted(httpx.AsyncClient.post, tried))
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # taken, and nobody listens
        monkeypatch.setenv("LANGUAGETOOL_URL", f"http://127.0.0.1:{closed.getsockname()[1]}")
        for block in (samples[:250], samples[250:]):
            scores = metric.score_many(block, make_context(["attempt"] * 250))
            assert {score.value for score in scores} == {None}
            assert "nothing answers at" in scores[0].reason
            assert "start the LanguageTool server, or correct LANGUAGETOOL_URL" in scores[-1].reason
    assert len(tried) <= 4 * 3  # four at once, each twice more


def test_one_bad_row_does_not_cost_the_others(server):
    server.script.append(Behaviour(500, "Error: Internal Error"))
    scores = scored(*[f"Sentence number {number} is short." for number in range(30)])
    assert sum(score.value is None for score in scores) == 1


@pytest.mark.parametrize("wrong", [{"language": "english!"}, {"disabled_rules": "a rule"}])
def test_wrong_options_are_refused_in_words(wrong):
    with pytest.raises(ConfigError, match="such as"):
        EvaluationSpec.create({"metric_options": {"grammatical_error_rate": wrong}})
