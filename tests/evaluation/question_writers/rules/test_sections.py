"""What a whole passage answers: an author's own question, a task in a heading, the label of an item."""

from __future__ import annotations

import pytest

from evaluation.question_writers.rules.asking import ask, passages
from evaluation.question_writers.rules.asking_sections import SECTIONS
from evaluation.question_writers.rules.candidates import Candidate
from evaluation.question_writers.rules.corpus import CorpusText
from rag_pipeline.types import SourceDoc

FAQ = """# Questions

## 1. Can I return a lamp that I have used?

Yes, within thirty days. Bring the receipt to any of our shops.

We pay the amount back to your card.

## What is this?

A page of questions.
"""

MANUAL = """# Reading lamp

## Replacing the light bulb

Unplug the lamp and let it cool. Turn the bulb to the left, then press the new one in.

## Cleaning

Use a dry cloth.

## Installing the driver

Run this command:

```
install driver
```
"""


def asked(text: str) -> dict[str, Candidate]:
    """Return the questions about whole passages to which nobody objects, by their words."""
    corpus = CorpusText([SourceDoc(1, "text", text)])
    found = ask(passages(corpus.sentences[1], text), corpus.known[1], corpus.same_things[1])
    return {one.text: one for one, reason in found if not reason and one.rule in SECTIONS}


def test_an_authors_question_is_answered_by_all_that_stands_below_it() -> None:
    found = asked(FAQ)
    assert list(found) == ["Can I return a lamp that I have used?"]
    (candidate,) = found.values()
    span = candidate.sentence.span
    evidence = FAQ[span.start : span.end]
    assert evidence.startswith("Yes, within thirty days.")
    assert evidence.endswith("back to your card.")
    assert candidate.answer == evidence.replace("\n\n", " ")


def test_questions_that_are_lines_of_their_own_are_taken_where_there_are_several() -> None:
    lines = ["Is the museum open on Mondays?", "Are dogs allowed in the garden?", "Does a ticket cost more than $5?"]
    said = "No, but the cafe is open from ten to four all week."
    assert set(asked("\n\n".join(f"Q: {line}\n\nA: {said}" for line in lines))) == set(lines)
    assert not asked(f"{lines[0]}\n\n{said}")


def test_numbered_questions_of_a_plain_text_are_headings_over_several_lines_too() -> None:
    asks = ["Is the museum open on\nMondays?", "Are dogs allowed in the garden?", "Does a ticket cost more than $5?"]
    said = ["No, but the cafe is open\nfrom ten to four.", "Yes, those who are\non a lead.", "No, it is free for all."]
    contents = "\n".join(f"2.{number}. {line}" for number, line in enumerate(asks, 1))
    parts = [f"2.{number}. {line}\n\n{told}" for number, (line, told) in enumerate(zip(asks, said, strict=True), 1)]
    found = asked("\n\n".join([contents, *parts]))
    assert {one.text: one.answer for one in found.values()} == {
        line.replace("\n", " "): told.replace("\n", " ") for line, told in zip(asks, said, strict=True)
    }


def test_an_answer_of_which_only_a_part_is_prose_is_none_unless_it_says_yes_or_no() -> None:
    steps = "```\ninstall it\n```"
    assert not asked(f"## How do I install the driver of the lamp?\n\nOpen the settings first.\n\n{steps}")
    assert asked(f"## Can I install the driver of the lamp?\n\nYes, in the settings.\n\nSee below.\n\n{steps}")


def test_a_task_in_a_heading_is_asked_for_and_its_steps_are_the_answer() -> None:
    found = asked(MANUAL)
    assert list(found) == ["How do I replace the light bulb?"]
    assert found["How do I replace the light bulb?"].answer.endswith("then press the new one in.")


@pytest.mark.parametrize("heading", ["Getting started", "Understanding the lamp", "Cooling", "The bulb", "Be careful"])
def test_a_heading_that_names_no_task_is_no_question(heading: str) -> None:
    assert not asked(f"# Lamp\n\n## {heading}\n\nTurn the bulb to the left, then press the new one in.")


def test_a_question_in_title_case_is_asked_as_somebody_types_it_and_answered_by_no_question() -> None:
    pages = "# Help\n\n## What Is The Red Lamp For?\n\nLight of this kind shows that the paper is used up.\n\n"
    pages += "## Is The Cable Right?\n\nIs the printer in an error state? Look at its lamps and at the paper.\n"
    found = set(asked(pages))
    assert found == {"What is the Red Lamp for?"}


def test_a_warning_before_the_steps_is_not_called_by_its_label() -> None:
    [task] = asked(
        "# Lamp\n\n## Replacing the bulb\n\nWarning: Let it cool first. Turn it to the left, then take it out.\n"
    ).values()
    assert task.answer == "Let it cool first. Turn it to the left, then take it out."
