"""The sentence chunker: whole sentences, packed."""

from __future__ import annotations

from pathlib import Path

from rag_pipeline.chunkers.base import chunkers
from rag_pipeline.english.sentences import split_sentences
from rag_pipeline.types import SourceDoc

BOOK = (Path(__file__).resolve().parents[2] / "data" / "time_machine_excerpt.txt").read_text(encoding="utf-8")


def chunks_of(text, **options):
    unit = chunkers.get("sentence")
    spans = unit(unit.Options(**options)).split(SourceDoc(1, "doc", text))
    return [text[span.start : span.end] for span in spans]


def test_sentences_are_packed_up_to_the_size():
    text = "Dr. Smith came. He saw it at 3.15 p.m. and left.\n\nNobody knew why."
    # 15 characters, then 32 after a space, then 16 after a blank line.
    assert chunks_of(text, chunk_size=48, chunk_overlap=0) == [
        "Dr. Smith came. He saw it at 3.15 p.m. and left.",
        "Nobody knew why.",
    ]
    assert chunks_of(text, chunk_size=47, chunk_overlap=0)[0] == "Dr. Smith came."


def test_overlap_is_as_many_whole_sentences_as_it_holds():
    text = "Aaa aa. Bbb bb. Ccc cc. Ddd dd. Eee ee."  # 7 characters each
    assert chunks_of(text, chunk_size=23, chunk_overlap=15) == [
        "Aaa aa. Bbb bb. Ccc cc.",
        "Bbb bb. Ccc cc. Ddd dd.",
        "Ccc cc. Ddd dd. Eee ee.",
    ]
    assert chunks_of(text, chunk_size=23, chunk_overlap=14) == ["Aaa aa. Bbb bb. Ccc cc.", "Ccc cc. Ddd dd. Eee ee."]
    assert chunks_of(text, chunk_size=23, chunk_overlap=6) == ["Aaa aa. Bbb bb. Ccc cc.", "Ddd dd. Eee ee."]


def test_a_sentence_longer_than_the_size_is_cut_between_words():
    text = "Short one. This sentence is far too long to fit. End."
    assert chunks_of(text, chunk_size=20, chunk_overlap=0) == [
        "Short one. This",
        "sentence is far too",
        "long to fit. End.",
    ]
    assert chunks_of("Word " + "x" * 25 + " word.", chunk_size=10, chunk_overlap=0) == [
        "Word", "x" * 10, "x" * 10, "x" * 5, "word."
    ]  # fmt: skip


def test_headings_and_items_are_not_run_into_sentences():
    text = "# Steam engines\nThe first was Savery's. “It works!” he said.\n- one\n- two"
    assert chunks_of(text, chunk_size=24, chunk_overlap=0) == [
        "# Steam engines", "The first was Savery's.", "“It works!” he said.", "- one\n- two"
    ]  # fmt: skip


def test_chunks_of_a_book_begin_and_end_with_a_sentence():
    sentences = split_sentences(BOOK)
    starts, ends = {each.start for each in sentences}, {each.end for each in sentences}
    longest = max(each.end - each.start for each in sentences)
    unit = chunkers.get("sentence")
    spans = unit(unit.Options(chunk_size=longest, chunk_overlap="20%")).split(SourceDoc(1, "doc", BOOK))
    assert len(spans) > 20
    assert all(span.start in starts and span.end in ends for span in spans)
