"""Sentences as people write them, and the question each should give."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.question_writers.rules.corpus import CorpusStatistics
from evaluation.question_writers.rules.narrators import in_third_person
from evaluation.question_writers.rules.simple import ask
from rag_pipeline.types import SourceDoc


def asked_of(sentence: str, *others: str) -> dict[str, str]:
    """Return {question: answer} of one sentence, in a document with some others around it."""
    corpus = CorpusStatistics([SourceDoc(1, "a.txt", " ".join([sentence, *others]))])
    good, _ = ask(corpus.sentences[1][0], corpus)
    return {question.candidate.text: question.candidate.answer for question in good}


@pytest.mark.parametrize(
    "sentence, question, answer",
    [
        ("The FSO Car Factory was established in 1951.", "When was the FSO Car Factory established?", "1951"),
        (
            "In 1529, Warsaw became the seat of the General Sejm.",
            "When did Warsaw become the seat of the General Sejm?",
            "1529",
        ),
        (
            "Frontex, the European Union agency for external border security, has its headquarters in Warsaw.",
            "What is Frontex?",
            "the European Union agency for external border security",
        ),
        (
            "Polonia's home venue is located at Konwiktorska Street, a ten-minute walk from the Old Town.",
            "Where is Polonia's home venue located?",
            "Konwiktorska Street",
        ),
        (
            "Webb surrendered his ship within 15 minutes of opening fire.",
            "Within how many minutes of opening fire did Webb surrender his ship?",
            "15 minutes",
        ),
        (
            "Warsaw produces 12% of Poland's national income.",
            "What percentage of Poland's national income does Warsaw produce?",
            "12%",
        ),
        (
            "Polonia was relegated from the Polish top flight because of its bad finances in Warsaw.",
            "Why was Polonia relegated from the Polish top flight?",
            "",
        ),
        (
            "The Standing Trustee Pledge was developed by the National Association of Trustees.",
            "Which association developed the Standing Trustee Pledge?",
            "the National Association of Trustees",
        ),
        (
            "Frank Burnet formulated the clonal selection theory of immunity in Melbourne.",
            "Who formulated the clonal selection theory of immunity in Melbourne?",
            "Frank Burnet",
        ),
        (
            "Cytotoxic drugs inhibit immune responses by killing dividing cells.",
            "How do cytotoxic drugs inhibit immune responses?",
            "by killing dividing cells",
        ),
        (
            "Section 347 of the Bankruptcy Code requires standing trustees to stop payment on every check.",
            "What does Section 347 of the Bankruptcy Code require standing trustees to do?",
            "stop payment on every check",
        ),
        (
            "The International Union for Conservation of Nature (IUCN) lists the plain maskray.",
            "What does IUCN stand for?",
            "International Union for Conservation of Nature",
        ),
        (
            "If a debtor dies in office, the standing trustee must file a final report with the court.",
            "If a debtor dies in office, what must the standing trustee do?",
            "file a final report with the court",
        ),
    ],
)
def test_a_sentence_gives_its_question(sentence: str, question: str, answer: str) -> None:
    found = asked_of(sentence)
    if answer:
        assert found.get(question) == answer, found
    else:
        assert question not in found


@pytest.mark.parametrize(
    "sentence",
    [
        "It stands on the Vistula River in east-central Poland.",
        "They were transported to Germany in 1944.",
        "This act was passed by Parliament in 1707.",
        "In 1995 the factory was purchased by the car manufacturer Daewoo.",
        "A teaser website was revealed in September 2010 and soon taken down.",
        "“We shall never surrender this city to them,” said the king.",
        "11 U.S.C. § 1302(b)(1) incorporating 11 U.S.C. § 704(a)(2).",
        "I was born in Paris in 1902.",
        "STATUTORY DUTIES OF A STANDING TRUSTEE",
        "The trustee must not employ a relative of the trustee.",
    ],
)
def test_a_sentence_that_needs_its_neighbours_gives_none(sentence: str) -> None:
    assert asked_of(sentence) == {}


def test_the_thing_an_article_is_about_is_named() -> None:
    text = (
        "# Warsaw\n\nWarsaw is the capital and largest city of Poland. Warsaw lies on the Vistula. Warsaw has a zoo. "
        "Warsaw has parks. Many visit Warsaw. The city was awarded the Virtuti Militari on 9 November 1940. "
        "The city has a metro. The city is green."
    )
    corpus = CorpusStatistics([SourceDoc(1, "a.md", text)])
    (sentence,) = [one for one in corpus.sentences[1] if "awarded" in one.text]
    good, _ = ask(sentence, corpus)
    assert "When was Warsaw awarded the Virtuti Militari?" in [question.candidate.text for question in good]


def test_a_question_that_two_sentences_answer_is_not_asked() -> None:
    assert asked_of("The Opera House was opened in 1833.") == {"When was the Opera House opened?": "1833"}
    assert asked_of("The Opera House was opened in 1833.", "The Opera House was opened again in 1965.") == {}


WORDS = 'The the city of Warsaw was is founded in 1951 by Anna Smith , who which and to requires must if ( ) " ’s .'


@given(st.lists(st.sampled_from(WORDS.split()), min_size=6, max_size=30))
@settings(max_examples=80, deadline=None)
def test_any_jumble_of_words_is_read_without_fault(jumble: list[str]) -> None:
    sentence = "Frontex " + " ".join(jumble) + "."
    corpus = CorpusStatistics([SourceDoc(1, "a.txt", sentence)])
    for one in corpus.sentences[1]:
        for question in ask(one, corpus)[0]:
            assert question.candidate.answer in one.text
            assert question.candidate.answer.lower() not in question.candidate.text.lower()


LEGAL = [
    (
        "The State conceded that Lynch was a clear break from the past in Arizona courts.",
        "What did the State concede about Lynch?",
        "Lynch was a clear break from the past in Arizona courts",
    ),
    (
        "And in Lynch v. Arizona, 578 U. S. 613 (2016), Justice Kagan delivered the opinion of the Court.",
        "In Lynch v. Arizona, what did Justice Kagan deliver?",
        "the opinion of the Court",
    ),
    (
        "To obtain relief under Rule 32.1(g), a defendant must establish a change in the law.",
        "To obtain relief under Rule 32.1(g), what must a defendant do?",
        "establish a change in the law",
    ),
    (
        "If a secured claim is reassigned, Chapter 13 trustees must list both creditors on the report.",
        "If a secured claim is reassigned, what must Chapter 13 trustees do?",
        "list both creditors on the report",
    ),
]


@pytest.mark.parametrize("sentence, question, answer", LEGAL)
def test_prose_of_law_gives_what_was_held_and_required(sentence: str, question: str, answer: str) -> None:
    found = asked_of(sentence)
    assert found.get(question) == answer, found


@pytest.mark.parametrize(
    "sentence",
    [
        "By the end we — we have a a plan for Ukraine.",
        "I’ve asked Congress to pass the Equality Act.",
        "No one in Ukraine could have seen any of this coming.",
    ],
)
def test_careless_and_nameless_speech_gives_none(sentence: str) -> None:
    assert asked_of(sentence) == {}


def test_a_story_told_as_i_is_told_of_its_narrator() -> None:
    told = "I walked on. I looked at the sea. I heard nothing. " * 15
    text = f"{told}Suddenly I wondered. Near the harbour of Cowes I unscrewed the brass lever of the engine."
    corpus = CorpusStatistics([SourceDoc(1, "a.txt", text)])
    last = corpus.sentences[1][-1]
    assert last.narrator == "the narrator"
    assert in_third_person(last.text, last.narrator).startswith("Near the harbour of Cowes, the narrator unscrewed")


def test_a_list_of_a_manual_is_asked_about_under_its_heading() -> None:
    text = "# Guide\n\n## Removed Metrics\n\n- **OldScore** - Use the similarity score instead\n- **Other** - Gone\n"
    corpus = CorpusStatistics([SourceDoc(1, "a.md", text)])
    found = [question.candidate for one in corpus.sentences[1] for question in ask(one, corpus)[0]]
    assert [(one.text, one.answer) for one in found] == [
        ("Under “Removed Metrics”, what is noted about OldScore?", "Use the similarity score instead")
    ]


def test_a_comment_in_code_is_no_heading() -> None:
    text = "# Guide\n\n```python\n# Not this one\nx = 1\n```\n\nThe FSO Car Factory was established in 1951.\n"
    corpus = CorpusStatistics([SourceDoc(1, "a.md", text)])
    assert [one.heading for one in corpus.sentences[1]] == ["Guide"]
