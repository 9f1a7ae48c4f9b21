"""What every chunker keeps, on text made to break offsets. A new chunker is tested here without being named."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_pipeline.chunkers.base import chunkers
from rag_pipeline.types import SourceDoc
from tests.fake_embedder import embed_words
from tests.rag_pipeline.chunkers.minilm import minilm_offsets

KEYS = chunkers.keys()

# Repeats, runs of white space, wide, combining and right-to-left characters, words longer than any chunk.
FRAGMENTS = [
    "the same sentence. ", "the same sentence. ", "\n\n", "\n", " ", "\t  ", "\r\n", ".", "?!", "a", "word ",
    "x" * 70, "é", "e\u0301\u0302", "한국어 문장", "漢字仮名交じり文。", "👩‍👩‍👧‍👦",
    "🇩🇪", "\u00a0", "\u2003", "ﬁne", "שלום ", "\ufeff",
    "internationalisation", "https://example.org/a/b?c=d&e=f", "\x00", "\x1c", "3.14159 ", "don't ",
    "# Head\n", "\n## Deeper\n", " = Wiki = \n", "Under\n-----\n", "\n- item\n", "  1. one\n", "| a | b |\n",
    "|---|---|\n", "\n```\n", "~~~~ python\n", "    indented\n",
]  # fmt: skip
texts = st.one_of(
    st.lists(st.sampled_from(FRAGMENTS), max_size=80).map("".join),
    st.text(max_size=300),
    st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=3).map(lambda parts: "".join(parts) * 30),
)
sizes = st.integers(10, 60).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, size - 1)))


def triples(text: str) -> list[tuple[int, int]]:
    """Tokens of three characters wherever they fall, white space included: nothing like words."""
    return [(start, min(start + 3, len(text))) for start in range(0, len(text), 3)]


def words(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in re.finditer(r"\S+", text)]


def chunks_of(key, text, size, overlap, unit="characters", offsets=None):
    chunker = chunkers.get(key)
    values = {"chunk_size": size, "chunk_overlap": overlap, "chunk_unit": unit, "parent_size": 3 * size}
    known = {name: value for name, value in values.items() if name in chunker.Options.model_fields}
    made = chunker(chunker.Options(**known), token_offsets=offsets, embed=embed_words)
    document = SourceDoc(7, "doc", text)
    chunks = made.chunks(document)
    assert made.split(document) == [chunk.span for chunk in chunks]
    return chunks


def assert_sound(text, chunks):
    spans = [chunk.span for chunk in chunks]
    covered = [False] * len(text)
    for span in spans:
        chunk = text[span.start : span.end]
        assert span.document_id == 7
        assert chunk
        assert chunk == chunk.strip()
        covered[span.start : span.end] = [True] * len(chunk)
    assert all(covered[place] or text[place].isspace() for place in range(len(text)))
    for before, after in pairwise(spans):
        assert before.start < after.start
        assert before.end < after.end
    for each in chunks:
        assert each.heading == " ".join(each.heading.split())
        parent = each.parent or each.span
        assert parent.document_id == 7
        assert 0 <= parent.start <= each.span.start < each.span.end <= parent.end <= len(text)


@pytest.mark.parametrize("key", KEYS)
@given(text=texts, size=sizes)
def test_character_chunks_are_exact_complete_and_within_size(key, text, size):
    chunks = chunks_of(key, text, *size)
    assert_sound(text, chunks)
    assert all(len(chunk.span) <= size[0] for chunk in chunks)


@pytest.mark.parametrize("key", KEYS)
@settings(max_examples=50)
@given(text=texts, size=sizes)
def test_word_piece_chunks_are_within_size_when_tokenised_by_themselves(key, text, size):
    chunks = chunks_of(key, text, *size, "tokens", minilm_offsets)
    assert_sound(text, chunks)
    for chunk in chunks:
        assert len(minilm_offsets(text[chunk.span.start : chunk.span.end])) <= size[0]


@pytest.mark.parametrize("offsets", [triples, words])
@pytest.mark.parametrize("key", KEYS)
@settings(max_examples=40)
@given(text=texts, size=sizes)
def test_any_tokenizer_gives_exact_and_complete_chunks(key, offsets, text, size):
    assert_sound(text, chunks_of(key, text, *size, "tokens", offsets))
