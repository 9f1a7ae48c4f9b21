"""Plain text in the encodings that people have."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_pipeline.errors import DocumentError
from rag_pipeline.loaders.lookup import read_document

DATA = Path(__file__).resolve().parents[2] / "data"
GERMAN = "Die Prämie beträgt 45,90 € im Jahr – fällig am 1. März. " * 20
RUSSIAN = "Страховая премия уплачивается один раз в год, до первого марта. " * 20


def text_of(data, name="a.txt"):
    return read_document(name, data).text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
def test_the_usual_encodings_are_recognised(encoding):
    assert text_of(GERMAN.encode(encoding)) == GERMAN


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_plain_english_in_utf_16_without_a_mark_is_recognised(encoding):
    assert text_of("Cover starts at once.\n".encode(encoding)) == "Cover starts at once.\n"


def test_cyrillic_without_a_mark_is_recognised():
    assert text_of(RUSSIAN.encode("cp1251")) == RUSSIAN


def test_a_short_western_text_is_read_as_windows_1252_and_says_so():
    parsed = read_document("a.txt", "Café à 3,50 €".encode("cp1252"))
    assert parsed.text == "Café à 3,50 €"
    assert parsed.notes == ("Read as Windows-1252.",)


def test_utf_16_with_its_mark_as_editors_write_it():
    parsed = read_document("a.txt", (DATA / "fake-text-utf-16.txt").read_bytes())
    assert parsed.text.startswith("This is a test document to use for unit tests.\n")
    assert "\n       - Dogs are the best\n" in parsed.text


def test_line_ends_become_line_feeds():
    assert text_of(b"one\r\ntwo\rthree\n") == "one\ntwo\nthree\n"
    book = (DATA / "time_machine_excerpt.txt").read_bytes()
    assert b"\r\n" in book
    assert text_of(book) == book.decode().replace("\r\n", "\n")


def test_one_wrong_byte_does_not_make_a_utf_8_file_another_encoding():
    parsed = read_document("a.txt", GERMAN.encode() + b"\xff" + GERMAN.encode())
    assert parsed.text == f"{GERMAN}\ufffd{GERMAN}"
    assert parsed.notes == ("1 damaged character replaced.",)


def test_long_text_is_recognised_by_its_beginning():
    korean = "보험은 계약일부터 시작됩니다. " * 10_000
    assert text_of(korean.encode("euc-kr")) == korean


def test_a_damaged_utf_8_file_with_its_mark_keeps_what_can_be_read():
    assert text_of(codecs.BOM_UTF8 + b"good \xff bad") == "good \ufffd bad"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b" \n\t\r\n", "no text"),
        (b"%PDF-1.7 rest", "a PDF"),
        (b"PK\x03\x04rest", "ZIP"),
        (b"\x89PNG\r\n\x1a\n", "an image"),
        (bytes(range(256)) * 20, "binary"),
        (b"\x00\x01\x02\x03" * 500, "binary"),
    ],
)
def test_what_is_not_text_is_refused(data, reason):
    with pytest.raises(DocumentError, match=reason):
        text_of(data)


def test_an_unknown_format_lists_the_known_ones():
    with pytest.raises(DocumentError, match=r"type \.mp3 .*\.csv, .*\.docx, .*\.html, .*\.md, .*\.pdf, .*\.txt"):
        text_of(b"ID3", "song.mp3")
    with pytest.raises(DocumentError, match="without an extension"):
        text_of(b"words", "README")


@given(
    data=st.binary(max_size=400),
    name=st.sampled_from(["a.txt", "a.md", "a.html", "a.pdf", "a.docx", "a.csv", "a.json", "a.jsonl"]),
)
def test_any_bytes_give_text_that_can_be_stored_or_a_plain_refusal(data, name):
    try:
        parsed = read_document(name, data)
    except DocumentError:
        return
    assert "\0" not in parsed.text
    parsed.text.encode()
