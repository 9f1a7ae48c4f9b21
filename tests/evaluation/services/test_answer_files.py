"""Files of answers: kept, scored in the background, scored again, deleted; the same bytes as from the command."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from evaluation.models import AnswerFile
from evaluation.services.answer_files import (
    add_answer_file,
    delete_answer_file,
    score_file_again,
)
from evaluation.spec import EvaluationSpec
from rag_pipeline.background.tasks import request_cancel, run_inline
from rag_pipeline.errors import ConfigError, InUseError
from rag_pipeline.models import BackgroundTask
from rag_pipeline.settings.core import DEFAULT_REFUSAL
from tests import fake_embedder  # noqa: F401 - registers words:any

pytestmark = pytest.mark.django_db
SPEC = EvaluationSpec(eval_embedding="words:any")
NAMES = ["token_f1", "recall", "knowledge_bounding"]
ROWS = [
    {"question": "Where?", "answer": "in Memphis", "reference_answers": ["Memphis"], "metadata_field": "old", "x": 1},
    {"question": "When?", "answer": "196 BC", "reference_answers": ["196 BC"], "metadata_field": "new"},
    {"question": "Why?", "answer": "", "reference_answers": ["Taxes"], "metadata_field": "new"},
    {"question": "Who?", "answer": DEFAULT_REFUSAL, "is_answerable_label": False, "metadata_field": "old"},
]
DATA = "\n".join(json.dumps(row) for row in ROWS).encode()


def added(**changes: Any) -> AnswerFile:
    given = {"name": "nile.jsonl", "data": DATA, "spec": SPEC, "names": NAMES, "refusal": DEFAULT_REFUSAL} | changes
    return add_answer_file(**given, inline=True)


def scored(**changes: Any) -> AnswerFile:
    file = added(**changes)
    assert run_inline(file.task).state == BackgroundTask.State.DONE
    file.refresh_from_db()
    return file


def test_a_file_is_scored_with_the_metrics_asked_for():
    file = scored()
    lines = [json.loads(line) for line in (file.folder / "scored.jsonl").read_text().splitlines()]
    assert [{key: line[key] for key in row} for line, row in zip(lines, ROWS, strict=True)] == ROWS
    # “in Memphis” against “Memphis”: precision 1/2, recall 1, so F1 2/3; the empty answer shares nothing.
    assert [line["scores"]["token_f1"] for line in lines] == [pytest.approx(2 / 3), 1.0, 0.0, None]
    assert lines[3]["notes"]["token_f1"]
    summary = json.loads((file.folder / "summary.json").read_text())
    assert summary == file.summary
    assert list(summary["metrics"]) == NAMES
    assert set(summary["metrics"]["token_f1"]) == {"mean", "ci_low", "ci_high", "n", "n_null"}
    assert summary["metrics"]["token_f1"]["mean"] == pytest.approx(5 / 9)
    assert (summary["rows"], summary["refusals"]) == (4, {"attempt": 2, "empty": 1, "refused": 1})


def test_the_summary_is_grouped_by_the_metadata():
    groups = scored().summary["groups"]["metadata_field"]
    assert {value: each["rows"] for value, each in groups.items()} == {"new": 2, "old": 2}
    assert groups["new"]["metrics"]["token_f1"]["mean"] == 0.5
    assert groups["old"]["metrics"]["token_f1"]["mean"] == pytest.approx(2 / 3)
    assert groups["old"]["metrics"]["token_f1"]["n_null"] == 1


def test_the_details_of_each_row_are_kept():
    details = (scored().folder / "details.jsonl").read_text().splitlines()
    assert json.loads(details[3])["refusal"]["label"] == "refused"
    assert json.loads(details[0])["scores"]["recall"]["reason"]


def test_the_command_writes_the_same_bytes(tmp_path):
    spec = EvaluationSpec()
    file = scored(spec=spec)
    source, out, summary = tmp_path / "nile.jsonl", tmp_path / "scored.jsonl", tmp_path / "summary.json"
    source.write_bytes(b"\n\n" + DATA)
    call_command("score", str(source), metrics=",".join(NAMES), out=out, summary=summary)
    assert out.read_bytes() == (file.folder / "scored.jsonl").read_bytes()
    assert summary.read_bytes() == (file.folder / "summary.json").read_bytes()


def test_scoring_again_replaces_the_scores_at_its_end():
    file = scored()
    with pytest.raises(ConfigError, match="Tick at least one metric"):
        score_file_again(file=file, spec=SPEC, names=[], refusal=DEFAULT_REFUSAL)
    score_file_again(file=file, spec=SPEC, names=["brevity"], refusal="No idea.", inline=True)
    file.refresh_from_db()
    assert set(file.summary["metrics"]) == set(NAMES)  # until it has ended
    with pytest.raises(ConfigError, match="is being scored already"):
        score_file_again(file=file, spec=SPEC, names=["brevity"], refusal=DEFAULT_REFUSAL)
    run_inline(file.task)
    file.refresh_from_db()
    assert list(file.summary["metrics"]) == ["brevity"]
    assert BackgroundTask.objects.count() == 1


def test_what_does_not_fit_leaves_nothing_behind(data_dir):
    with pytest.raises(ConfigError, match="Line 2"):
        added(data=b'{"answer": "a"}\n{"answer": 1}')
    assert not AnswerFile.objects.exists()
    assert not (data_dir / "scores").exists()


def test_a_metric_with_a_judge_is_refused_without_one():
    with pytest.raises(ConfigError, match="There is no metric called “f2”"):
        added(names=["f2"])
    with pytest.raises(ConfigError, match="Set OPENAI_API_KEY"):
        added(spec=EvaluationSpec(eval_embedding="words:any", judge="openai:gpt-4.1-mini"))


def test_a_file_is_deleted_with_its_rows_but_not_while_it_is_scored():
    file = added()
    folder = file.folder
    with pytest.raises(InUseError, match="Cancel that first"):
        delete_answer_file(file=file)
    request_cancel(file.task)
    file.task.refresh_from_db()
    delete_answer_file(file=file)
    assert not folder.exists()
    assert not BackgroundTask.objects.exists()


def test_a_cancelled_scoring_leaves_the_earlier_scores():
    file = scored()
    score_file_again(file=file, spec=SPEC, names=["brevity"], refusal=DEFAULT_REFUSAL, inline=True)
    file.refresh_from_db()

    def cancel(task: BackgroundTask) -> None:
        if task.step and not task.cancel_requested:
            request_cancel(task)

    assert run_inline(file.task, cancel).state == BackgroundTask.State.CANCELLED
    assert set(AnswerFile.objects.get().summary["metrics"]) == set(NAMES)
    assert "brevity" not in (file.folder / "summary.json").read_text()


def test_a_file_is_judged_and_says_what_that_took(fake_openai):
    rows = "\n".join(json.dumps(row | {"contexts": ["It was in Memphis."]}) for row in ROWS).encode()
    spec = EvaluationSpec(eval_embedding="words:any", judge="openai:judge-1")
    file = scored(data=rows, spec=spec, names=["faithfulness", "claim_recall"])
    judge = file.summary["judge"]
    assert judge["model"] == "openai:judge-1"
    assert judge["calls"] > 0
    assert all("{" in text for text in judge["prompts"].values())
    assert file.summary["details"]["faithfulness"]["pooled"] == [1, 2]  # Memphis is in the context, 196 BC is not
    details = json.loads((file.folder / "details.jsonl").read_text().splitlines()[0])
    assert details["claims"]["answer"]


def test_what_no_database_keeps_does_not_stop_the_scoring():
    fields = ["a\x00", "b\ud83d"]
    rows = "\n".join(json.dumps({"answer": "x\x00\ud83d", "metadata_field": field}) for field in fields).encode()
    file = scored(data=rows, names=["brevity"])
    assert set(file.summary["groups"]["metadata_field"]) == {"a\ufffd", "b?"}


def test_a_judge_that_fails_takes_no_other_score_with_it(fake_openai, tmp_path):
    fake_openai.key = "another"
    rows = "\n".join(json.dumps(row | {"contexts": ["It was in Memphis."]}) for row in ROWS).encode()
    spec = EvaluationSpec(eval_embedding="words:any", judge="openai:judge-1")
    file = added(data=rows, spec=spec, names=["token_f1", "judge_score"])
    task = run_inline(file.task)
    assert task.state == BackgroundTask.State.FAILED
    assert "all other scores are there" in task.error
    assert "OPENAI_API_KEY" in task.error
    summary = AnswerFile.objects.get().summary
    assert summary["metrics"]["token_f1"]["mean"] == pytest.approx(5 / 9)
    assert summary["metrics"]["judge_score"]["n"] == 0
    source, out = tmp_path / "rows.jsonl", tmp_path / "scored.jsonl"
    source.write_bytes(rows)
    with pytest.raises(CommandError, match="all other scores are there"):
        call_command("score", str(source), metrics="token_f1,judge_score", judge="openai:judge-1", out=out)
    assert json.loads(out.read_text().splitlines()[1])["scores"] == {"token_f1": 1.0, "judge_score": None}
