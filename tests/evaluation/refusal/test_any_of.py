"""Many patterns as one: the same texts are found as by each of them alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.refusal import languages
from evaluation.refusal.any_of import any_of
from evaluation.refusal.detection import shipped_lines, shipped_pattern, shipped_patterns

REPLIES = (Path(__file__).resolve().parents[2] / "data" / "replies.tsv").read_text(encoding="utf-8").lower().split("\n")
LISTS = ("patterns", "fillers", "afterthoughts", "contrasts", "courtesy", "stock")


def holds_bar(pattern):
    """Tell whether a | stands outside all brackets."""
    outside = re.sub(r"\\.|\[(?:\\.|[^\]\\])+\]", "x", pattern)
    while "(" in outside:
        outside = re.sub(r"\([^()]*\)", "x", outside)
    return "|" in outside


def wordings():
    """Return the patterns of each language, of sentences that decline and of fillers."""
    return [each for code in languages.languages() for each in languages.patterns(code)]


def test_no_shipped_pattern_has_a_bar_outside_brackets():
    shipped = [*wordings(), *map(shipped_lines, LISTS)]
    assert [line for lines in shipped for line in lines if holds_bar(line)] == []
    assert holds_bar(r"\bno\b|never")


@pytest.mark.parametrize("lines", wordings(), ids=lambda lines: lines[0][:12])
def test_one_pattern_finds_what_each_of_a_language_finds(lines):
    one = re.compile(any_of(lines))
    for reply in REPLIES:
        assert bool(one.search(reply)) is any(re.search(line, reply) for line in lines), reply


@pytest.mark.parametrize("name", LISTS)
def test_one_pattern_finds_what_each_line_of_a_list_finds(name):
    for reply in REPLIES:
        assert bool(shipped_pattern(name).search(reply)) is any(each.search(reply) for each in shipped_patterns(name))


@given(st.text("abn .", max_size=20))
def test_what_patterns_begin_with_is_looked_for_once(text):
    lines = [r"\ba+b", r"^\W*n", r"\bn(?:a|b)", "<>bb", r"b\.$"]
    one = re.compile(any_of(lines, "<>").replace("<>", "a?"))
    assert bool(one.search(text)) is any(re.search(line.replace("<>", "a?"), text) for line in lines)
