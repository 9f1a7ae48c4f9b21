"""The Markdown chunker: headings with their paths, lists, tables and code kept whole where they fit."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_pipeline.chunkers.base import chunkers
from rag_pipeline.chunkers.markdown_blocks import markdown_blocks
from rag_pipeline.loaders.lookup import read_document
from rag_pipeline.types import SourceDoc

GUIDE = """# Guide

Read this first.

## Install

### Linux

Unpack the archive. Run the setup program as root, and answer its questions.

### Windows

Run the setup program.

## Prices

All prices are in euro.

| part | price |
|------|-------|
| wheel | 120 |
| brake | 80 |
| saddle | 45 |

```sh
# not a heading
order --part wheel
```
"""


def chunks_of(text, **options):
    unit = chunkers.get("markdown")
    chunks = unit(unit.Options(**({"chunk_overlap": 0} | options))).chunks(SourceDoc(1, "doc", text))
    return [(chunk.heading, text[chunk.span.start : chunk.span.end]) for chunk in chunks]


def kinds(text):
    return [(block.kind, text[block.start : block.end]) for block in markdown_blocks(text)]


def test_a_document_that_fits_is_one_chunk():
    assert chunks_of(GUIDE, chunk_size=1000) == [("Guide", GUIDE.strip())]


def test_sections_that_fit_stay_whole_and_small_neighbours_are_packed():
    found = chunks_of(GUIDE, chunk_size=180)
    assert [heading for heading, _ in found] == ["Guide", "Guide > Prices"]
    assert found[0][1] == GUIDE[: GUIDE.index("## Prices")].strip()
    assert chunks_of(GUIDE, chunk_size=150)[:2] == [
        ("Guide", "# Guide\n\nRead this first."),
        ("Guide > Install", GUIDE[GUIDE.index("## Install") : GUIDE.index("## Prices")].strip()),
    ]


def test_a_bare_heading_goes_with_the_section_below_it():
    found = chunks_of(GUIDE, chunk_size=110)
    assert found[1:3] == [
        (
            "Guide > Install > Linux",
            "## Install\n\n### Linux\n\nUnpack the archive. Run the setup program as root, and answer its questions.",
        ),
        ("Guide > Install > Windows", "### Windows\n\nRun the setup program."),
    ]


def test_a_table_that_does_not_fit_is_cut_between_rows():
    found = [text for _, text in chunks_of(GUIDE, chunk_size=60)]
    rows = [line for line in GUIDE.splitlines() if line.startswith("|")]
    table = [text for text in found if "|" in text]
    assert table == ["\n".join(rows[:3]), "\n".join(rows[3:])]


def test_code_that_fits_stays_whole_and_its_comments_are_no_headings():
    code = "```sh\n# not a heading\norder --part wheel\n```"
    for size in (44, 60, 80, 110):
        assert any(code in text for _, text in chunks_of(GUIDE, chunk_size=size)), size
    smaller = [text for _, text in chunks_of(GUIDE, chunk_size=25)]
    assert {"# not a heading", "order --part wheel"} <= {line for text in smaller for line in text.splitlines()}


def test_a_list_is_cut_between_its_outermost_items():
    text = "- first item\n  - inner one\n  - inner two\n\n- second item\n  still second\n- third item"
    assert [text for _, text in chunks_of(text, chunk_size=45)] == [
        "- first item\n  - inner one\n  - inner two",
        "- second item\n  still second\n- third item",
    ]


def test_overlap_does_not_reach_over_a_heading():
    text = "# A\n\n" + "One two three. " * 6 + "\n\n# B\n\n" + "Four five six. " * 6
    one, four = "One two three.", "Four five six."  # 14 characters each
    assert chunks_of(text, chunk_size=60, chunk_overlap=20) == [
        ("A", f"# A\n\n{one} {one} {one}"),
        ("A", f"{one} {one} {one} {one}"),  # the first was in the chunk before
        ("B", f"# B\n\n{four} {four} {four}"),
        ("B", f"{four} {four} {four} {four}"),
    ]


def test_headings_of_all_kinds_are_found_and_read_as_they_are_meant():
    text = (
        "Title\n=====\n\nSub title\n---------\n\n#no heading\n\n## A [link](x.html) and **bold** `code` ##\n\n"
        " = = Wiki = = \n\n### Anchored {#here}\n\n#\n\nText"
    )
    found = [(block.level, block.title) for block in markdown_blocks(text) if block.kind == "heading"]
    assert found == [(1, "Title"), (2, "Sub title"), (2, "A link and bold code"), (2, "Wiki"), (3, "Anchored"), (1, "")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A line\nand 1999. was it\n- item", [("text", "A line\nand 1999. was it"), ("list", "- item")]),
        ("a | b\n--|--\n1 | 2\n\ntext", [("table", "a | b\n--|--\n1 | 2"), ("text", "text")]),
        ("```\nnever closed\n# Head", [("text", "```\nnever closed"), ("heading", "# Head")]),
        ("~~~\n```\n~~~\n```\nx\n````", [("code", "~~~\n```\n~~~"), ("code", "```\nx\n````")]),
        ("Text\n\n    code\n\n    more\n\nText", [("text", "Text"), ("code", "code\n\n    more"), ("text", "Text")]),
        ("    indented\nprose goes on", [("text", "indented\nprose goes on")]),
        ("1. one\n\n   more of one\n2. two\n\nText", [("list", "1. one\n\n   more of one\n2. two"), ("text", "Text")]),
    ],
)
def test_blocks_are_told_apart(text, expected):
    assert kinds(text) == expected


def test_the_headings_of_a_book_read_from_html_lead_their_chunks():
    path = Path(__file__).resolve().parents[2] / "data" / "alice_excerpt.html"
    text = read_document(path.name, path.read_bytes()).text
    found = chunks_of(text, chunk_size=800)
    assert len({heading for heading, _ in found}) > 1
    chapter = [heading for heading, chunk in found if "White Rabbit with pink eyes" in chunk]
    assert chapter == ["ALICE’S ADVENTURES IN WONDERLAND > CHAPTER I. Down the Rabbit-Hole"]


def test_a_heading_without_room_before_code_that_fits_ends_the_chunk_before_it():
    code = "```\n" + "x = 1\n" * 8 + "```"  # 55 characters
    text = f"# Guide\n\nShort.\n\n## Example\n\n{code}"
    assert chunks_of(text, chunk_size=60) == [("Guide", "# Guide\n\nShort.\n\n## Example"), ("Guide > Example", code)]
