"""`manage.py score` and `manage.py metrics`: answers of any other system."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from evaluation.metrics.base import metrics
from evaluation.scoring.metric_reference import metrics_page

pytestmark = pytest.mark.django_db
DOCS = Path(__file__).parents[3] / "docs"

ROWS = [
    {
        "question": "Where does the Nile end?", "question_id": "n1", "answer": "In the Mediterranean.",
        "contexts": ["The Nile ends in the Mediterranean Sea.", "Cairo is a city."], "contexts_id": ["nile", "cairo"],
        "reference_answers": ["the Mediterranean Sea"],
        "reference_contexts": ["The Nile ends in the Mediterranean Sea."],
        "reference_context_ids": ["nile"], "is_answerable_label": True,
    },
    {"question": "Who is its king?", "answer": "I am not aware of that topic", "is_answerable_label": False},
    {"question": "كم طوله؟", "answer": "طويل جدا 🐪", "reference_answers": ["طويل"], "contexts": []},
    {"question": "And then?", "answer": "", "reference_answers": ["Nothing"], "contexts": ["x"], "extra": 7},
    {"question": "Where does the Nile end?"},
]  # fmt: skip


def scored(tmp_path: Path, rows: list[dict], **options: str) -> tuple[list[dict], dict, str]:
    source, out, summary = tmp_path / "answers.jsonl", tmp_path / "scored.jsonl", tmp_path / "summary.json"
    source.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8")
    screen = io.StringIO()
    call_command("score", str(source), **{"out": out, "summary": summary, "stdout": screen, **options})
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    return lines, json.loads(summary.read_text())["metrics"], screen.getvalue()


def test_every_object_comes_back_in_order_with_numbers_or_reasons(tmp_path):
    lines, summary, screen = scored(tmp_path, ROWS)
    assert [{key: line[key] for key in row} for line, row in zip(lines, ROWS, strict=True)] == ROWS
    assert set(summary) == set(metrics.keys())
    for line in lines:
        assert set(line["scores"]) == set(metrics.keys())
        assert set(line["notes"]) == {name for name, value in line["scores"].items() if value is None}
        numbers = {metrics.get(name): value for name, value in line["scores"].items() if value is not None}
        assert all(metric.low <= value <= metric.high for metric, value in numbers.items())
        assert all(line["notes"].values())
    for name, each in summary.items():
        values = [line["scores"][name] for line in lines if line["scores"][name] is not None]
        assert (each["n"], each["n"] + each["n_null"]) == (len(values), len(ROWS))
        assert name in screen


def test_the_numbers_of_a_full_row(tmp_path):
    row = scored(tmp_path, ROWS)[0][0]["scores"]
    assert row["token_recall"] == 1 / 2
    assert row["recall"] == row["correctness_offline"]
    assert row["token_precision"] == 1 / 2  # "in" is not in the reference
    assert (row["mrr"], row["precision_at_k"], row["recall_at_k"], row["hit_rate"]) == (1.0, 0.5, 1.0, 1.0)
    assert row["k_precision"] == row["reference_context_recall"] == 1.0
    assert row["context_matching"] is None


def test_what_a_row_lacks_is_null_and_never_0(tmp_path):
    lines = scored(tmp_path, ROWS)[0]
    assert set(lines[4]["scores"].values()) == {None}
    assert lines[4]["notes"]["token_f1"] == "the row has no answer and no reference_answers"
    assert lines[4]["notes"]["mrr"] == "the row has no contexts_id and reference_context_ids"
    assert lines[2]["notes"]["knowledge_bounding"] == "the row has no is_answerable_label"
    assert lines[2]["scores"]["k_precision"] == 0.0  # its list of contexts is there, and empty
    assert lines[1]["scores"]["knowledge_bounding"] == 1.0


def test_what_an_answer_took_may_stand_in_its_row(tmp_path):
    took = {"latency_s": 2, "ttft_s": 0.5, "prompt_tokens": 300, "completion_tokens": 4, "cost_usd": 0}
    lines, summary, _ = scored(tmp_path, [ROWS[0] | took, ROWS[0] | {"latency_s": 4}, ROWS[0]])
    assert {name: lines[0]["scores"][name] for name in took} == took
    assert lines[0]["scores"]["tpot_s"] == 0.5  # 1.5 s for three tokens
    assert lines[1]["notes"]["ttft_s"] == "the model did not stream, so the time of its first token is not known"
    assert lines[2]["notes"]["latency_s"] == "the row has no measured times, tokens or cost"
    assert (summary["latency_s"]["mean"], summary["latency_s"]["n_null"]) == (3.0, 1)


def test_only_the_metrics_asked_for(tmp_path):
    lines, summary, _ = scored(tmp_path, ROWS, metrics="token_f1, mrr")
    assert list(summary) == ["token_f1", "mrr"]
    assert set(lines[0]["scores"]) == {"token_f1", "mrr"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ('{"question": "a"}\n{oops', "Line 2: it is not JSON"),
        ('{"question": "a", "contexts": "b"}', "Line 1: contexts is not a list of texts. Nothing was scored."),
        ('{"answer": 7}', "answer is not a text"),
        ('{"is_answerable_label": "yes"}', "neither true nor false"),
        ('{"latency_s": -1}', "latency_s is not a number of at least 0"),
        ('{"prompt_tokens": 2.5}', "prompt_tokens is not a whole number of at least 0"),
        ('{"cost_usd": "free"}', "cost_usd is not a number of at least 0"),
        ('{"ttft_s": NaN}', "NaN is no JSON value"),
        ('{"note": 1e999}', "1e999 is too large a number"),
    ],
)
def test_a_file_that_does_not_fit_is_refused_and_nothing_written(tmp_path, text, words):
    source, out = tmp_path / "answers.jsonl", tmp_path / "scored.jsonl"
    source.write_text(text)
    with pytest.raises(CommandError, match=words):
        call_command("score", str(source), out=out)
    assert not out.exists()


def test_what_has_no_score_is_told_once_for_each_reason(tmp_path):
    screen = scored(tmp_path, ROWS, metrics="token_f1,span_iou,faithfulness,span_precision")[2]
    assert [line.partition("  ")[0] for line in screen.splitlines()[:1]] == ["token_f1"]
    assert "no score: span_iou, span_precision: the row has no evidence spans" in screen
    assert "no score: faithfulness: no judge is chosen" in screen


@pytest.mark.parametrize("option", ["out", "summary"])
def test_a_place_that_cannot_be_written_is_told_before_anything_is_scored(tmp_path, option):
    with pytest.raises(CommandError, match="there is no folder"):
        scored(tmp_path, ROWS, **{option: tmp_path / "nowhere" / "file"})


def test_an_unknown_metric_is_named_with_those_there_are(tmp_path):
    with pytest.raises(CommandError, match=r"no metric called “f2”\. Choose one of: .*brevity"):
        scored(tmp_path, ROWS, metrics="f2")


def test_the_list_says_everything_of_each_metric():
    screen = io.StringIO()
    call_command("metrics", json=True, stdout=screen)
    found = json.loads(screen.getvalue())
    assert {each["name"] for each in found} == set(metrics.keys())
    assert {each["name"]: each["range"] for each in found}["latency_s"] == [0.0, None]
    limit = {each["name"]: each["options"] for each in found}["max_words"][0]
    assert limit == {"name": "limit", "default": 100, "help": "The most words an answer may have."}
    assert all(each["formula"] and each["source"] and each["group"] and each["help"] for each in found)


def test_the_page_of_the_docs_is_that_of_the_metrics():
    assert (DOCS / "metrics.md").read_text(encoding="utf-8") == metrics_page(), "manage.py metrics --markdown"
