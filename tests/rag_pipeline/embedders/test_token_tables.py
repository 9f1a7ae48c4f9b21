"""Tokens of a text are taken once, whatever size its chunks have."""

from __future__ import annotations

import numpy as np

from rag_pipeline.embedders import token_tables
from rag_pipeline.embedders.local import LocalEmbedder
from rag_pipeline.embedders.token_tables import token_tables as tables_of
from rag_pipeline.pipeline.chunking import chunk_documents
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from rag_pipeline.types import SourceDoc
from tests.factories import ROSETTA

LONG = ROSETTA * 20


class Counting:
    """A tokenizer that notes the lengths of what it is given."""

    def __init__(self, inner) -> None:
        self.inner = inner
        self.seen: list[int] = []

    def encode(self, text, **options):
        self.seen.append(len(text))
        return self.inner.encode(text, **options)


def counting(model: LocalEmbedder) -> Counting:
    tokenizer = Counting(model._tokenizer)
    model.__dict__["_tables"] = tables_of(tokenizer)
    return tokenizer


def test_a_document_is_tokenised_once_for_all_sizes():
    model = LocalEmbedder("all-MiniLM-L6-v2")
    tokenizer = counting(model)
    for size in (50, 100, 200, 400):
        spec = PipelineSpec.create({"chunk_unit": "tokens", "chunk_size": size})
        assert len(chunk_documents([SourceDoc(1, "long", LONG)], spec, model)) > 3
    assert tokenizer.seen.count(len(LONG)) == 1


def test_the_kept_tokens_are_those_of_the_text():
    model = LocalEmbedder("all-MiniLM-L6-v2")
    encoding = model._tokenizer.encode(LONG, add_special_tokens=False)
    for _ in range(2):
        table = model._tables.of(LONG)
        np.testing.assert_array_equal(table.ids, encoding.ids)
        np.testing.assert_array_equal(table.offsets, encoding.offsets)
    assert model.token_offsets("").shape == (0, 2)


def test_the_texts_used_longest_ago_make_room(monkeypatch):
    model = LocalEmbedder("all-MiniLM-L6-v2")
    monkeypatch.setattr(token_tables, "_KEPT_TOKENS", int(2.5 * model.token_count(LONG)))
    tokenizer = counting(model)
    texts = [f"{letter} {LONG}" for letter in "abc"]
    for text in (texts[0], texts[1], texts[0], texts[2], texts[0], texts[1]):
        model.token_offsets(text)
    assert tokenizer.seen == [len(texts[0])] * 4  # a, b, c, and b again
