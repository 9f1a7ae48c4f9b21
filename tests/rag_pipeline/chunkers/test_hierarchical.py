"""The hierarchical chunker: children that are searched, parents that the model gets."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_pipeline.chunkers.base import chunkers
from rag_pipeline.errors import ConfigError
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from rag_pipeline.types import SourceDoc

BOOK = (Path(__file__).resolve().parents[2] / "data" / "time_machine_excerpt.txt").read_text(encoding="utf-8")


def families(text, **options):
    unit = chunkers.get("hierarchical")
    chunks = unit(unit.Options(**options)).chunks(SourceDoc(1, "doc", text))
    return [(text[c.span.start : c.span.end], text[c.parent.start : c.parent.end]) for c in chunks]


def test_children_are_cut_inside_their_parents():
    text = "One two three.\n\nFour five six.\n\nSeven eight nine.\n\nTen eleven twelve."
    first, second = "One two three.\n\nFour five six.", "Seven eight nine.\n\nTen eleven twelve."
    assert families(text, chunk_size=20, chunk_overlap=0, parent_size=40) == [
        ("One two three.", first),
        ("Four five six.", first),
        ("Seven eight nine.", second),
        ("Ten eleven twelve.", second),
    ]


def test_where_parents_overlap_a_child_belongs_to_the_first_that_holds_it_whole():
    text = "aa bb cc dd ee ff gg hh ii jj kk ll"
    found = families(text, chunk_size=11, chunk_overlap=0, parent_size=21, parent_overlap=6)
    assert [parent for _, parent in found] == [
        *["aa bb cc dd ee ff gg"] * 2, *["ff gg hh ii jj kk ll"] * 2
    ]  # fmt: skip
    assert [child for child, _ in found] == ["aa bb cc dd", "ee ff gg", "ff gg hh ii", "jj kk ll"]


def test_the_parents_of_a_book_are_the_chunks_of_the_recursive_chunker_at_their_size():
    document = SourceDoc(1, "book", BOOK)
    children = chunkers.get("hierarchical")
    parents = {c.parent for c in children(children.Options(chunk_size=300, parent_size=2000)).chunks(document)}
    recursive = chunkers.get("recursive")
    assert sorted(parents) == recursive(recursive.Options(chunk_size=2000, chunk_overlap=0)).split(document)


@pytest.mark.parametrize(
    ("chosen", "field", "words"),
    [
        ({"chunk_size": 3000}, "parent_size", "Raise the parent size or lower the chunk size"),
        ({"parent_size": 500}, "parent_size", "must be larger than the chunk size (1000)"),
        ({"parent_overlap": 3000}, "parent_overlap", "smaller than the parent size (3000)"),
        ({"parent_overlap": "-1"}, "parent_overlap", "Parent overlap cannot be negative"),
    ],
)
def test_sizes_that_cannot_be_are_refused_with_the_mend(chosen, field, words):
    with pytest.raises(ConfigError) as caught:
        PipelineSpec.create({"chunker": "hierarchical"} | chosen)
    assert caught.value.field == field
    assert words in str(caught.value)
