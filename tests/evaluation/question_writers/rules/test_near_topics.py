"""What documents are about is found where they say it, and asked more of than a name that they only mention."""

from __future__ import annotations

import re

from evaluation.question_writers.rules.corpus import CorpusText
from evaluation.question_writers.rules.near_names import Name
from evaluation.question_writers.rules.near_topics import programs, topics
from evaluation.question_writers.rules.out_of_scope import OutOfScopeQuestions
from rag_pipeline.types import SourceDoc

TIN = (
    "Tin is a chemical element with the symbol Sn. People mined tin in Cornwall. Most tin comes from China. "
    "Cans are lined with tin against rust. Bronze holds much tin and more copper. This is an element of style."
)
MANUAL = "\n\n".join(
    f"To open window {number}, click on the menu of Krusader. The command keeps every directory in view."
    for number in range(30)
)


def corpus(name: str, text: str) -> CorpusText:
    """Return a corpus of one document."""
    return CorpusText([SourceDoc(1, name, text)])


def test_a_topic_is_what_the_text_says_to_be_of_a_kind_and_names_often() -> None:
    assert topics(corpus("a.txt", TIN), {"element"}) == [Name("tin", "element", 5, is_topic=True)]
    assert topics(corpus("a.txt", TIN), {"city"}) == []
    assert topics(corpus("a.txt", TIN.replace("Most tin", "Most")), {"element"}) == []  # it is named four times


def test_a_program_has_a_name_and_no_article() -> None:
    told = "Nano is a small text editor for the console. " + "Open a file in Nano. " * 5
    assert topics(corpus("a.txt", told), {"software"}) == [Name("Nano", "software", 6, True)]
    assert topics(corpus("a.txt", told.replace("Nano", "the tool").replace("the", "The", 1)), {"software"}) == []


def test_a_manual_is_about_the_program_that_it_is_called_after() -> None:
    assert programs(corpus("krusader-handbook.txt", MANUAL)) == [Name("Krusader", "software", 30, is_topic=True)]
    assert programs(corpus("window.txt", MANUAL)) == []  # a word of everyday, always in small letters
    assert programs(corpus("handbook.txt", MANUAL)) == []


def test_near_questions_about_a_topic_are_many_and_none_is_answered() -> None:
    near = [question.text for question in OutOfScopeQuestions(corpus("krusader.txt", MANUAL), 1).near()]
    assert len(near) == 12
    assert all("Krusader" in text for text in near)
    told = f"{MANUAL}\n\nNobody pays for it. It runs on Android, on Windows and on a Mac."
    asked = [question.text for question in OutOfScopeQuestions(corpus("krusader.txt", told), 1).near()]
    assert not [text for text in asked if re.search("cost|mobile|Windows|Mac", text)]


def test_nobody_asks_whether_an_operating_system_runs_on_another() -> None:
    told = MANUAL.replace("Krusader", "the Haiku system").replace("menu of the", "menu of your")
    assert programs(corpus("haiku.txt", told)) == [Name("Haiku", "system", 30, is_topic=True)]
    near = [question.text for question in OutOfScopeQuestions(corpus("haiku.txt", told), 1).near()]
    assert any("Haiku" in text for text in near)
    assert not [text for text in near if re.search("mobile|Windows|Mac", text)]
