"""Documents of several formats are cut into sentences with exact offsets."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evaluation.question_writers.rules.document_sentences import plain_text, split_document
from rag_pipeline.types import SourceDoc


def texts_of(text: str) -> list[str]:
    return [sentence.text for sentence in split_document(SourceDoc(1, "a.md", text))]


def test_lines_broken_by_a_pdf_are_one_sentence() -> None:
    assert texts_of("The petitioner asked the court to re-\nconsider its judg-\nment of 2012.\n") == [
        "The petitioner asked the court to reconsider its judgment of 2012."
    ]


def test_headings_tables_and_code_are_no_sentences() -> None:
    text = "# Title\n\nOne thing is said here.\n\n| a | b |\n|---|---|\n\n```\nx = 1. Y\n```\n\nAnother is said.\n"
    assert texts_of(text) == ["One thing is said here.", "Another is said."]


def test_abbreviations_and_initials_do_not_end_a_sentence() -> None:
    text = "Mr. J. R. Smith met Dr. Jones at 3 p.m. in St. Louis. He left the U.S. Army in 1920."
    assert len(texts_of(text)) == 2


def test_list_items_are_read_without_their_sign() -> None:
    assert texts_of("- The first item is here.\n2. The second item is there.\n") == [
        "The first item is here.",
        "The second item is there.",
    ]


def test_tokenised_text_reads_as_people_write() -> None:
    assert (
        plain_text("Run ./doc or the .EXE , type :set first ; \\*then\\* save ¶")
        == "Run ./doc or the .EXE, type :set first; *then* save"
    )
    assert plain_text("the game 's real @-@ time mode ( 1 @,@ 200 units ) , sold well .") == (
        "the game's real-time mode (1,200 units), sold well."
    )


def test_the_heading_above_and_the_article_are_known() -> None:
    first, second = split_document(SourceDoc(1, "a.md", "# One\n\n## Part\n\nIt is here.\n\n# Two\n\nIt is there.\n"))
    assert (first.title, first.heading, second.title) == ("One", "Part", "Two")


@given(st.text(alphabet="Ab1. \n\t#|-*\"'()§é", max_size=200))
def test_offsets_are_exact_on_any_text(text: str) -> None:
    doc = SourceDoc(1, "a.txt", text)
    found = split_document(doc)
    for sentence in (one for one in found if one.row is None):
        assert plain_text(text[sentence.span.start : sentence.span.end]) == sentence.text
    starts = [sentence.span.start for sentence in found]
    assert starts == sorted(set(starts))
