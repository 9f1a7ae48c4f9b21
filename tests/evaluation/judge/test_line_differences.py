"""Texts compared line by line."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evaluation.judge.line_differences import DiffLine, line_differences

LINES = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=12).map("\n".join)


def test_a_changed_line_stands_between_those_around_it() -> None:
    found = line_differences("1\n2\n3\nold\n5\n6\n7", "1\n2\n3\nnew\n5\n6\n7")
    signs = [("", "2"), ("", "3"), ("−", "old"), ("+", "new"), ("", "5"), ("", "6")]
    assert found == [DiffLine(sign, text) for sign, text in signs]  # type: ignore[arg-type]


def test_equal_lines_between_two_changes_are_left_out() -> None:
    body = "\n".join("abcdefgh")
    assert DiffLine("…", "") in line_differences(f"x\n{body}\nx", f"y\n{body}\ny")


@given(LINES, LINES)
def test_lines_taken_out_and_put_in_are_those_of_the_texts(old: str, new: str) -> None:
    found = line_differences(old, new)
    assert (found == []) == (old.splitlines() == new.splitlines())
    taken, put = ([line.text for line in found if line.sign == sign] for sign in "−+")
    assert len(old.splitlines()) - len(taken) == len(new.splitlines()) - len(put)
    assert set(taken) <= set(old.splitlines())
    assert set(put) <= set(new.splitlines())
