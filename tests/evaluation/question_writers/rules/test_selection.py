"""What is asked is worth it; where there would be few, the best of what there is is asked too."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from evaluation.question_writers.rules import selection
from evaluation.question_writers.rules.candidates import Candidate
from evaluation.question_writers.rules.corpus import CorpusText
from evaluation.question_writers.rules.objections import FOREIGN
from evaluation.question_writers.rules.selection import (
    ASKED_ABOUT,
    TOO_MANY_ALIKE,
    UNLIKELY,
    Purpose,
    Selected,
    Selection,
)
from rag_pipeline.types import SourceDoc
from tests.minilm import minilm

WARSAW = (Path(__file__).parents[4] / "workbench" / "sample" / "warsaw.txt").read_text(encoding="utf-8")
EMBED = minilm().embed_passages


@cache
def corpus() -> CorpusText:
    """Return a part of the sample article."""
    return CorpusText([SourceDoc(3, "warsaw.txt", WARSAW[:12_000])])


@cache
def selected(fair: float, count: int = 60) -> tuple[Selected, ...]:
    """Return all that is chosen for a set of so many where so much is fair, and no pairs must be found."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("_GOOD", 0.5), ("_FAIR", fair), ("_FEWEST", 0)):
            patch.setattr(selection, name, value)
        return tuple(Selection(corpus(), count, 0, Purpose("", EMBED)))


def texts(chosen: tuple[Selected, ...]) -> list[str]:
    """Return the questions."""
    return [each.candidate.text for each in chosen if each.candidate]


def test_what_is_fair_is_asked_after_what_is_good_where_less_was_found_than_asked_for() -> None:
    good, filled = texts(selected(fair=0.5)), texts(selected(fair=0.1))
    assert good
    assert filled[: len(good)] == good
    assert len(good) < len(filled) <= 60


def test_a_document_without_anything_good_asks_its_best() -> None:
    poor = SourceDoc(4, "poor.txt", WARSAW[16_530:17_100])
    both = CorpusText([*corpus().documents, poor])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(selection, "_GOOD", 0.5)
        chosen = list(Selection(both, 8, 0, Purpose("", EMBED)))[:8]
    asked = [each for each in chosen if each.candidate and each.candidate.sentence.span.document_id == 4]
    assert [each.liked < 0.5 for each in asked] == [True]


def test_what_is_fair_is_not_asked_where_enough_is_good() -> None:
    good = texts(selected(fair=0.5, count=2))
    assert len(good) >= 2
    assert texts(selected(fair=0.1, count=2)) == good


def test_what_is_not_even_fair_is_asked_only_until_there_are_a_few() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(selection, "_GOOD", 0.9)
        patch.setattr(selection, "_FAIR", 0.9)
        liked = [each.liked for each in Selection(corpus(), 60, 0, Purpose("", EMBED)) if each.candidate]
    assert len(liked) == selection._FEWEST
    assert max(liked) < 0.9


def test_what_is_not_even_fair_is_said_to_read_poorly() -> None:
    chosen = selected(fair=0.4)
    poor = {text for each in chosen for text, reason in each.rejected if reason == UNLIKELY}
    assert poor
    assert not poor & set(texts(chosen))


RULES = """# Riverside Rowing Club

Members of the Riverside Rowing Club may bring guests to the boathouse on Sundays. Junior rowers must not row on the \
Thames without a life jacket. Coaches of the Riverside Rowing Club must not accept gifts from suppliers. Owners of \
private boats may store them in the Hammersmith shed over the winter. Guests are not allowed to use the Empacher \
boats. Members of the Riverside Rowing Club must not sell alcohol at the Hammersmith Regatta. Coaches must not drive \
the Riverside Rowing Club minibus without a licence.
"""


def test_what_the_set_has_no_room_for_is_said_too() -> None:
    chosen = list(Selection(CorpusText([SourceDoc(5, "rules.txt", RULES)]), 60, 0, Purpose("", EMBED)))
    asked = [each.candidate for each in chosen if each.candidate]
    reasons = dict(pair for each in chosen for pair in each.rejected)
    alike = [text for text, reason in reasons.items() if reason == TOO_MANY_ALIKE]
    assert alike
    assert sum(each.rule in {"yes_no", "is_so"} for each in asked) >= len(asked) / 3
    assert not set(reasons) & {each.text for each in asked}


def test_what_asks_about_a_sentence_that_was_asked_about_is_said_too() -> None:
    reasons = {reason for each in selected(fair=0.1) for _, reason in each.rejected}
    assert ASKED_ABOUT in reasons


def test_what_is_not_english_is_left_alone_and_said() -> None:
    english = "The backup server of the company keeps copies for thirty days."
    catalan = "El servidor de còpies inclou un disc per a cada departament de l'empresa i conserva trenta còpies."
    both = CorpusText([SourceDoc(7, "both.txt", f"{english}\n\n{catalan}")])
    chosen = list(Selection(both, 10, 0, Purpose("", EMBED)))
    assert {each.candidate.sentence.text for each in chosen if each.candidate} == {english}
    assert [text for each in chosen for text, reason in each.rejected if reason == FOREIGN] == [catalan]


def test_a_sentence_is_asked_about_again_only_for_something_else() -> None:
    told = "The Riverside Rowing Club owns a boathouse with forty racks. The Riverside Rowing Club was founded in 1884."
    asked = [
        (each.candidate.sentence.text, each.candidate.answer.lower())
        for each in Selection(CorpusText([SourceDoc(6, "club.txt", told)]), 60, 0, Purpose("", EMBED))
        if each.candidate
    ]
    for number, (sentence, answer) in enumerate(asked):
        for other_sentence, other in asked[:number]:
            assert sentence != other_sentence or (answer not in other and other not in answer)
    assert asked


def test_what_is_left_out_is_replaced_and_said() -> None:
    refused: list[str] = []

    def objection(candidate: Candidate) -> str:
        if len(refused) < 3:
            refused.append(candidate.text)
            return "no"
        return ""

    choice = Selection(corpus(), 5, 0, Purpose("", EMBED), objection)
    chosen = [each for each, _ in zip(choice, range(5), strict=False)]
    said = [text for each in chosen for text, reason in each.rejected if reason == "no"]
    assert said == refused
    assert not {each.candidate.text for each in chosen if each.candidate} & set(refused)
