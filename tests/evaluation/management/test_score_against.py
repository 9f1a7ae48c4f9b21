"""`manage.py score --against`: which of two systems answers better."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from evaluation.exchange.against import with_other_answers
from evaluation.exchange.reading import read_answers
from tests.fake_openai import FakeOpenAI

Row = dict[str, Any]


def rows_of(rows: list[Row]) -> bytes:
    return "\n".join(json.dumps(row) for row in rows).encode()


def joined(rows: list[Row], others: list[Row]) -> list[str | None]:
    answered, other = (read_answers(("a.jsonl", rows_of(each))) for each in (rows, others))
    return [sample.other_answer for _, sample in with_other_answers(answered, other)]


def asked(answer: str | None, question: str = "Q?", **more: str) -> Row:
    return {"question": question, "answer": answer, "reference_answers": ["Porthmere Lund"], **more}


def test_rows_are_joined_by_id_else_by_the_words_of_the_question() -> None:
    rows = [asked("1", question_id="a"), asked("2", "Who  is it?"), asked("3", "Only here?")]
    others = [asked("two", "Who is it?"), asked("one", "Worded otherwise?", question_id="a")]
    assert joined(rows, others) == ["one", "two", None]


def test_each_row_of_the_other_file_is_taken_once_in_order() -> None:
    rows = [asked("1"), asked("2"), asked("3")]
    assert joined(rows, [asked("x", question_id="a"), asked("y")]) == ["x", "y", None]
    assert joined([asked("1", question_id="a"), asked("2")], [asked("x", question_id="a")]) == ["x", None]


def test_a_counterpart_without_an_answer_is_none() -> None:
    assert joined([asked("1")], [asked(None)]) == [None]


@pytest.mark.django_db
def test_the_share_of_wins_is_the_mean_and_the_judges_bias_is_told(tmp_path: Path, fake_openai: FakeOpenAI) -> None:
    here = [asked("Porthmere and Lund"), asked("Cairo", "R?"), asked("Lund", "S?"), asked("Lund", "T?")]
    there = [asked("Porthmere"), asked("Porthmere", "R?"), asked("Porthmere", "S?")]
    for name, rows in (("here.jsonl", here), ("there.jsonl", there)):
        (tmp_path / name).write_bytes(rows_of(rows))
    screen, out, summary = io.StringIO(), tmp_path / "out.jsonl", tmp_path / "summary.json"
    call_command(
        "score", str(tmp_path / "here.jsonl"), metrics="judge_preference", judge="openai:judge-1",
        against=tmp_path / "there.jsonl", out=out, summary=summary, stdout=screen,
    )  # fmt: skip
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [line["scores"]["judge_preference"] for line in lines] == [1.0, 0.0, 0.5, None]
    assert lines[3]["notes"]["judge_preference"] == "there is no other answer to compare with"
    found = json.loads(summary.read_text())["metrics"]["judge_preference"]
    assert (found["mean"], found["n"], found["n_null"]) == (0.5, 3, 1)
    assert (
        "disagree on 1 of 3 pairs (the answer shown first was taken both times on 1, the second on 0)"
        in screen.getvalue()
    )
    assert len(fake_openai.asked_for("PreferredAnswer")) == 6


@pytest.mark.django_db
def test_files_with_no_question_in_common_are_refused(tmp_path: Path) -> None:
    for name, question in (("here.jsonl", "Q?"), ("there.jsonl", "R?")):
        (tmp_path / name).write_bytes(rows_of([asked("1", question)]))
    with pytest.raises(CommandError, match="No row has a counterpart"):
        call_command(
            "score", str(tmp_path / "here.jsonl"), against=tmp_path / "there.jsonl", out=tmp_path / "out.jsonl"
        )
    assert not (tmp_path / "out.jsonl").exists()
