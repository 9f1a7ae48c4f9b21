"""Pages: with many runs stored, and while a run works"""

from __future__ import annotations

import itertools
import os
import re
import resource
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from tests.bench.limits import as_at_a_users, limits_table, row
from tests.bench.many_runs import make_many_runs
from tests.commands import ROOT

ORDER = 5
_RUNS, _QUESTIONS = 1000, 300
_REPEATS = 5
_CLIENTS = 8
_PAGES = {
    "dashboard": "dashboard/",
    "dashboard, boxes of eight runs": "dashboard/?chart=spread",
    "run": "runs/900/",
    "compare": "compare/?a=899&b=900",
    "compare five runs": "compare/?runs=896,897,898,899,900&baseline=896",
    "question": "runs/900/questions/1/",
    "workbench": "",
}
_QUEUE = """
from evaluation.models import TestSet
from evaluation.services.runs import start_run
from evaluation.spec import EvaluationSpec, RunOptions
from rag_pipeline.settings.pipeline_spec import PipelineSpec
testset = TestSet.objects.get()
spec = PipelineSpec.create({{"top_k": {top_k}}})
start_run(corpus=testset.corpus, testset=testset, spec=spec, evaluation=EvaluationSpec(), options=RunOptions())
"""
_READING_S = 1.0
"""What a person stays on a page at least."""
_ORDINARY = ("documents/", "testsets/", "chat/", "runs/2/", "metrics/")


def run(data_dir: Path) -> dict[str, Any]:
    """Measure through the website itself: what it computes for a page, all of it before the first byte."""
    with tempfile.TemporaryDirectory(prefix="workbench-bench-") as folder:
        few, many = Path(folder) / "few", Path(folder) / "many"
        make_many_runs(few, 3, 75)
        with _served(few) as (address, _):
            busy = [*_while_a_run_works(few, address, "6", _READING_S), *_while_a_run_works(few, address, "5", 0)]
        make_many_runs(many, _RUNS, _QUESTIONS)
        with _served(many) as (address, process):
            rows = [
                row(name, "ms", 300, [_processor_ms(process.pid, address + path) for _ in range(_REPEATS)])
                for name, path in _PAGES.items()
            ]
            memory = row("memory of the website after that", "MiB", 250, [_resident_mib(process.pid)])
    return {"rows": [*rows, memory], "busy": busy}


def table(figures: dict[str, Any]) -> str:
    """Return the figures as Markdown."""
    return (
        f"{_RUNS:,} runs of {_QUESTIONS} questions are stored. Processor time of the website for a page, all of it "
        "before the first byte.\n\n"
        f"{limits_table(figures['rows'])}\n\nOrdinary pages while a run of 75 questions is answered and scored, by the "
        "clock. Clients without a pause keep one of the two cores busy by themselves, and wait for one another: eight "
        f"times the 20 to 60 ms that a page takes.\n\n{limits_table(figures['busy'])}"
    )


@contextmanager
def _served(data: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "manage.py"), "serve", "--port", "0"],
        cwd=ROOT,
        env=as_at_a_users(data),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None
        address = f"{found.group()}/"
        _first_byte_ms(address)  # templates are compiled
        yield address, process
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()


def _first_byte_ms(address: str) -> float:
    start = time.perf_counter()
    with urllib.request.urlopen(address, timeout=60) as page:
        page.read(1)
        taken = time.perf_counter() - start
        page.read()
    return 1000 * taken


def _processor_ms(pid: int, address: str) -> float:
    before = _processor_s(pid)
    _first_byte_ms(address)
    return 1000 * (_processor_s(pid) - before)


def _processor_s(pid: int) -> float:
    times = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")


def _while_a_run_works(data: Path, address: str, top_k: str, reading_s: float) -> list[dict[str, Any]]:
    """Return how long pages take clients that stay `reading_s` on each, while a run with this top k works."""
    queue = [sys.executable, str(ROOT / "manage.py"), "shell", "--no-imports", "-c", _QUEUE.format(top_k=top_k)]
    subprocess.run(queue, cwd=ROOT, env=as_at_a_users(data), check=True)
    taken: list[float] = []

    def fetch(first: int) -> None:
        time.sleep(reading_s * first / _CLIENTS)
        for path in itertools.islice(itertools.cycle(_ORDINARY), first, None):
            if not _works(data):
                return
            taken.append(_first_byte_ms(address + path))
            time.sleep(reading_s)

    clients = [threading.Thread(target=fetch, args=(first,)) for first in range(_CLIENTS)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    who = f"{_CLIENTS} people, {reading_s:.0f} s a page" if reading_s else f"{_CLIENTS} clients without a pause"
    return [
        row(f"{who}: 95 of 100 pages within", "ms", 150, [statistics.quantiles(taken, n=20)[-1]]),
        row(f"{who}: half of the pages within", "ms", 150, [statistics.median(taken)]),
    ]


def _works(data: Path) -> bool:
    with closing(sqlite3.connect(data / "workbench.sqlite3")) as connection:
        (active,) = connection.execute(
            "SELECT count(*) FROM rag_pipeline_backgroundtask WHERE state IN ('queued', 'running')"
        ).fetchone()
    return bool(active)


def _resident_mib(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20
