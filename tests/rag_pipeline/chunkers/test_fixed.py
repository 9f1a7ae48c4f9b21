"""The fixed chunker: a window of constant size."""

from __future__ import annotations

import re

from rag_pipeline.chunkers.base import chunkers
from rag_pipeline.types import SourceDoc
from tests.rag_pipeline.chunkers.minilm import minilm_offsets


def spans_of(text, *, offsets=None, **options):
    unit = chunkers.get("fixed")
    spans = unit(unit.Options(**options), token_offsets=offsets).split(SourceDoc(1, "doc", text))
    return [(span.start, span.end) for span in spans]


def chunks_of(text, **options):
    return [text[start:end] for start, end in spans_of(text, **options)]


def test_a_chunk_begins_every_size_less_overlap_characters():
    assert spans_of("x" * 45, chunk_size=20, chunk_overlap=5) == [(0, 20), (15, 35), (30, 45)]
    assert spans_of("x" * 40, chunk_size=20, chunk_overlap="0%") == [(0, 20), (20, 40)]
    assert spans_of("x" * 7, chunk_size=20, chunk_overlap=5) == [(0, 7)]
    assert spans_of("", chunk_size=20, chunk_overlap=5) == []


def test_white_space_at_the_ends_is_not_part_of_a_chunk():
    assert chunks_of("  aaaa bbbb         cccc ", chunk_size=10, chunk_overlap=0) == ["aaaa bbb", "b", "cccc"]


def test_no_character_is_cut_in_two():
    family = "👩\u200d👩\u200d👧"  # one sign on screen, five code points
    assert chunks_of(f"12345678{family}9", chunk_size=10, chunk_overlap=0) == ["12345678", f"{family}9"]
    assert chunks_of("123456789e\u0301x", chunk_size=10, chunk_overlap=0) == ["123456789", "e\u0301x"]


def test_a_chunk_begins_every_size_less_overlap_tokens():
    text = " ".join(f"w{number}" for number in range(30))
    words = [match.span() for match in re.finditer(r"\S+", text)]
    spans = spans_of(text, chunk_size=12, chunk_overlap=2, chunk_unit="tokens", offsets=lambda part: words)
    assert spans == [(words[0][0], words[11][1]), (words[10][0], words[21][1]), (words[20][0], words[29][1])]


def test_words_are_cut_between_their_pieces_and_no_chunk_has_more_pieces_by_itself():
    text = "The internationalisation of misunderstandings. " * 40
    pieces = minilm_offsets(text)
    spans = spans_of(text, chunk_size=20, chunk_overlap=0, chunk_unit="tokens", offsets=minilm_offsets)
    assert spans[0] == (0, pieces[19][1])
    assert all(len(minilm_offsets(text[start:end])) in (18, 19, 20) for start, end in spans[:-1])
    assert "".join(text[start:end] for start, end in spans).replace(" ", "") == text.replace(" ", "")


def test_a_word_longer_than_a_chunk_is_cut_all_the_same():
    text = "ab1cd2ef3gh4" * 8  # below the length at which word pieces give up on a word
    chunks = chunks_of(text, chunk_size=10, chunk_overlap=0, chunk_unit="tokens", offsets=minilm_offsets)
    assert "".join(chunks) == text
    assert len(chunks) > 3
    assert all(len(minilm_offsets(chunk)) <= 10 for chunk in chunks)
