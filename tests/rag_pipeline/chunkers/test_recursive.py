"""The recursive chunker: where it cuts, and that it cuts where LangChain's does."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_pipeline.chunkers.base import chunkers
from rag_pipeline.errors import ConfigError
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from rag_pipeline.types import SourceDoc
from tests.rag_pipeline.chunkers.minilm import minilm_offsets

BOOK = (Path(__file__).resolve().parents[2] / "data" / "time_machine_excerpt.txt").read_text(encoding="utf-8")
SEPARATORS = ["\n\n", "\n", ".", "?", "!", " ", ""]


def chunks_of(text, *, offsets=None, **options):
    unit = chunkers.get("recursive")
    spans = unit(unit.Options(**options), token_offsets=offsets).split(SourceDoc(1, "doc", text))
    return [text[span.start : span.end] for span in spans]


def test_paragraphs_stay_whole_while_they_fit():
    text = "One two.\n\nThree four.\n\nFive six seven eight nine ten."
    assert chunks_of(text, chunk_size=24, chunk_overlap=0) == [
        "One two.\n\nThree four.",
        "Five six seven eight",
        "nine ten.",
    ]


def test_overlap_is_made_of_whole_pieces_up_to_what_was_asked():
    text = "aa bb cc dd ee ff gg"  # pieces: "aa", " bb", " cc" …
    assert chunks_of(text, chunk_size=11, chunk_overlap=6) == ["aa bb cc dd", "cc dd ee", "dd ee ff", "ee ff gg"]
    assert chunks_of(text, chunk_size=11, chunk_overlap=5) == ["aa bb cc dd", "dd ee ff", "ff gg"]


def test_a_full_stop_alone_is_no_chunk_where_the_one_before_has_room():
    assert chunks_of("one two three four.", chunk_size=10, chunk_overlap=0) == ["one two", "three", "four."]
    assert chunks_of("one two threefour.", chunk_size=10, chunk_overlap=0) == ["one two", "threefour."]
    assert chunks_of("abcdefghij.", chunk_size=10, chunk_overlap=0) == ["abcdefghij", "."]


def test_what_has_no_separator_is_cut_by_size():
    assert chunks_of("abcdefghijklmnopqrstuvwxyz", chunk_size=10, chunk_overlap=2) == [
        "abcdefghij",
        "ijklmnopqr",
        "qrstuvwxyz",
    ]


def test_a_sentence_ends_only_where_one_ends_and_keeps_its_mark():
    text = "It has benches, e.g. for Mr. Hale, of 0.10 sq. ft. each. Are they full? No! With luck, two are free."
    assert chunks_of(text, chunk_size=60, chunk_overlap=0) == [
        "It has benches, e.g. for Mr. Hale, of 0.10 sq. ft. each.",
        "Are they full? No! With luck, two are free.",
    ]
    assert chunks_of(text, chunk_size=30, chunk_overlap=0)[-2:] == ["Are they full? No!", "With luck, two are free."]


def test_published_names_the_list_that_cuts_at_every_full_stop():
    text = "It has benches, e.g. for Mr. Hale, of 0.10 sq. ft. each."
    options = {"chunk_size": 25, "chunk_overlap": 0}
    assert chunks_of(text, separators="published", **options) == chunks_of(text, separators=SEPARATORS, **options)
    assert chunks_of(text, separators="published", **options) != chunks_of(text, **options)


def test_separators_are_taken_as_json_and_in_their_order():
    options = {"chunk_size": 10, "chunk_overlap": 0}
    assert chunks_of("one; two; three; four", separators='["; ", ""]', **options) == ["one; two", "; three", "; four"]
    # Without the empty separator nothing grows beyond the size either.
    assert chunks_of("abcdefghijklmno", separators=["; "], **options) == ["abcdefghij", "klmno"]


@pytest.mark.parametrize("wrong", ["", "[]", "\\n", '"."', "[1]", '["", "."]', "{}"])
def test_wrong_separators_are_refused_beside_their_field(wrong):
    with pytest.raises(ConfigError, match="Separators") as refused:
        PipelineSpec.create({"separators": wrong})
    assert refused.value.field == "separators"


@pytest.mark.parametrize(("size", "overlap"), [(1000, 150), (500, 0), (500, 250), (200, 30), (80, 20)])
def test_characters_are_cut_where_langchain_cuts(size, overlap):
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    theirs = RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=overlap, separators=SEPARATORS)
    assert chunks_of(BOOK, chunk_size=size, chunk_overlap=overlap, separators="published") == theirs.split_text(BOOK)


@pytest.mark.parametrize(("size", "overlap"), [(250, 125), (250, 0), (100, 15)])
def test_tokens_are_cut_where_langchain_cuts(size, overlap):
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    theirs = RecursiveCharacterTextSplitter(
        chunk_size=size,
        chunk_overlap=overlap,
        separators=SEPARATORS,
        length_function=lambda text: len(minilm_offsets(text)),
    )
    options = {"chunk_size": size, "chunk_overlap": overlap, "chunk_unit": "tokens", "separators": "published"}
    ours = chunks_of(BOOK, offsets=minilm_offsets, **options)
    assert ours == theirs.split_text(BOOK)
