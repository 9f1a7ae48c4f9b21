"""Tables and lists give questions where their structure is certain; every cell is where it is said to be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.question_writers.rules.asking import ask, passages
from evaluation.question_writers.rules.corpus import CorpusText
from evaluation.question_writers.rules.evidence import evidence_of
from evaluation.question_writers.rules.tables import rows_of
from rag_pipeline.loaders.lookup import read_document
from rag_pipeline.types import SourceDoc

FEES = """## Fees

| Chapter | Filing fee | Surcharge |
| --- | --- | --- |
| 7 | $245 | $15 |
| 13 | $235 |  |
"""
LEAVE = "Leave\n\nKind\tDays of leave\tWho decides\nSick leave\t10\tThe doctor\nStudy leave\t5\tThe director\n"
YEARS = """| (in millions) | 2023 | 2022 |
| --- | --- | --- |
| Net revenue | 5,210 | 4,876 |
| Total assets | 9,004 | 8,765 |
"""
FLAGS = """| Flag | Default | Description |
| --- | --- | --- |
| `--file` | none | Reads the names from a file |
| `--depth` | 3 | Follows links this many steps |
"""
COUNTRIES = b"Country,Capital,Founded\nFrance,Paris,1958\nJapan,Tokyo,\nBrazil,Brasilia,1822\n"


def asked(text: str) -> dict[str, tuple[str, list[str]]]:
    """Return the answer and the evidence of each question that may be asked about the tables and lists of a text."""
    corpus = CorpusText([SourceDoc(1, "text", text)])
    found = {}
    for one, reason in ask(passages(corpus.sentences[1], text), corpus.known[1], corpus.same_things[1]):
        if not reason and one.rule in {"table", "list"}:
            spans = evidence_of(one, corpus)
            found[one.text] = one.answer, [text[each.start : each.end] for each in spans]
    return found


def test_a_value_is_asked_for_by_its_row_and_column_and_the_head_is_evidence() -> None:
    found = asked(FEES)
    assert found["What is the filing fee for chapter 13?"] == (
        "$235",
        ["Chapter | Filing fee | Surcharge", "13 | $235"],
    )
    assert "What is the surcharge for chapter 7?" in found
    assert len(found) == 3  # nothing is asked of an empty place


@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        (LEAVE, "How many days of leave are there for sick leave?", "10"),
        (YEARS, "What was net revenue in 2022 (in millions)?", "4,876"),
        (YEARS, "What were total assets in 2023 (in millions)?", "9,004"),
        (FLAGS, "What does the --file flag do?", "Reads the names from a file"),
        (FLAGS, "What is the default for the --depth flag?", "3"),
        (read_document("a.csv", COUNTRIES).text, "What is the capital of Japan?", "Tokyo"),
        (read_document("a.csv", COUNTRIES).text, "When was Brazil founded?", "1822"),
    ],
)
def test_tables_are_asked_about_as_people_ask(text: str, question: str, answer: str) -> None:
    assert asked(text)[question][0] == answer


@pytest.mark.parametrize(
    "text",
    [
        "one\ttwo\nthree\tfour\n",  # no figures, no head
        "| a | b |\n| c | d |\n",  # no rule below the head
        "Name: Ann\nNote: a friend\n\nFrom: here\nTo: there\n",  # no records of a kind
        "```\n" + FEES.partition("\n\n")[2] + "```\n",  # code
    ],
)
def test_what_may_be_no_table_is_left_alone(text: str) -> None:
    assert not asked(text)


CELLS = st.lists(st.lists(st.text("ab 1$|\\é", max_size=6), min_size=2, max_size=4), min_size=3, max_size=5)


@given(CELLS, st.sampled_from(["bars", "tabs", "records"]), st.text("ab\n", max_size=8))
def test_every_cell_and_every_row_is_where_it_is_said_to_be(rows: list[list[str]], kind: str, before: str) -> None:
    width = min(map(len, rows))
    lines = [[cell.strip() for cell in row[:width]] for row in rows]
    if kind == "bars":
        said = [f"| {' | '.join(cell.replace('|', '') for cell in line)} |" for line in lines]
        text = "\n".join([said[0], "|" + " --- |" * width, *said[1:]])
    elif kind == "tabs":
        text = "\n".join("\t".join(line) for line in lines)
    else:
        text = "\n\n".join("\n".join(f"n{at}: {cell}" for at, cell in enumerate(line)) for line in lines)
    text = f"{before}\n\n{text}"
    for row in rows_of(text):
        assert all(text[cell.start : cell.end] == cell.text for cell in (*row.names, *row.cells))
        assert len(row.names) == len(row.cells) >= 2
        start, end = row.place
        assert 0 <= start < end <= len(text)
    corpus = CorpusText([SourceDoc(1, "text", text)])
    assert all(text[one.span.start : one.span.end] for one in corpus.sentences[1])
    starts = [one.span.start for one in corpus.sentences[1]]
    assert starts == sorted(starts)


HANDBOOK = """## Application

Your application must include the following documents:

1. a copy of your passport
2. proof of income, and

To report a repair, follow these steps:

- Call the office.
- Describe the problem.

There are three types of tenancy:
- fixed-term
- periodic
- statutory

The form of the list is said below:

- one
"""


def test_a_list_answers_its_lead_in_and_both_are_evidence() -> None:
    found = asked(HANDBOOK)
    answer, evidence = found["Which documents must my application include?"]
    assert answer == "a copy of your passport; proof of income"
    assert evidence == [HANDBOOK[HANDBOOK.index("Your") : HANDBOOK.index("\n\nTo report")]]
    assert found["How do I report a repair?"][0] == "Call the office; Describe the problem"
    assert found["What are the three types of tenancy?"][0] == "fixed-term; periodic; statutory"
    assert len(found) == 3


def test_a_list_with_more_than_items_is_not_asked_about() -> None:
    assert not asked("Members must bring:\n\n- shoes\n- a towel. It must be clean.\n")
    assert not asked("Members must bring:\n\n- shoes\n- " + "a very long item " * 9 + "\n")


def test_rows_below_a_heading_of_a_group_are_not_asked_about() -> None:
    rows = "| **Deposits** | |\n| Boat | $5 |\n| Car | $6 |\n"
    assert set(asked(f"| Item | Fee |\n| --- | --- |\n| Boat permit | $1 |\n| Car permit | $2 |\n{rows}")) == {
        "What is the fee for boat permit?", "What is the fee for car permit?",
    }  # fmt: skip


def test_a_row_that_says_what_to_do_is_asked_for_with_to() -> None:
    shortcuts = "| Action | Shortcut |\n| --- | --- |\n| Lock All Databases | Ctrl + L |\n| Hide Window | F1 |\n"
    assert "What is the shortcut to lock all databases?" in asked(f"# Keys\n\n{shortcuts}")
    commands = (
        "| Operation of units | Command |\n| --- | --- |\n| list all timers | `sctl -t` |\n| list price | `sctl -p` |\n"
    )
    found = asked(f"# Units\n\n{commands}")
    assert "What is the command to list all timers?" in found
    assert not any("to list price" in question for question in found)
