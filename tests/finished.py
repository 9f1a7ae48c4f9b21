"""One finished data folder for all tests: ingested, asked about and evaluated, by commands alone, once a session.

As a program, `python -m tests.finished FOLDER`, it makes the folder.
"""

from __future__ import annotations

import fcntl
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.commands import ROOT, call_command_line, command_environment

SAMPLE = ROOT / "workbench" / "sample" / "warsaw.txt"
TEXT = "warsaw_begins.txt"
CORPUS = "Sample: Warsaw"  # called as the sample of the first start is, which goes on from here
TESTSET = "Sample questions"
_ROWS = "rows.json"


def finished_folder(shared: Path) -> Path:
    """Return the finished folder in `shared`, where all processes of this session look; the first one to ask makes it.

    It is for reading: who changes anything takes a copy.
    """
    folder = shared / "finished"
    with _one_at_a_time(folder.with_suffix(".lock")):
        if not (folder / _ROWS).exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            made = subprocess.run(
                [sys.executable, "-m", "tests.finished", str(folder)],
                cwd=ROOT,
                env=command_environment(folder),
                capture_output=True,
                text=True,
                check=False,
            )
            assert (made.returncode, made.stdout, made.stderr) == (0, "", "")
    return folder


def said(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    """Return the exit status of a command by which the folder was made, and what it wrote."""
    return subprocess.CompletedProcess(**json.loads((folder / f"{command}.json").read_text(encoding="utf-8")))


def load_rows(folder: Path, data: Path) -> None:
    """Put the finished folder's rows into the test's database and its files into the data folder `data`."""
    from django.core.management import call_command

    shutil.copytree(folder, data, dirs_exist_ok=True)
    call_command("loaddata", folder / _ROWS, verbosity=0)


@contextmanager
def _one_at_a_time(lock: Path) -> Iterator[None]:
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _make(folder: Path) -> None:
    import django

    django.setup()
    text = folder / TEXT
    text.write_text(SAMPLE.read_text(encoding="utf-8")[:8000], encoding="utf-8")
    _run(folder, "ingest", str(text), "--corpus", CORPUS)
    _run(
        *(folder, "generate_testset", "--corpus", CORPUS, "--name", TESTSET, "--pairs", "4", "--out-of-scope", "2"),
        *("--csv", str(folder / "out.csv")),
    )
    _run(
        *(folder, "evaluate", "--corpus", CORPUS, "--testset", TESTSET, "--set", "chunk_size=600"),
        *("--name", "smaller", "--csv", str(folder / "run.csv"), "--json", str(folder / "run.json")),
    )
    call_command_line("dumpdata", "rag_pipeline", "evaluation", "workbench", "--output", str(folder / _ROWS))


def _run(folder: Path, command: str, *arguments: str) -> None:
    """Run a command and keep what it said; it fails where its test reads that."""
    result = vars(call_command_line(command, *arguments))
    (folder / f"{command}.json").write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    _make(Path(sys.argv[1]))
