"""The reference's counting cuts where LangChain's splitter does when it counts two special tokens in every text."""

from __future__ import annotations

import re

import pytest

from rag_pipeline.types import SourceDoc
from tests.bench.reference_counting import reference_chunks
from tests.real_passages import paragraphs

SEPARATORS = ["\n\n", "\n", ".", "?", "!", " ", ""]


def words(text):
    return [match.span() for match in re.finditer(r"\w+|[^\w\s]", text)]


@pytest.mark.parametrize("size, overlap", [(90, 45), (150, 0), (200, 100)])
def test_the_cuts_are_those_of_the_reference(size, overlap):
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    text = "\n\n".join(paragraphs())
    table = reference_chunks([SourceDoc(1, "a", text)], size, overlap, words)
    splitter = RecursiveCharacterTextSplitter(
        separators=SEPARATORS,
        chunk_size=size,
        chunk_overlap=overlap,
        length_function=lambda piece: len(words(piece)) + 2,
    )
    assert [text[start:end] for _, start, end in table.spans.tolist()] == splitter.split_text(text)
    assert len(table) > 5
