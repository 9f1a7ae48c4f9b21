"""A question is asked back: kept when the trained reader gives its answer, left out when it does not."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

from evaluation.question_writers.rules.asking import ask, passages
from evaluation.question_writers.rules.candidates import Candidate
from evaluation.question_writers.rules.corpus import CorpusText
from evaluation.question_writers.rules.round_trip import NOT_FOUND, RoundTrip
from evaluation.question_writers.rules.selection import Purpose, Selection
from rag_pipeline.types import SourceDoc
from tests.minilm import minilm

WARSAW = (Path(__file__).parents[4] / "workbench" / "sample" / "warsaw.txt").read_text(encoding="utf-8")
EMBED = minilm().embed_passages
FOUNDED = "When was the FSO Car Factory established?"


@cache
def corpus() -> CorpusText:
    """Return the sample article."""
    return CorpusText([SourceDoc(3, "warsaw.txt", WARSAW)])


@cache
def trip() -> RoundTrip:
    """Return the round trip over it."""
    return RoundTrip(corpus(), EMBED)


@cache
def question(text: str) -> Candidate:
    """Return a question that the rules make of the article."""
    sentences = [one for one in corpus().sentences[3] if "FSO Car Factory" in one.text]
    made = ask(passages(sentences, WARSAW), corpus().known[3], corpus().same_things[3])
    return next(one for one, _ in made if one.original == text)


def test_a_question_whose_answer_is_found_in_its_sentence_is_kept() -> None:
    assert trip().objection(question(FOUNDED)) == ""


def test_a_question_whose_answer_stands_elsewhere_or_is_another_is_left_out() -> None:
    right = question(FOUNDED)
    assert trip().objection(replace(right, answer="the FSO Car Factory")) == NOT_FOUND
    assert trip().objection(replace(right, rule="why", answer="Because of wars.")) == ""  # a reason is the sentence
    sentences = corpus().sentences[3]
    other = sentences[(sentences.index(right.sentence) + 20) % len(sentences)]
    assert trip().objection(replace(right, rule="why", answer="Because of wars.", sentences=(other,))) == NOT_FOUND


def test_what_the_documents_answer_is_not_declined() -> None:
    assert not trip().is_declined(FOUNDED)
    assert trip().is_declined("Which brewery is the oldest in Ohio?")


def test_what_is_left_out_is_replaced_and_said() -> None:
    refused: list[str] = []

    def objection(candidate: Candidate) -> str:
        if len(refused) < 3:
            refused.append(candidate.text)
            return "no"
        return ""

    chosen = [each for each, _ in zip(Selection(corpus(), 5, 0, Purpose("", EMBED), objection), range(5), strict=False)]
    said = [text for each in chosen for text, reason in each.rejected if reason == "no"]
    assert said == refused
    assert not {each.candidate.text for each in chosen if each.candidate} & set(refused)
