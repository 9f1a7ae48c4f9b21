"""Only sentences that bear on the question stay, as exact spans with what frames them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_pipeline.consolidators.extract import ExtractConsolidator
from rag_pipeline.consolidators.pieces import pieces_of
from rag_pipeline.types import Context, Span
from tests.factories import ROSETTA
from tests.fake_embedder import embed_words
from tests.minilm import minilm
from tests.real_passages import asked, contexts, paragraphs

HANDBOOK = """# Handbook

## Fees

The trustee may not charge a fee before the plan is confirmed. Fees are paid from the payments of debtors.

## Percentages

| Year | Region | Percentage fee |
|------|--------|---------------:|
| 2019 | North | 6.2. Provisional |
| 2020 | North | 7.4 |
| 2021 | South | 9.9 |

## Storage

Files are kept for five years. Paper copies may be destroyed after a scan.

```
backup --to tape
backup --verify
```
"""


@pytest.fixture(scope="module")
def extract() -> ExtractConsolidator:
    return ExtractConsolidator(embed=minilm().embed_passages)


def kept(extract: ExtractConsolidator, question: str, text: str) -> list[str]:
    (hits,) = extract.consolidate_many([question], [contexts((text,))])
    return [text[hit.span.start : hit.span.end] for hit in hits]


def test_keeps_the_answering_sentences_and_drops_most_of_the_rest(extract):
    # Each question with its paragraph and three others, as retrieval leaves them.
    rows, questions = [], asked()[::3]
    for question in questions:
        others = [text for place, text in enumerate(paragraphs()) if place != question.paragraph][:3]
        rows.append(contexts((paragraphs()[question.paragraph], *others)))
    results = extract.consolidate_many([question.text for question in questions], rows)
    told, before, after = 0, 0, 0
    for question, row, hits in zip(questions, rows, results, strict=True):
        text = " ".join(row[hit.span.document_id - 1].text[hit.span.start : hit.span.end] for hit in hits)
        told += any(answer in text for answer in question.answers)
        before += sum(len(context.text) for context in row)
        after += len(text)
    assert told >= 0.9 * len(questions)
    assert after <= 0.5 * before


def test_sentences_that_stand_together_are_one_span(extract):
    pieces = kept(extract, "When and where was the Rosetta Stone found?", ROSETTA)
    assert (
        "The stone was found in July 1799 by French soldiers near the town of Rashid in the Nile Delta." in pieces[-1]
    )
    assert not any("top and middle texts" in piece for piece in pieces)


def test_a_row_keeps_the_header_of_its_table_and_the_heading_right_above(extract):
    pieces = kept(extract, "What was the percentage fee in the South region in 2021?", HANDBOOK)
    text = "\n".join(pieces)
    assert "| 2021 | South | 9.9 |" in text
    assert "| Year | Region | Percentage fee |\n|------|--------|---------------:|" in text
    assert "## Percentages" in text
    assert "# Handbook" not in text  # what follows it is dropped
    assert "Paper copies" not in text
    assert "## Storage" not in text


def test_headings_header_rows_and_rules_are_no_answer_by_themselves():
    pieces = pieces_of(contexts((HANDBOOK,)))
    assert [piece.text for piece in pieces if piece.is_frame] == [
        "# Handbook",
        "## Fees",
        "## Percentages",
        "| Year | Region | Percentage fee |",
        "|------|--------|---------------:|",
        "## Storage",
    ]
    row = next(piece for piece in pieces if "2019" in piece.text)
    assert row.text == "| 2019 | North | 6.2. Provisional |"
    assert [pieces[head].text for head in row.heads] == [
        "# Handbook",
        "## Percentages",
        "| Year | Region | Percentage fee |",
        "|------|--------|---------------:|",
    ]
    assert pieces[-1].text == "```\nbackup --to tape\nbackup --verify\n```"


def test_what_overlapping_contexts_repeat_comes_once(extract):
    half = len(ROSETTA) // 2
    row = [
        Context(Span(7, 0, half + 200), "r.txt", ROSETTA[: half + 200], 0.9, 1),
        Context(Span(7, half, len(ROSETTA)), "r.txt", ROSETTA[half:], 0.8, 2),
    ]
    (hits,) = extract.consolidate_many(["Who found the Rosetta Stone, and when?"], [row])
    covered = [place for hit in hits for place in range(hit.span.start, hit.span.end)]
    assert len(covered) == len(set(covered))


def test_nothing_retrieved_stays_nothing_and_what_cannot_be_judged_stays_whole(extract):
    blank, heading = contexts((" \n ",)), contexts(("# Title only",))
    results = extract.consolidate_many(["Who?", "Who?", "Who?"], [[], blank, heading])
    assert results[0] == []
    assert [hit.span for hit in results[1]] == [blank[0].span]
    assert [hit.span for hit in results[2]] == [heading[0].span]
    assert extract.consolidate_many([], []) == []


@settings(max_examples=40)
@given(
    st.lists(st.sampled_from([*HANDBOOK.splitlines(keepends=True), *ROSETTA.split(". "), "\n\n", " "]), max_size=25),
    st.lists(st.tuples(st.integers(0, 900), st.integers(1, 400)), min_size=1, max_size=4),
    st.text(alphabet="who what stone fee 2021?# ", max_size=30),
)
def test_spans_are_exact_pieces_of_their_contexts_and_never_none(lines, cuts, question):
    text = "".join(lines)
    row = [
        Context(Span(3, start, start + size), "d.md", text[start : start + size], 1 / rank, rank)
        for rank, (start, size) in enumerate(cuts, 1)
        if start + size <= len(text)
    ]
    (hits,) = ExtractConsolidator(embed=embed_words).consolidate_many([question], [row])
    assert bool(hits) == bool(row)
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    for hit in hits:
        assert any(each.span.start <= hit.span.start < hit.span.end <= each.span.end for each in row)
