"""Answers of other systems from files: three formats that mean the same; what does not fit is said with its place."""

from __future__ import annotations

import csv
import io
import json

import pytest

from evaluation.exchange.rag_tasks import json_line
from evaluation.exchange.reading import read_answers
from evaluation.scoring.answered import group_keys
from rag_pipeline.errors import ConfigError

TASKS = [
    {
        "question": "Where does the Nile end?", "question_id": "n1", "metadata_field": {"topic": "rivers"},
        "answer": "In the Mediterranean; =sea", "contexts": ["It ends in the sea.", "Cairo"],
        "contexts_id": ["nile", "cairo"], "reference_answers": ["the Mediterranean Sea"],
        "reference_contexts": ["It ends in the sea."], "reference_context_ids": ["nile"], "is_answerable_label": True,
    },
    {"question": "كم طوله؟", "question_id": "n2", "answer": "", "is_answerable_label": False},
]  # fmt: skip


def as_csv(delimiter: str = ",") -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=delimiter)
    columns = list(TASKS[0])
    writer.writerow(columns)
    for task in TASKS:
        cells = [task.get(column, "") for column in columns]
        writer.writerow([json.dumps(each) if isinstance(each, list | dict | bool) else each for each in cells])
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.jsonl", "\n\n".join(json.dumps(task) for task in TASKS)),
        ("a.json", json.dumps(TASKS, indent=1)),
        ("a.csv", as_csv()),
        ("a.csv", f"\ufeff{as_csv(';')}"),
    ],
)
def test_each_format_gives_the_same_objects_and_samples(name, text):
    answered = read_answers((name, text.encode()))
    assert [task for task, _ in answered] == TASKS
    first, second = (sample for _, sample in answered)
    assert first.trace.answer == "In the Mediterranean; =sea"
    assert [context.text for context in first.trace.contexts] == TASKS[0]["contexts"]
    assert first.metadata == {"topic": "rivers"}
    assert (first.kind, second.kind) == ("simple", "out_of_scope")
    assert "contexts" in second.missing
    assert "answer" not in second.missing


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.jsonl", b'{"answer": "a"}\n\n{"answer": NaN}', "Line 3: it is not JSON (NaN is no JSON value)"),
        ("a.jsonl", b'{"answer": "a"}\n[1]', "Line 2: it is not a JSON object."),
        ("a.jsonl", b'{"answer": "a"}\n{"contexts": ["a", 1]}', "Line 2: contexts is not a list of texts."),
        ("a.jsonl", b'{"answer": ' + b"[" * 100_000, "Line 1: it is not JSON (it is nested too deep)"),
        ("a.json", b'[{"answer": "a"}, 7]', "Object 2: it is not a JSON object."),
        ("a.json", b"[1,", "“a.json” is not JSON"),
        ("a.json", b"[]", "“a.json” holds no answers."),
        (
            "a.jsonl",
            b'{"text": "b"}',
            "No object of “a.jsonl” has a field of the format: question, question_id, answer",
        ),
        ("a.csv", b"question,answer,contexts\nq,a,[oops\n", "Row 2: contexts is not JSON"),
        ("a.csv", b"question,answer\nq,a,b\n", "Row 2: it has 3 cells, the header has 2."),
        ("a.csv", b"question,answer,is_answerable_label\nq,a,maybe\n", "Row 2: is_answerable_label is neither"),
        ("a.csv", b"name,text\nq,a\n", "“a.csv” is in no known format. Known are: JSONL"),
        ("a.csv", b"question,answer\n", "holds no answers"),
        ("a.bin", b"\xff\xfe\x00", "“a.bin” is not UTF-8 text (byte 0). Save it as UTF-8."),
        ("a.txt", b" \n ", "“a.txt” is empty."),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(name, content, words):
    with pytest.raises(ConfigError) as refused:
        read_answers((name, content))
    assert words in str(refused.value)
    assert str(refused.value).endswith("Nothing was scored.")


def test_half_a_surrogate_pair_is_scored_as_a_replacement_and_comes_back_as_it_was():
    line = '{"answer": "a \\ud83d", "contexts": ["\\ud800"]}'
    ((task, sample),) = read_answers(("a.jsonl", line.encode()))
    assert sample.trace.answer == "a \ufffd"
    assert json.loads(json_line(task).encode()) == json.loads(line)


def test_rows_are_grouped_by_what_tells_a_few_kinds_apart():
    def metadata(*fields: object) -> list[str]:
        lines = "\n".join(json.dumps({"answer": "a", "metadata_field": field}) for field in fields)
        return group_keys([sample.metadata for _, sample in read_answers(("a.jsonl", lines.encode()))])

    assert metadata("law", "law", "tax") == ["metadata_field"]
    assert metadata("law", "law") == []
    assert metadata(*(f"id{number}" for number in range(31))) == []
    assert metadata({"topic": "law", "year": 1}, {"topic": "tax", "year": 1}) == ["topic"]
    assert metadata({"tags": ["a"]}, {"tags": ["b"]}) == []
