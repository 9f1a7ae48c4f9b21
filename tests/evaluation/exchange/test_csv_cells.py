"""Cells survive the way into a CSV file and back, and no spreadsheet runs them."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.exchange.csv_cells import cell, from_csv, neutralise, restore, to_csv


@pytest.mark.parametrize(
    "text, safe",
    [
        ("=1+1", "'=1+1"),
        ("+49 30 1234", "'+49 30 1234"),
        ("-5 degrees", "'-5 degrees"),
        ("@home", "'@home"),
        ("\tindented", "'\tindented"),
        ("\rreturned", "'\rreturned"),
        ("'=quoted", "''=quoted"),
        ("'tis the season", "'tis the season"),
        ("a = b", "a = b"),
        ("", ""),
    ],
)
def test_formulas_are_neutralised_and_restored(text, safe):
    assert neutralise(text) == safe
    assert restore(safe) == text


def test_numbers_are_no_formulas():
    assert [cell(value) for value in (-0.5, -3, True, None, 2 / 3)] == ["-0.5", "-3", "true", "", "0.6666666666666666"]


@given(st.text(alphabet=st.one_of(st.sampled_from("'=+-@\t\r\n,\"; a"), st.characters(exclude_categories=["Cs"]))))
def test_any_text_survives_and_is_safe(text):
    data = to_csv(["text"], [[text]])
    rows = from_csv(data.decode())
    (found,) = rows[1] or [""]  # a row of one empty cell is a blank line
    assert found[:1] not in tuple("=+-@\t\r")
    assert restore(found) == text


def test_long_cells_can_be_read():
    assert from_csv(to_csv(["text"], [["word " * 100_000]]).decode())[1] == ["word " * 100_000]


def test_half_a_surrogate_pair_does_not_stop_the_file():
    assert to_csv(["text"], [["bad \ud83d end"]]) == b"text\r\nbad ? end\r\n"


@given(st.lists(st.lists(st.text(alphabet='ab",;\r\n \t=é'), min_size=2, max_size=3), max_size=4))
def test_files_are_those_of_the_csv_module(rows):
    buffer = io.StringIO(newline="")
    csv.writer(buffer).writerows([["x", "y"], *([cell(each) for each in row] for row in rows)])
    assert to_csv(["x", "y"], rows) == buffer.getvalue().encode()
