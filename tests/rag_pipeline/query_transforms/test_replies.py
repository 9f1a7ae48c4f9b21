"""What models put around a question or a passage is taken off."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_pipeline.query_transforms.replies import read_passage, read_question, read_questions

ASKED = "When was the museum opened?"
THREE = ["When did the museum open?", "In which year was the museum opened?", "What is the opening date?"]


@pytest.mark.parametrize(
    "reply",
    [
        ASKED,
        f'"{ASKED}"',
        f"“{ASKED}”",
        f"**{ASKED}**",
        f"Sure, here is the rewritten question: {ASKED}",
        f"Here's a rewritten version of the question:\n\n{ASKED}",
        f"Certainly! {ASKED}",
        f"Rewritten question: {ASKED}",
        f'Question: "{ASKED}"',
        f"Step-back question: {ASKED}",
        f"<think>The user asks about a museum.\nI should …</think>\n\n{ASKED}",
        f"The user asks about a museum.\n</think>\n{ASKED}",
        f"```\n{ASKED}\n```",
        f"<question>\n{ASKED}\n</question>",
        f'{{"question": "{ASKED}"}}',
        f'```json\n{{"question": "{ASKED}"}}\n```',
        f"{ASKED}\n\nI changed “open” to “opened”.",
        f"1. {ASKED}",
        f"- {ASKED}",
    ],
)
def test_finds_the_one_question(reply: str) -> None:
    assert read_question(reply) == ASKED


@pytest.mark.parametrize(
    "reply",
    [
        "\n".join(THREE),
        "\n\n".join(THREE),
        "\n".join(f"{number}. {each}" for number, each in enumerate(THREE, 1)),
        "\n".join(f"{number}) {each}" for number, each in enumerate(THREE, 1)),
        "\n".join(f"({number}) {each}" for number, each in enumerate(THREE, 1)),
        "\n".join(f"- {each}" for each in THREE),
        "\n".join(f"• “{each}”" for each in THREE),
        "\n".join(f'{number}. "{each}"' for number, each in enumerate(THREE, 1)),
        "\n".join(f"**Question {number}:** {each}" for number, each in enumerate(THREE, 1)),
        "\n".join(f"Q{number}: {each}" for number, each in enumerate(THREE, 1)),
        " ".join(f"{number}. {each}" for number, each in enumerate(THREE, 1)),
        "Sure! Here are three versions of the question:\n\n" + "\n".join(f"1. {each}" for each in THREE),
        "Here they are:\n" + "\n".join(f"* {each}" for each in THREE) + "\n\nThese vary the wording.",
        '["When did the museum open?", "In which year was the museum opened?", "What is the opening date?"]',
        '```json\n{"queries": ["When did the museum open?", "In which year was the museum opened?", '
        '"What is the opening date?"]}\n```',
        '[{"question": "When did the museum open?"}, {"question": "In which year was the museum opened?"}, '
        '{"question": "What is the opening date?"}]',
        "<thinking>1. a\n2. b</thinking>" + "\n".join([*THREE, "when did the museum OPEN"]),
    ],
)
def test_finds_several_questions_however_they_are_listed(reply: str) -> None:
    assert read_questions(reply) == THREE


def test_a_year_at_the_start_of_a_question_is_no_number_of_a_list() -> None:
    assert read_questions("1995 saw which treaty?\n2 MB is the limit of what?") == [
        "1995 saw which treaty?",
        "2 MB is the limit of what?",
    ]


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "  \n",
        "<think>I am not done yet",
        "I'm sorry, but I cannot help with that.",
        "As an AI model, I …",
        "```\n```",
    ],
)
def test_finds_nothing_where_nothing_was_written(reply: str) -> None:
    assert read_question(reply) == ""
    assert read_passage(reply) == ""


def test_a_passage_keeps_its_sentences_and_loses_its_introduction() -> None:
    passage = "The museum opened in 1942. It moved to the Tower Building, where it stayed until 1997."
    assert read_passage(f"<think>hm</think>Here is a passage that answers the question:\n\n{passage}") == passage
    assert read_passage(f'Passage: "{passage}"') == passage
    assert read_passage(passage) == passage


@given(st.text())
def test_any_reply_can_be_read(reply: str) -> None:
    questions = read_questions(reply)
    assert all(question.strip() == question and question and "\n" not in question for question in questions)
    assert read_question(reply) == (questions[0] if questions else "")
    assert read_passage(reply) == read_passage(reply).strip()
