"""A question is asked back: kept when the trained reader gives its answer, left out when it does not."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

from evaluation.question_writers.rules.corpus import CorpusStatistics
from evaluation.question_writers.rules.round_trip import NOT_FOUND, RoundTrip
from evaluation.question_writers.rules.selection import Purpose, select
from evaluation.question_writers.rules.simple import SimpleQuestion, ask
from rag_pipeline.types import SourceDoc
from tests.minilm import minilm

WARSAW = Path(__file__).parents[4] / "workbench" / "sample" / "warsaw.txt"
EMBED = minilm().embed_passages
NO_PURPOSE = Purpose("", EMBED)
AGAIN = "It is said once more. The FSO Car Factory was established in 1951."


@cache
def corpus() -> CorpusStatistics:
    """Return the sample article, and a text that repeats one of its sentences."""
    return CorpusStatistics(
        [SourceDoc(3, "warsaw.txt", WARSAW.read_text(encoding="utf-8")), SourceDoc(7, "again", AGAIN)]
    )


@cache
def trip() -> RoundTrip:
    """Return the round trip over both."""
    return RoundTrip(corpus(), EMBED)


def question(text: str, document: int = 3) -> SimpleQuestion:
    """Return a question that the rules make of the article."""
    made = (one for sentence in corpus().sentences[document] for one in ask(sentence, corpus())[0])
    return next(one for one in made if one.candidate.text == text)


FOUNDED = "When was the FSO Car Factory established?"


def test_a_question_whose_answer_is_found_in_its_sentence_is_kept() -> None:
    assert trip().objection(question(FOUNDED)) == ""


def test_a_question_whose_answer_stands_elsewhere_or_is_another_is_left_out() -> None:
    right = question(FOUNDED)
    wrong_answer = replace(right, candidate=replace(right.candidate, answer="the FSO Car Factory"))
    assert trip().objection(wrong_answer) == NOT_FOUND
    candidate = replace(right.candidate, kind="why", answer="Because it has survived many wars.")
    assert trip().objection(replace(right, candidate=candidate)) == ""  # a reason is the sentence
    sentences = corpus().sentences[3]
    other = sentences[(sentences.index(right.sentence) + 40) % len(sentences)]
    assert trip().objection(replace(right, candidate=candidate, sentence=other)) == NOT_FOUND


def test_a_verbatim_repeat_of_the_evidence_is_as_good() -> None:
    assert trip().objection(replace(question(FOUNDED), sentence=corpus().sentences[7][1])) == ""


def test_the_first_wording_that_asks_for_the_same_is_taken() -> None:
    right = question(FOUNDED)
    wordings = ["How long is the Vistula?", "What is made there?", f"My notes are lost. {FOUNDED}", FOUNDED]
    assert trip().first_answered(wordings, right) == 2
    assert trip().first_answered(wordings[:2], right) is None


def test_lists_speeches_and_abbreviations_are_not_read() -> None:
    right = question(FOUNDED)
    for kind in ("item", "said", "stands_for"):
        assert (
            trip().objection(replace(right, candidate=replace(right.candidate, kind=kind, answer="something else")))
            == ""
        )


def test_a_question_that_the_corpus_answers_is_not_refused() -> None:
    assert not trip().is_declined(FOUNDED)
    assert trip().is_declined("How do I descale the heating coil of an espresso machine?")


def test_a_question_that_is_objected_to_gives_way_to_another_of_its_region() -> None:
    plain = [one.question for one in select(corpus(), 12, 0, NO_PURPOSE) if one.question][:12]
    bad = {one.candidate.text for one in plain[::2]}
    steps = list(select(corpus(), 12, 0, NO_PURPOSE, lambda one: "bad" * (one.candidate.text in bad)))
    chosen = [one.question.candidate.text for one in steps if one.question]
    assert len(chosen) >= 12
    assert not bad & set(chosen)
    told = {candidate.text for one in steps for candidate, reason in one.rejected if reason == "bad"}
    assert told <= bad
    assert len(told) >= len(bad) - 1  # one that was only there to fill the twelve may not be reached


def test_reasons_are_handed_on_where_nothing_is_left() -> None:
    steps = list(select(corpus(), 3, 0, NO_PURPOSE, lambda one: "bad"))
    assert [one.question for one in steps] == [None]
    assert "bad" in {reason for _, reason in steps[0].rejected}
