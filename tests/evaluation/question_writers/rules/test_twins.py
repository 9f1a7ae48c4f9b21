"""Twins ask the same in other words, as key words, or as somebody asks whom the bot is for."""

from __future__ import annotations

import random

import pytest

from evaluation.question_writers.rules.candidates import Candidate
from evaluation.question_writers.rules.document_sentences import split_document
from evaluation.question_writers.rules.purpose import situation
from evaluation.question_writers.rules.twins import keywords, protected_words, rephrase, situate
from rag_pipeline.types import SourceDoc

SENTENCE = tuple(split_document(SourceDoc(1, "a", "The Treaty of Karlowitz was signed at Karlowitz in 1699.")))
QUESTION = Candidate(
    "when", "When was the Treaty of Karlowitz signed?",
    ("What year was the Treaty of Karlowitz signed?",), "1699", "the Treaty of Karlowitz", SENTENCE,
)  # fmt: skip


def test_other_words_ask_for_the_same() -> None:
    assert rephrase(QUESTION, random.Random(0)) == "What year was the Treaty of Karlowitz signed?"


def test_key_words_keep_the_topic_and_say_what_is_asked_for() -> None:
    assert keywords(QUESTION) == "treaty karlowitz signed date"


@pytest.mark.parametrize(
    ("rule", "text", "query"),
    [
        ("who", "Who annexed Warsaw in 1815?", "who annexed warsaw 1815"),
        ("definition", "What is the Warsaw University of Technology?", "warsaw university technology"),
        ("definition", "What is a remote solver for images?", "remote solver images meaning"),
        ("does", "What does the first stock exchange do?", ""),
    ],
)
def test_key_words_leave_no_doubt_what_is_asked(rule: str, text: str, query: str) -> None:
    assert keywords(Candidate(rule, text, (), "an answer", "a topic", SENTENCE)) == query


def test_too_few_words_are_no_query() -> None:
    short = Candidate("what", "What did Smith buy?", (), "a car", "Smith", SENTENCE)
    assert keywords(short) == ""


@pytest.mark.parametrize("limit", ["only", "not", "without", "don't"])
def test_a_question_with_a_limit_has_no_key_words(limit: str) -> None:
    text = f"How do I send tasks {limit} to some servers of mine?"
    assert keywords(Candidate("how_to", text, (), "use a queue", "tasks", SENTENCE)) == ""


def test_names_are_never_misspelt() -> None:
    assert {"treaty", "karlowitz"} <= protected_words(QUESTION)


def test_a_purpose_gives_the_asker_a_role() -> None:
    said = situation("tenants asking about their contract")
    assert said == "I am a tenant with a question about my contract."
    assert situate(QUESTION, said) == f"{said} {QUESTION.text}"
    assert situation("a demonstration") == situate(QUESTION, "") == ""


def test_a_question_that_ends_with_a_preposition_is_not_turned_around() -> None:
    ends = Candidate("faq", "What is Python good for?", (), "many things", "Python", SENTENCE)
    whole = Candidate("faq", "What is a beta test?", (), "a test", "beta test", SENTENCE)
    assert rephrase(ends, random.Random(0)) == ""
    assert "what a beta test is" in rephrase(whole, random.Random(0))
