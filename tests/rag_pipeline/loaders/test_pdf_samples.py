"""PDF to Markdown on real files: a court opinion of 24 pages, and a handbook page in two columns."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pypdfium2
import pytest

from rag_pipeline.loaders.lookup import read_document
from rag_pipeline.types import SourceDoc

DATA = Path(__file__).resolve().parents[2] / "data"


def pages_of(parsed):
    """Return the text of each page as the offsets tell it."""
    return [parsed.text[start:end] for start, end in pairwise([*parsed.page_starts, len(parsed.text)])]


@pytest.fixture(scope="module")
def opinion():
    return read_document("cruz.pdf", (DATA / "scotus_cruz_v_arizona.pdf").read_bytes())


@pytest.fixture(scope="module")
def handbook_page():
    return read_document("faa.pdf", (DATA / "faa_amt_handbook_page.pdf").read_bytes())


def test_no_running_head_page_number_or_watermark_of_the_opinion_remains(opinion):
    for gone in ("Page Proof Pending", "Cite as:", "OCTOBER TERM", "Opinion of the Court\n", "Barrett, J., dissenting"):
        assert gone not in opinion.text
    assert opinion.text.count("CRUZ v. ARIZONA") == 1
    assert not re.search(r"^\d+$", opinion.text, re.MULTILINE)


def test_headings_of_the_opinion(opinion):
    headings = re.findall(r"^#+ .*$", opinion.text, re.MULTILINE)
    assert {"# OFFICIAL REPORTS", "# THE SUPREME COURT", "### CRUZ v. ARIZONA"} <= set(headings)
    parts = [heading.split(" ", 1) for heading in headings[headings.index("### CRUZ v. ARIZONA") + 1 :]]
    assert [title for _, title in parts] == ["I", "A", "B", "C", "II", "III", "Reporter’s Note"]
    level = {title: len(marks) for marks, title in parts}
    assert level["I"] == level["II"] < level["A"] == level["B"]


def test_sentences_of_the_opinion_go_on_over_page_breaks(opinion):
    for page, sentence in (
        (2, "failed to satisfy Arizona Rule of Criminal Procedure 32.1(g) because Lynch did not result in"),
        (3, "The fact that Lynch was a summary reversal did not justify the Arizona Supreme Court in treating Lynch"),
        (5, "holding that Lynch was not a significant change in the law for purposes of Rule 32.1(g) is an adequate"),
        (22, "that Arizona has made a similar choice. And we have cautioned before that"),
    ):
        start = opinion.text.index(sentence)
        assert SourceDoc(1, "a", opinion.text, opinion.page_starts).page_at(start) == page
        assert opinion.page_starts[page] in range(start, start + len(sentence))


def test_lost_ligatures_of_the_opinion_are_found_by_their_width_even_where_a_word_remained(opinion):
    text = opinion.text
    assert "became final, this Court" in text
    assert "firmly established" in text
    assert "reflects an attitude" in text
    assert "the official United States Reports" in text
    assert "argued or filed briefs" in text
    assert "reaffirm[ed] that Simmons" in text
    lost = r"\b(?:fnal|signifcant|frmly|fled|offcial|refect\w*|confict\w*|satisfed|rectifes|reaffrm)\b"
    assert not re.search(lost, text)
    assert "\ue0f1" not in text


def test_words_of_the_opinion_parted_at_line_ends(opinion):
    for word in (
        "Arizona Supreme Court held",
        "a state-court judgment rests",
        "generates this catch-22",
        "reformulations",
    ):
        assert word in opinion.text
    assert not re.search(r"\w- \w", opinion.text)


def test_a_footnote_of_the_opinion_is_kept_and_parts_no_sentence(opinion):
    note = opinion.text.index("² The Court also does not need to reach Cruz's additional arguments")
    assert "an independent state ground" not in opinion.text[note - 200 : note]
    assert "so did not “impos[e] a new or changed interpretation of state or federal law.”" in opinion.text
    assert "is independent of federal law.²" in opinion.text


def test_two_columns_are_read_one_after_the_other_with_figures_out_of_the_way(handbook_page):
    text = handbook_page.text
    assert "Plates must be attached to the structure in a positive manner" in text
    # From the foot of the left column to the head of the right one, past a figure.
    assert "The wing type that is the most common ranges in size for No. 6 up to 1⁄4 inch" in text
    marks = [
        "pulleys, provided",
        "# Boots Self-Locking Nut\n\nThe Boots",
        "Figure 7-26. Self-locking nuts.",
        "# Stainless Steel Self-Locking Nut\n\nThe",
        "# Elastic Stop Nut\n\nThe elastic",
        "Figure 7-27. Stainless steel self-locking nut.",
    ]
    places = [text.index(mark) for mark in marks]
    assert places == sorted(places)
    assert "\nKeyway\n" in text
    assert "7-45" not in text


@pytest.mark.parametrize("name", ["opinion", "handbook_page"])
def test_the_text_of_each_page_is_where_it_says(name, request):
    parsed = request.getfixturevalue(name)
    path = {"opinion": "scotus_cruz_v_arizona.pdf", "handbook_page": "faa_amt_handbook_page.pdf"}[name]
    assert list(parsed.page_starts) == sorted(parsed.page_starts)
    document = pypdfium2.PdfDocument((DATA / path).read_bytes())
    for number, text in enumerate(pages_of(parsed)):
        printed = document[number].get_textpage().get_text_range().replace("\ufffe", "").lower()
        told = re.findall(r"[a-z]{4,}", text.lower())
        there = sum(word in printed for word in told)
        # Mended words and words over a page break are not on the page as printed.
        assert there > 0.9 * len(told), number + 1


def test_nothing_of_the_text_is_lost_but_heads_and_feet(opinion):
    document = pypdfium2.PdfDocument((DATA / "scotus_cruz_v_arizona.pdf").read_bytes())
    printed = "".join(document[number].get_textpage().get_text_range() for number in range(24))
    printed = re.sub("\ufffe(?:\r\n)?", "", printed)
    lost = Counter(re.findall(r"\w{3,}", printed)) - Counter(re.findall(r"\w{3,}", opinion.text))
    heads = {"Page", "Proof", "Pending", "Publication", "Cite", "CRUZ", "ARIZONA", "Opinion", "Court", "Barrett"}
    heads |= {"the", "dissenting", "Syllabus"}
    others = {word: times for word, times in lost.items() if word not in heads and "f" not in word}
    assert sum(others.values()) < 0.01 * len(printed.split())
