"""The rules: the share of answers that keep each, checked by hand."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from evaluation.exchange.reading import read_answers
from evaluation.metrics.base import metrics
from evaluation.metrics.cites_context import cited_numbers
from evaluation.types import Score
from tests.evaluation.samples import make_context, make_sample


def scored(name: str, answer: str, *, refusal: str = "attempt", use_context: bool = True, **given: object) -> Score:
    unit = metrics.get(name)
    sample_fields = {key: given.pop(key) for key in ("document", "contexts") if key in given}
    sample = make_sample(answer, **sample_fields)  # type: ignore[arg-type]
    return unit(unit.Options(**given)).score_many([sample], make_context([refusal], use_context=use_context))[0]


class TestLengths:
    @pytest.mark.parametrize(
        ("answer", "limit", "kept"),
        [
            ("one two three", 3, 1),
            ("one two three four", 3, 0),
            ("我不知道", 4, 1),
            ("我不知道", 3, 0),
            ("🐪 🐪", 1, 0),
        ],
    )
    def test_words(self, answer, limit, kept):
        assert scored("max_words", answer, limit=limit).value == kept

    @pytest.mark.parametrize(
        ("answer", "limit", "kept"),
        [
            ("It is e.g. 3.5 m long. Dr. No measured it.", 2, 1),
            ("It is e.g. 3.5 m long. Dr. No measured it.", 1, 0),
            ("第一句。第二句。", 1, 0),
            ("भारत बड़ा है। यह गर्म है।", 1, 0),
            ("it is tall. it is red.", 1, 0),
            ("Only this\n\n---\n\n...", 1, 1),
        ],
    )
    def test_sentences(self, answer, limit, kept):
        assert scored("max_sentences", answer, limit=limit).value == kept

    def test_an_empty_answer_and_a_refusal(self):
        assert scored("max_words", "  ") == Score.unscored("the answer is empty")
        assert scored("max_words", "I do not know that", refusal="refused", limit=3).value == 0

    def test_says_what_was_counted(self):
        assert scored("max_words", "Memphis", limit=2).reason == "1 word; at most 2 are allowed"


class TestPatterns:
    def test_found_or_not(self):
        assert scored("must_match", "It costs EUR 30.", pattern=r"\bEUR \d+").value == 1
        assert scored("must_match", "It costs 30 euros.", pattern=r"\bEUR \d+").value == 0
        assert scored("must_not_match", "As an AI, I think so.", pattern="as an ai", ignore_case=True).value == 0
        assert scored("must_not_match", "As an AI, I think so.", pattern="as an ai").value == 1

    def test_without_a_pattern_there_is_no_rule(self):
        assert scored("must_match", "Memphis") == Score.unscored("no pattern is set (option pattern)")

    def test_a_wrong_pattern_is_refused_with_its_place(self):
        with pytest.raises(ValidationError, match=r"“a\(b” is not a regular expression: missing \) at character 4"):
            metrics.get("must_match").Options(pattern="a(b")

    def test_a_pattern_without_end_is_stopped_and_then_tried_no_more(self, monkeypatch):
        monkeypatch.setattr("evaluation.metrics.patterns._SECONDS", 0.02)
        unit = metrics.get("must_match")
        samples = [make_sample("a" * 40 + "!")] * 200 + [make_sample("b")]
        scores = unit(unit.Options(pattern="^(a|aa)+$")).score_many(samples, make_context(["attempt"] * 201))
        assert {score.value for score in scores} == {None}
        assert "took too long" in scores[0].reason


class TestJson:
    @pytest.mark.parametrize(
        ("answer", "kept"),
        [
            ('{"a": [1, 2.5, null]}', 1),
            ("42", 1),
            ("```json\n{}\n```", 1),
            ("Here it is: {}", 0),
            ("{'a': 1}", 0),
            ("[NaN]", 0),
            ("[1,]", 0),
            ("9" * 5000, 1),
            ("[" * 100_000, 0),
        ],
    )
    def test_the_whole_answer_parses(self, answer, kept):
        assert scored("valid_json", answer).value == kept

    def test_without_fences(self):
        assert scored("valid_json", "```json\n{}\n```", fence=False).value == 0

    def test_keys(self):
        assert scored("valid_json", '{"name": 1, "age": null}', keys="name, age").value == 1
        found = scored("valid_json", '{"name": 1}', keys="name, age")
        assert (found.value, found.reason) == (0, "it has no age")
        assert scored("valid_json", '["name"]', keys="name").reason == "it is JSON, but not an object"


class TestLanguage:
    @pytest.mark.parametrize(
        ("answer", "language", "kept"),
        [
            ("Das Dekret wurde in Memphis erlassen.", "de", 1),
            ("Das Dekret wurde in Memphis erlassen.", "en", 0),
            ("Il decreto è stato emanato a Menfi nel 196 avanti Cristo.", "it-CH", 1),
            ("その法令はメンフィスで発布されました。", "ja", 1),
            ("The decree was issued in Memphis.", "", 1),  # the question is English
            ("Das Dekret wurde in Memphis erlassen.", "", 0),
        ],
    )
    def test_told(self, answer, language, kept):
        assert scored("language_is", answer, language=language).value == kept

    @pytest.mark.parametrize("answer", ["Memphis", "Yes.", "42", "🐪🐪"])
    def test_too_short_to_tell(self, answer):
        found = scored("language_is", answer, language="en")
        assert (found.value, found.reason) == (None, "the answer is too short, or too mixed, to tell its language")

    def test_an_unknown_code_is_refused(self):
        with pytest.raises(ValidationError, match="“klingon” is no language that can be told"):
            metrics.get("language_is").Options(language="klingon")


class TestCitations:
    GIVEN = {"document": "The decree was issued in Memphis.", "contexts": [(1, 0, 10), (2, 10, 20)]}

    @pytest.mark.parametrize(
        ("answer", "kept"),
        [
            ("In Memphis [1].", 1),
            ("In Memphis (2).", 1),
            ("In Memphis [1, 2], in 196 BC (196).", 1),
            ("In Memphis [1][3].", 0),
            ("In Memphis [0].", 0),
            ("In Memphis, see D1.TXT.", 1),
            ("In Memphis.", 0),
            ("In Memphis (1996).", 0),
            ("(1) Memphis\n(2) Thebes\n(3) Giza", 0),
            ("See [1-2].", 1),
            ("See 【2】.", 1),
        ],
    )
    def test_one_given_is_cited_and_none_that_there_is_not(self, answer, kept):
        assert scored("cites_context", answer, **self.GIVEN).value == kept

    @pytest.mark.parametrize(
        ("name", "answer", "kept"),
        [
            ("memphis.txt", "In Memphis.", 0),
            ("memphis.txt", "In Memphis [memphis].", 1),
            ("memphis.txt:0-10", "In Memphis, says memphis.txt.", 1),
            ("memphis", "In Memphis.", 0),
            ("memphis", "In Memphis (“Memphis”).", 1),
            ("decree-196", "In Memphis, see decree-196.", 1),
        ],
    )
    def test_a_plain_word_is_a_name_only_in_brackets_or_quotes(self, name, answer, kept):
        row = {"answer": answer, "contexts": ["It was issued in Memphis."], "contexts_id": [name]}
        ((_, sample),) = read_answers(("row.jsonl", json.dumps(row).encode()))
        (score,) = metrics.get("cites_context")().score_many([sample], make_context())
        assert score.value == kept

    def test_null_without_contexts_and_for_a_refusal(self):
        assert scored("cites_context", "In Memphis [1].").reason == "there were no contexts to cite"
        assert scored("cites_context", "No idea [1].", refusal="refused", **self.GIVEN).reason == "the answer declines"
        found = scored("cites_context", "In Memphis [1].", use_context=False, **self.GIVEN)
        assert found.reason == "the run answered without context"

    @given(st.text(alphabet="[](), -123ab\n", max_size=40))
    def test_reads_any_text(self, text):
        numbers = cited_numbers(text)
        assert len(numbers) == len(set(numbers))
        assert all(str(number) in text or "-" in text for number in numbers)
