"""The behaviour that every command shares."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from rag_pipeline.errors import ConfigError, PipelineError
from rag_pipeline.management.base import WorkbenchCommand, add_set_argument, parse_set, pipeline_spec
from rag_pipeline.management.progress import ProgressBar, line
from rag_pipeline.types import Progress
from tests.commands import ROOT, command_environment, run_command


class Sample(WorkbenchCommand):
    """A command whose work is given by the test."""

    help = "Do what the test says."
    example = "manage.py sample --set chunk_size=400"
    migrates = False
    work: Any = None

    def add_arguments(self, parser: Any) -> None:
        add_set_argument(parser)

    def run(self, **options: Any) -> None:
        self.work(**options)


def run(work: Any, *arguments: str) -> int:
    """Run the command as from the command line and return its exit status."""
    command = Sample()
    command.work = work
    try:
        command.run_from_argv(["manage.py", "sample", *arguments])
    except SystemExit as left:
        return int(left.code or 0)
    return 0


def fail(error: BaseException) -> Any:
    def work(**options: Any) -> None:
        raise error

    return work


def test_a_finished_command_exits_with_0():
    assert run(lambda **options: None) == 0


def test_an_expected_failure_is_a_plain_line_and_exit_1(capsys):
    assert run(fail(PipelineError("There is no corpus called “x”."))) == 1
    assert capsys.readouterr().err == "There is no corpus called “x”.\n"


def test_an_unexpected_failure_is_not_hidden():
    with pytest.raises(ZeroDivisionError):
        run(lambda **options: 1 / 0)


def test_ctrl_c_says_stopped(capsys):
    assert run(fail(KeyboardInterrupt())) == 130
    assert capsys.readouterr().err == "Stopped.\n"


def test_ctrl_c_while_all_is_loaded_says_stopped_too(tmp_path):
    (tmp_path / "interrupted.py").write_text("raise KeyboardInterrupt")
    result = subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), "demo"],
        env=command_environment(tmp_path) | {"DJANGO_SETTINGS_MODULE": "interrupted", "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.returncode, result.stderr) == (130, "Stopped.\n")


def test_a_screen_that_lacks_a_letter_shows_its_number(data_dir):
    result = run_command("generate_testset", "--help", data=data_dir, PYTHONIOENCODING="ascii")
    assert (result.returncode, result.stderr) == (0, "")
    assert "\\u201ccustomers" in result.stdout


def test_bytes_that_are_no_text_are_wrong_usage(capsys):
    assert run(lambda **options: None, "--set", "refusal=caf\udce9") == 2
    assert "“refusal=caf?”, is not UTF-8 text" in capsys.readouterr().err


def test_called_from_python_it_raises(data_dir):
    command = Sample()
    command.work = fail(PipelineError("No."))
    with pytest.raises(CommandError, match=r"No\."):
        call_command(command)


def test_wrong_usage_is_exit_2(capsys):
    assert run(lambda **options: None, "--nonsense") == 2
    assert run(lambda **options: None, "--set", "chunk_size") == 2
    assert "name=value" in capsys.readouterr().err


def test_a_wrong_setting_is_wrong_usage(capsys):
    def work(**options: Any) -> None:
        pipeline_spec(options["set"])

    assert run(work, "--set", "top_k=0") == 2
    assert "Top k must be at least 1" in capsys.readouterr().err


def test_help_ends_with_the_example(capsys):
    assert run(lambda **options: None, "--help") == 0
    assert capsys.readouterr().out.rstrip().endswith("manage.py sample --set chunk_size=400")


def test_set_values_are_taken_as_text_and_from_files(tmp_path):
    (tmp_path / "Short answers.txt").write_text("{context} {question}\n", encoding="utf-8")
    values = parse_set(["chunk_size=400", f"prompt=@{tmp_path}/Short answers.txt", "refusal=a=b"])
    assert values == {
        "chunk_size": "400",
        "prompt": "{context} {question}",
        "prompt_name": "Short answers",
        "refusal": "a=b",
    }


def test_a_given_prompt_name_is_kept_whatever_the_order(tmp_path):
    (tmp_path / "p.txt").write_text("{context} {question}", encoding="utf-8")
    assert parse_set([f"prompt=@{tmp_path}/p.txt", "prompt_name=Mine"])["prompt_name"] == "Mine"
    assert parse_set(["prompt_name=Mine", f"prompt=@{tmp_path}/p.txt"])["prompt_name"] == "Mine"


@pytest.mark.parametrize("item", ["chunk_size", "=400", "prompt=@/does/not/exist"])
def test_a_malformed_set_is_refused(item):
    with pytest.raises(ConfigError):
        parse_set([item])


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def steps() -> Iterator[Progress]:
    yield Progress("Embedding", 1, 2)
    yield Progress("Embedding", 2, 2)


def test_the_bar_is_drawn_on_a_terminal_only():
    terminal, pipe = Terminal(), io.StringIO()
    for stream in (terminal, pipe):
        command = Sample()
        command.bar = ProgressBar(stream)
        command.progress(steps())
    assert "Embedding" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\x1b[K")
    assert pipe.getvalue() == ""


def test_a_line_shows_step_count_and_remark():
    assert line(Progress("Embedding", 1, 4, "12 MB")) == "Embedding  [######..................] 1 / 4  12 MB"
    assert line(Progress("Reading", 3, 0)) == "Reading  3"


def script(text: str, data: Path) -> subprocess.Popen[str]:
    code = f"import django; django.setup(); from rag_pipeline.management.base import *\n{text}"
    return subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=command_environment(data),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_two_commands_may_make_the_database_at_once(data_dir):
    text = "migrate_if_needed(); from rag_pipeline.models import Corpus; print(Corpus.objects.count())"
    both = [script(text, data_dir) for _ in range(2)]
    results = [process.communicate(timeout=600) for process in both]
    assert [(out, err) for out, err in results] == [("0\n", ""), ("0\n", "")]


def test_a_closed_pipe_leaves_no_traceback(data_dir):
    text = (
        "class Loud(WorkbenchCommand):\n"
        "    migrates = False\n"
        "    def run(self, **options):\n"
        "        for i in range(100000): self.out(str(i))\n"
        "Loud().run_from_argv(['manage.py', 'loud'])"
    )
    process = script(text, data_dir)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait(300) == 1
    assert not os.path.exists(data_dir / "workbench.sqlite3")
