"""Out-of-scope questions are about another subject, or about what the documents do not say."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.question_writers.rules.absence import WindowIndex
from evaluation.question_writers.rules.corpus import CorpusText
from evaluation.question_writers.rules.near_names import names
from evaluation.question_writers.rules.out_of_scope import OutOfScopeQuestions
from rag_pipeline.types import SourceDoc
from tests.minilm import minilm

EMBED = minilm().embed_passages
WARSAW = Path(__file__).parents[4] / "workbench" / "sample" / "warsaw.txt"


def test_an_attribute_near_the_name_is_not_absent() -> None:
    text = "The University of Warsaw spends much. " + "It is large. " * 10 + "Its budgets grew each year."
    assert not WindowIndex([text]).absent("University of Warsaw", ["budget"])
    assert WindowIndex([text]).absent("University of Warsaw", ["motto"])


def test_a_word_further_than_the_window_is_absent() -> None:
    text = "The Vistula flows north. " + "x " * 200 + "The budget is small."
    assert WindowIndex([text]).absent("Vistula", ["budget"])
    assert not WindowIndex([text.replace("x ", "")]).absent("Vistula", ["budget"])


def test_the_words_must_meet_in_one_document() -> None:
    assert WindowIndex(["The Vistula is long.", "The budget is small."]).absent("Vistula", ["budget"])


def test_stems_are_compared() -> None:
    assert not WindowIndex(["Those who marry in Kraków are many."]).absent("Kraków", ["married"])
    assert WindowIndex(["Cities and city walls"]).count("city") == 2


def test_near_questions_hold_their_promise_on_a_real_article() -> None:
    text = WARSAW.read_text(encoding="utf-8")
    maker = OutOfScopeQuestions(CorpusText([SourceDoc(1, "warsaw.txt", text)]), 0)
    near = [question for question, _ in zip(maker.near(), range(15), strict=False)]
    assert len(near) == 15
    for question in [each for each in near if each.entity]:
        entity = question.entity.removeprefix("the ")
        assert entity.split()[-1] in question.text
        assert entity in text
        assert WindowIndex([text]).absent(entity, question.attribute)
    assert len({question.text for question in near}) == 15


def test_what_a_passage_leaves_open_is_asked_and_what_it_says_is_not() -> None:
    told = "Marie Curie discovered radium in 1898."
    open_ = "Norman Foster designed the Wembley Stadium."
    texts = [
        [question.text for question in OutOfScopeQuestions(CorpusText([SourceDoc(1, "a", text)]), 0).near()]
        for text in (told, open_)
    ]
    assert not [text for text in texts[0] if text.startswith("When")]
    assert "When did Norman Foster design the Wembley Stadium?" in texts[1]


OPEN = (
    ("The National Trust bought Wembley Stadium.", "What was the cost of buying Wembley Stadium?"),
    ("The Tower House was built in 1643.", "Who built the Tower House?"),
    ("The National Trust sold Wembley Stadium in 1720.", "Why did the National Trust sell Wembley Stadium in 1720?"),
    ("Standing trustees must file a final report.", "By when must standing trustees file a final report?"),
    ("Standing trustees must file a final report.", "What happens if standing trustees do not file a final report?"),
)  # fmt: skip


@pytest.mark.parametrize(("text", "question"), OPEN)
def test_what_a_passage_does_not_say_of_what_it_tells_is_asked(text: str, question: str) -> None:
    assert question in _near(text)


@pytest.mark.parametrize(
    ("told", "question"),
    [
        ("It cost $20.", OPEN[0]), ("It was built by Ann.", OPEN[1]), ("The reason was a revolt.", OPEN[2]),
        ("It is due within a month.", OPEN[3]), ("Failure is a crime.", OPEN[4]),
    ],
)  # fmt: skip
def test_what_the_next_sentence_says_is_not_asked(told: str, question: tuple[str, str]) -> None:
    text, asked = question
    assert asked not in _near(text.replace("built in", "built by Ann in") if "by Ann" in told else f"{text} {told}")


def test_an_empty_place_of_a_table_is_asked_about() -> None:
    rows = "| 7 | $245 | $15 |\n| 8 | $200 | $10 |\n| 9 | $235 | |\n"
    asked = _near(f"| Chapter | Filing fee | Surcharge |\n| --- | --- | --- |\n{rows}")
    assert [each for each in asked if "surcharge" in each] == ["What is the surcharge for chapter 9?"]


def _near(text: str) -> list[str]:
    return [question.text for question in OutOfScopeQuestions(CorpusText([SourceDoc(1, "a", text)]), 0).near()]


def test_far_questions_share_no_key_word_with_the_documents() -> None:
    corpus = CorpusText([SourceDoc(1, "a.txt", "The ukulele is an instrument. Penguins are birds. Chess is a game.")])
    texts = [question.text for question in OutOfScopeQuestions(corpus, 0).far()]
    assert len(texts) == len(set(texts)) >= 290
    assert not [text for text in texts if "ukulele" in text or "penguins" in text or "chess" in text]


def test_names_are_asked_about_as_what_they_are() -> None:
    text = WARSAW.read_text(encoding="utf-8")
    found = names(CorpusText([SourceDoc(1, "warsaw.txt", text)]), seed=0)
    assert {"settlement", "person"} <= {one.kind for one in found}
    assert ("Poland", "settlement") not in {(one.text, one.kind) for one in found}
    bare = [one.text.removeprefix("the ").removeprefix("a ").removeprefix("an ") for one in found]
    assert all(text.lower().count(one.lower()) >= 2 for one in bare)
    assert found == names(CorpusText([SourceDoc(1, "warsaw.txt", text)]), seed=0)


def test_of_very_many_documents_some_are_read() -> None:
    told = [SourceDoc(number, f"{number}.txt", "Nothing is said here.") for number in range(2, 252)]
    bought = [
        SourceDoc(number, f"{number}.txt", f"The National Trust bought {name} Stadium.")
        for number, name in ((300, "Wembley"), (301, "Camden"), (302, "Ashford"))
    ]
    near = [question.text for question in OutOfScopeQuestions(CorpusText([*told, *bought]), 0).near()]
    assert any(text.startswith("What was the cost of buying") for text in near)
