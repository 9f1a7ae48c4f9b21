"""CSV, JSON and JSON lines: every record a block of `field: value` lines."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_pipeline.errors import DocumentError
from rag_pipeline.loaders.lookup import read_document

PRICES = "part;name;price\nA-17;Stop nut, elastic;0,45 €\nB-2;Castle nut;1,20 €\n"


def read(name, text):
    return read_document(name, text if isinstance(text, bytes) else text.encode())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_each_row_is_a_block_of_column_and_value_in_every_encoding(encoding):
    expected = "part: A-17\nname: Stop nut, elastic\nprice: 0,45 €\n\npart: B-2\nname: Castle nut\nprice: 1,20 €"
    assert read("a.csv", PRICES.encode(encoding)).text == expected


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_found_out(separator):
    text = f'id{separator}text\n1{separator}"one{separator} two"\n2{separator}three\n'
    assert read("a.csv", text).text == f"id: 1\ntext: one{separator} two\n\nid: 2\ntext: three"


def test_the_separator_that_a_spreadsheet_names_is_taken():
    parsed = read("a.csv", "sep=;\nname;size\nx,y;1\nz\n")
    assert parsed.text == "name: x,y\nsize: 1\n\nname: z"
    assert parsed.notes == ("1 row has more or fewer than 2 cells: line 4.",)


def test_rows_of_another_length_are_kept_and_named_by_line():
    parsed = read("a.csv", 'name,size\n"a\n\nb",1\nc\nd,2,extra\n')
    assert parsed.text == "name: a\nb\nsize: 1\n\nname: c\n\nname: d\nsize: 2\ncolumn 3: extra"
    assert parsed.notes == ("2 rows have more or fewer than 2 cells: lines 5, 6.",)


def test_a_file_without_head_row_gets_numbered_columns_but_years_may_be_names():
    parsed = read("a.csv", "Ann,31\nBob,42\n")
    assert parsed.text == "column 1: Ann\ncolumn 2: 31\n\ncolumn 1: Bob\ncolumn 2: 42"
    assert parsed.notes[0].startswith("Without a head row")
    assert read("b.csv", "country,2019,2020\nPeru,1,2\n").text == "country: Peru\n2019: 1\n2020: 2"


def test_empty_and_repeated_column_names_are_told_apart():
    assert read("a.csv", "name,,name\na,b,c\n").text == "name: a\ncolumn 2: b\nname 2: c"


def test_an_open_quotation_mark_does_not_swallow_the_file():
    parsed = read("a.csv", 'name,size\n"a,1\nb,2\n')
    assert parsed.text == 'name: "a\nsize: 1\n\nname: b\nsize: 2'
    assert parsed.notes == ("Its quotation marks are not paired: they are read as part of the text.",)


def test_nested_json_gets_dotted_names_and_a_record_for_each_object():
    found = [
        {"id": 7, "who": {"name": "Ann", "tags": ["a", "b"]}, "gone": None, "on": True},
        {"id": 8, "lines": [{"sku": "x", "n": 2}, {"sku": "y"}]},
    ]
    assert read("a.json", json.dumps(found)).text == (
        "id: 7\nwho.name: Ann\nwho.tags: a, b\non: true\n\nid: 8\nlines.1.sku: x\nlines.1.n: 2\nlines.2.sku: y"
    )


def test_an_object_gives_its_own_fields_then_the_records_in_it():
    text = json.dumps({"version": "1.2", "items": [{"a": 1}, {"a": 2}], "owner": {"name": "Zoë"}})
    assert read("a.json", text).text == "version: 1.2\n\nitems.a: 1\n\nitems.a: 2\n\nowner.name: Zoë"


def test_damaged_json_names_the_line():
    with pytest.raises(DocumentError, match=r"not valid JSON: .* on line 3, column 1"):
        read("a.json", '{"a": 1,\n"b": 2,\n}')


def test_json_of_one_object_a_line_is_read_as_such():
    parsed = read("a.json", '{"a": 1}\n{"a": 2}\n')
    assert parsed.text == "a: 1\n\na: 2"
    assert parsed.notes == ("Read as JSON lines.",)


def test_a_bad_line_of_jsonl_is_named_and_the_others_are_read():
    parsed = read("a.jsonl", '{"q": "Why?", "a": "Because."}\n\n{broken\n{"q": "How?"}\n')
    assert parsed.text == "q: Why?\na: Because.\n\nq: How?"
    assert parsed.notes == ("Line 3 left out: not valid JSON.",)
    with pytest.raises(DocumentError, match=r"No line of the file can be read. 2 lines \(1, 2\) left out"):
        read("a.jsonl", "one\ntwo\n")


def test_json_beyond_reason_is_refused_in_plain_words():
    for text in ("[" * 100_000, "9" * 5_000):
        with pytest.raises(DocumentError):
            read("a.json", text)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("ab\n\r \u2028é:", max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab\n .", max_size=4), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(st.dictionaries(st.text("abc", min_size=1), VALUES, max_size=4), max_size=5))
def test_records_never_hold_a_blank_line_and_never_run_together(items):
    items = [{"id": number, **item} for number, item in enumerate(items)]
    text = read("a.json", json.dumps([*items, {"end": "here"}])).text
    blocks = text.split("\n\n")
    assert len(blocks) == len(items) + 1
    assert all(block.startswith(f"id: {number}") for number, block in enumerate(blocks[:-1]))
