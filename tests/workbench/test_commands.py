"""Every command as a user runs it: a process of its own, a data folder of its own, no server.

What a wrong call says needs no process: those run in this one.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from evaluation.models import Run, TestSet
from tests.commands import ROOT, call_command_line, command_environment, run_command
from tests.factories import make_corpus, make_testset
from tests.finished import CORPUS, SAMPLE, TEXT, load_rows, said

OUTPUT_HEADER = (
    "question_id,pair_id,kind,transformation,error,question,reference_answer,document,start,end,context,split,"
    "reference_answers,spans,metadata"
)
EVAL_HEADER = (
    "question_id,pair_id,kind,transformation,error,question,reference_answer,answer,refused,contexts,contexts_id,"
    "context_spans,recall,robustness,brevity,knowledge_bounding,context_matching,failure_point,latency_s,ttft_s,"
    "prompt_tokens,completion_tokens,cost_usd,error_message,metadata"
)
HEADLINE = ("recall", "robustness", "brevity", "knowledge_bounding", "context_matching", "total")


def rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV."""
    return list(csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8"), newline="")))


def succeeded(result: subprocess.CompletedProcess[str]) -> str:
    """Return standard output of a command that did its work quietly."""
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    return result.stdout


def failed(result: subprocess.CompletedProcess[str], status: int = 1) -> str:
    """Return the one or two plain lines of a command that failed as expected."""
    assert result.returncode == status, result.stdout + result.stderr
    assert "Traceback" not in result.stderr
    if status == 1:
        assert 1 <= len(result.stderr.strip().splitlines()) <= 2, result.stderr
    return result.stderr


@pytest.fixture
def city(transactional_db) -> None:
    """Store a corpus called city with a test set called first."""
    make_testset(make_corpus("city"), "first")


def test_ingest_takes_a_folder_and_the_same_file_once(manage, tmp_path):
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "a.txt").write_text("Bees live in hives.", encoding="utf-8")
    (folder / "b.md").write_text("# Wasps\n\nWasps live in nests.", encoding="utf-8")
    (folder / "same.txt").write_text("Bees live in hives.", encoding="utf-8")
    text = succeeded(manage("ingest", str(folder), "--corpus", "insects"))
    assert "2 added" in text
    assert "1 already there" in text


def test_ingest_keeps_the_good_files_and_names_the_bad_one(manage, tmp_path):
    (tmp_path / "good.txt").write_text("Bees live in hives.", encoding="utf-8")
    (tmp_path / "empty.txt").write_bytes(b"")
    result = manage("ingest", str(tmp_path / "empty.txt"), str(tmp_path / "good.txt"), "--corpus", "insects")
    assert "empty.txt" in failed(result)
    assert "1 added" in result.stdout


def test_the_main_job_is_done_by_commands_alone(finished):
    assert f"Corpus “{CORPUS}”: 1 added." in succeeded(said(finished, "ingest"))
    assert "4 pairs, 2 out of scope" in succeeded(said(finished, "generate_testset"))
    scores = succeeded(said(finished, "evaluate"))
    for name in HEADLINE:
        assert f"\n{name} " in scores


def test_generate_testset_writes_output_csv(finished):
    (stored,) = (finished / "testsets").glob("*/output.csv")
    assert stored.read_bytes() == (finished / "out.csv").read_bytes()
    assert stored.read_text(encoding="utf-8").splitlines()[0] == OUTPUT_HEADER
    text = (finished / TEXT).read_text(encoding="utf-8")
    table = rows(stored)
    assert [row["kind"] for row in table].count("simple") == 4
    for row in table:
        if row["kind"] == "out_of_scope":
            assert row["context"] == ""
        else:
            assert text[int(row["start"]) : int(row["end"])] == row["context"]


def test_evaluate_writes_eval_csv_and_a_summary(finished):
    (stored,) = (finished / "runs").glob("*/eval.csv")
    assert stored.read_bytes() == (finished / "run.csv").read_bytes()
    assert stored.read_text(encoding="utf-8").splitlines()[0].startswith(EVAL_HEADER)
    table = rows(stored)
    assert len(table) == 10
    simple = [float(row["recall"]) for row in table if row["kind"] == "simple"]
    summary = json.loads((finished / "run.json").read_text(encoding="utf-8"))
    assert set(HEADLINE) <= set(summary["metrics"])
    assert summary["pipeline"]["chunk_size"] == 600
    recall = summary["metrics"]["recall"]
    assert recall["n"] == len(simple) == 4
    assert recall["mean"] == pytest.approx(sum(simple) / 4)
    assert 0 <= recall["ci_low"] <= recall["mean"] <= recall["ci_high"] <= 1


def test_import_testset_takes_back_what_was_written(finished, manage, data_dir):
    make_corpus("city", {TEXT: (finished / TEXT).read_text(encoding="utf-8")})
    csv_file = finished / "out.csv"
    succeeded(manage("import_testset", str(csv_file), "--corpus", "city", "--name", "again"))
    (written,) = (data_dir / "testsets").glob("*/output.csv")
    assert written.read_bytes() == csv_file.read_bytes()


def test_import_testset_refuses_what_does_not_fit(city, tmp_path):
    file = tmp_path / "wrong.csv"
    file.write_text("question,references,corpus_id\nWhy?,not json,warsaw\n", encoding="utf-8")
    message = failed(call_command_line("import_testset", str(file), "--corpus", "city", "--name", "wrong"))
    assert "row" in message.lower()


def test_ask_answers_with_its_contexts(finished, manage, data_dir):
    load_rows(finished, data_dir)
    result = manage("ask", "On which river does Warsaw stand?", "--corpus", CORPUS, "--json")
    answer = json.loads(succeeded(result))
    assert "Vistula" in answer["answer"]
    text = (finished / TEXT).read_text(encoding="utf-8")
    for context in answer["contexts"]:
        assert text[context["span"]["start"] : context["span"]["end"]] == context["text"]


def test_search_ranks_chunks(manage):
    make_corpus("city", {TEXT: SAMPLE.read_text(encoding="utf-8")[:6000]})
    result = manage("search", "Vistula river", "--corpus", "city", "--set", "top_k=3")
    lines = [line for line in succeeded(result).splitlines() if line[:2] in ("1.", "2.", "3.")]
    scores = [float(line.split()[1]) for line in lines]
    assert len(scores) == 3
    assert scores == sorted(scores, reverse=True)


def demonstrated(result: subprocess.CompletedProcess[str], data: Path) -> int:
    """Hold what the demo printed to what it promises; return how many questions it asked."""
    lines = succeeded(result).strip().splitlines()
    output, evaluation = Path(lines[-2]), Path(lines[-1])
    assert output.is_relative_to(data)
    assert evaluation.is_relative_to(data)
    assert output.read_text(encoding="utf-8").startswith(OUTPUT_HEADER)
    assert evaluation.read_text(encoding="utf-8").startswith(EVAL_HEADER)
    for name in HEADLINE:
        assert any(line.startswith(f"{name} ") for line in lines)
    assert len(rows(output)) == len(rows(evaluation))
    return len(rows(output))


@pytest.mark.slow
def test_demo_asks_seventy_five_questions_of_the_sample(data_dir):
    assert demonstrated(run_command("demo", str(SAMPLE), data=data_dir), data_dir) == 75


def test_demo_ends_with_the_paths_of_both_files_and_says_when_it_made_fewer_questions(manage, data_dir, tmp_path):
    short = tmp_path / "short.txt"
    short.write_text(
        "The Harwell lighthouse was built in 1891 by Ada Brandt. It stands on the island of Fenwick.\n\n"
        "The lighthouse is 31 metres tall. Its lamp was replaced in 1974 by an electric one.\n",
        encoding="utf-8",
    )
    result = manage("demo", str(short))
    assert "of 30 pairs were made" in succeeded(result)
    assert 0 < demonstrated(result, data_dir) < 75


@pytest.mark.parametrize(
    "arguments",
    [
        ("evaluate", "--corpus", "nowhere", "--testset", "first"),
        ("evaluate", "--corpus", "city", "--testset", "nothing"),
        ("generate_testset", "--corpus", "nowhere", "--name", "x"),
        ("generate_testset", "--corpus", "city", "--name", "first"),
        ("ask", "Why?", "--corpus", "nowhere"),
        ("search", "Why?", "--corpus", "nowhere"),
        ("ingest", "no-such-file.txt", "--corpus", "city"),
        ("demo", "no-such-file.txt"),
        ("import_testset", "no-such-file.csv", "--corpus", "city", "--name", "x"),
    ],
    ids=" ".join,
)
def test_what_is_not_there_is_said_plainly(city, arguments):
    failed(call_command_line(*arguments))


@pytest.mark.parametrize(
    "arguments",
    [
        ("evaluate", "--corpus", "city"),
        ("evaluate", "--corpus", "city", "--testset", "first", "--set", "chunk_size"),
        ("evaluate", "--corpus", "city", "--testset", "first", "--set", "chunk_size=100", "--set", "chunk_overlap=100"),
        ("evaluate", "--corpus", "city", "--testset", "first", "--set", "prompt=no placeholders"),
        ("evaluate", "--corpus", "city", "--testset", "first", "--set", "chunk_sise=100"),
        ("ask", "Why?", "--corpus", "city", "--set", "top_k=0"),
        ("search", "Why?", "--corpus", "city", "--set", "use_context=maybe"),
        ("generate_testset", "--corpus", "city", "--name", "x", "--pairs", "some"),
        ("generate_testset", "--corpus", "city", "--name", "x", "--pairs", "0"),
        ("generate_testset", "--corpus", "city", "--name", "x", "--llm", "gpt"),
        ("evaluate", "--corpus", "city", "--testset", "first", "--eval-embedding", "minilm"),
        ("evaluate", "--corpus", "city", "--testset", "first", "--set", "llm=builtin:other"),
        ("evaluate", "--corpus", "city", "--testset", "first", "--limit", "9" * 30),
        ("search", " ", "--corpus", "city"),
        ("ingest", str(SAMPLE), "--corpus", ""),
        ("generate_testset", "--corpus", "city", "--name", " "),
        ("import_testset", str(SAMPLE), "--corpus", "city", "--name", "x" * 121),
        ("evaluate", "--corpus", "city", "--testset", "first", "--set", "llm=nobody:model"),
        ("evaluate", "--corpus", "city", "--testset", "first", "--eval-embedding", "local:"),
        ("evaluate", "--corpus", "city", "--testset", "first", "--agreement", "answer_correctness"),
        ("score", "answers.jsonl", "--metrics", "f2", "--out", "scored.jsonl"),
        ("serve", "--port", "http"),
        ("serve", "--port", "65536"),
    ],
    ids=" ".join,
)
def test_wrong_usage_is_exit_2(city, arguments):
    assert failed(call_command_line(*arguments), status=2).strip()


@pytest.mark.parametrize(
    "arguments",
    [
        ("generate_testset", "--corpus", "city", "--name", "x", "--csv"),
        ("evaluate", "--corpus", "city", "--testset", "first", "--csv"),
        ("evaluate", "--corpus", "city", "--testset", "first", "--json"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("place", ["", "nowhere/file"])
def test_a_place_that_cannot_be_written_is_told_before_the_work(city, tmp_path, arguments, place):
    assert "cannot be written" in failed(call_command_line(*arguments, str(tmp_path / place)))
    assert TestSet.objects.count() == 1
    assert not Run.objects.exists()


def test_a_missing_key_is_said_with_the_mend(city):
    result = call_command_line("ask", "Why?", "--corpus", "city", "--set", "llm=openai:gpt-4.1-mini")
    assert "OPENAI_API_KEY" in failed(result)


def test_a_bar_is_drawn_on_a_terminal(finished, data_dir):
    shutil.copytree(finished, data_dir, dirs_exist_ok=True)
    controller, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "manage.py"), "ingest", str(SAMPLE), "--corpus", "city"],
        env=command_environment(data_dir) | {"TERM": "xterm"},
        stdout=subprocess.DEVNULL,
        stderr=terminal,
    )
    os.close(terminal)
    drawn = b""
    with contextlib.suppress(OSError):  # how Linux ends a terminal that nobody writes to any more
        while piece := os.read(controller, 10_000):
            drawn += piece
    os.close(controller)
    assert process.wait(300) == 0
    assert b"Reading documents" in drawn


def test_help_ends_with_an_example():
    text = succeeded(call_command_line("evaluate", "--help"))
    assert text.rstrip().splitlines()[-1].strip().startswith("manage.py evaluate")
