"""Tables come back from every kind of file as they were, and no spreadsheet runs a cell."""

from __future__ import annotations

import io
import json
import math

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import Workbook, load_workbook

from evaluation.exchange.csv_cells import from_csv
from evaluation.exchange.table_files import frame_of, rows_of, table_file, table_files, table_of
from evaluation.exchange.uploads import Upload
from rag_pipeline.errors import ConfigError

HEADER = ["run", "score", "n", "refused", "prompt", "=odd"]
ROWS = [
    (1, 0.25, 3, True, "Short", "=1+1"),
    (2, None, None, False, None, "'=1"),
    (3, -0.5, 10**12, None, "a\nb", "-5 °C"),
]


@pytest.mark.parametrize("ending", [".xlsx", ".parquet"])
def test_a_table_comes_back_as_it_was(ending):
    frame = table_of(table_file(ending).write(frame_of(HEADER, ROWS)))
    assert frame is not None
    assert list(frame.columns) == HEADER
    assert rows_of(frame) == ROWS


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(st.one_of(st.none(), st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1))),
        min_size=1,
        max_size=4,
    )
)
@pytest.mark.parametrize("ending", [".xlsx", ".parquet"])
def test_any_text_survives(ending, rows):
    frame = table_of(table_file(ending).write(frame_of(["id", "text"], [(1, *row) for row in rows])))
    assert frame is not None
    assert rows_of(frame) == [(1, *row) for row in rows]


def test_no_cell_of_excel_is_a_formula_and_numbers_are_numbers():
    sheet = load_workbook(io.BytesIO(table_file(".xlsx").write(frame_of(HEADER, ROWS)))).active
    cells = [[each.value for each in row] for row in sheet.iter_rows()]
    assert cells[1] == [1, 0.25, 3, True, "Short", "'=1+1"]
    assert {each.data_type for row in sheet.iter_rows() for each in row} <= {"s", "n", "b", "inlineStr"}


def test_csv_neutralises_and_jsonl_keeps_lists():
    frame = frame_of(["text", "list"], [("@home", ["a", "b"]), (None, [])])
    assert from_csv(table_file(".csv").write(frame).decode())[1:] == [["'@home", '["a", "b"]'], ["", "[]"]]
    lines = table_file("jsonl").write(frame).decode().splitlines()
    assert [json.loads(line) for line in lines] == [{"text": "@home", "list": ["a", "b"]}, {"text": None, "list": []}]


def test_parquet_keeps_lists_and_takes_columns_of_several_types():
    rows = [(["a", "b"], {"topic": 1}, 400, "\ud800"), ([], {"other": "x"}, "15%", None)]
    frame = table_of(table_file(".parquet").write(frame_of(["list", "object", "mixed", "half"], rows)))
    assert frame is not None
    assert rows_of(frame) == [(["a", "b"], '{"topic": 1}', "400", "\ufffd"), ([], '{"other": "x"}', "15%", None)]


def test_what_pandas_calls_missing_is_empty():
    frame = pd.DataFrame({"x": [1.5, math.nan], "when": [pd.Timestamp("2024-01-02"), pd.NaT]})
    assert rows_of(frame)[1] == (None, None)
    assert from_csv(table_file(".csv").write(frame).decode())[2] == ["", ""]


def test_a_text_too_long_for_excel_says_that_it_is_cut():
    frame = table_of(table_file(".xlsx").write(frame_of(["text"], [("word " * 10_000,)])))
    assert frame is not None
    (text,) = rows_of(frame)[0]
    assert len(text) == 32_767
    assert text.endswith("(cut: Excel holds 32,767 characters a cell)")


@pytest.mark.parametrize("unit", list(table_files), ids=lambda unit: unit.key)
def test_a_table_without_rows_is_a_file(unit):
    data = unit().write(frame_of(["a", "b"], []))
    if unit.magic:
        assert list(unit().read(data).columns) == ["a", "b"]


def test_another_ending_is_refused_with_those_there_are():
    with pytest.raises(ConfigError, match=r"“\.ods”\. Choose \.csv, \.jsonl, \.parquet, or \.xlsx"):
        table_file(".ods")


def test_an_upload_of_a_spreadsheet_has_its_columns_and_rows():
    book = Workbook()
    for row in (["question", "count"], ["What is 1; 2; 3?", 3], [None, None], ["=A1&B1", 4.5]):
        book.active.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    upload = Upload(("q.xlsx", buffer.getvalue()))
    assert upload.columns == {"question", "count"}
    # What another program left as a formula has no value until that program computes it.
    assert [cells for _, cells in upload.rows] == [
        {"question": "What is 1; 2; 3?", "count": "3"}, {"question": "", "count": "4.5"},
    ]  # fmt: skip


@pytest.mark.parametrize("data", [b"PK\x03\x04 no zip at all", b"PAR1 cut off"])
def test_a_damaged_spreadsheet_is_refused(data):
    with pytest.raises(ConfigError, match=r"“q\.bin” cannot be read as a table \(.+\)\. Nothing was imported\."):
        _ = Upload(("q.bin", data)).text
