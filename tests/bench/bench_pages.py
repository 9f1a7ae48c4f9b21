"""Pages: with many runs stored, and while a run works"""

from __future__ import annotations

import itertools
import os
import re
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.bench.limits import as_at_a_users, limits_table, row
from tests.bench.many_runs import CORPUS, TESTSET, make_many_runs
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
_WORK = ("--corpus", CORPUS, "--testset", TESTSET, "--set", "top_k=5")
_ORDINARY = ("documents/", "testsets/", "chat/", "runs/2/", "metrics/")


def run(data_dir: Path) -> dict[str, Any]:
    """Measure through the website itself: what it computes for a page, all of it before the first byte."""
    with tempfile.TemporaryDirectory(prefix="workbench-bench-") as folder:
        few, many = Path(folder) / "few", Path(folder) / "many"
        make_many_runs(few, 3, 75)
        with _served(few) as (address, _):
            busy = _while_a_run_works(few, address)
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
        f"{limits_table(figures['rows'])}\n\nWhile a run of 75 questions is answered and scored, {_CLIENTS} clients "
        f"fetch ordinary pages one after the other, by the clock:\n\n{limits_table(figures['busy'])}"
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


def _while_a_run_works(data: Path, address: str) -> list[dict[str, Any]]:
    working = subprocess.Popen(
        [
            sys.executable,
            str(ROOT / "manage.py"),
            "evaluate",
            "--corpus",
            CORPUS,
            "--testset",
            TESTSET,
            "--set",
            "top_k=5",
        ],
        cwd=ROOT,
        env=as_at_a_users(data),
        stdout=subprocess.DEVNULL,
    )
    taken: list[float] = []

    def fetch() -> None:
        for path in itertools.cycle(_ORDINARY):
            if working.poll() is not None:
                return
            taken.append(_first_byte_ms(address + path))

    clients = [threading.Thread(target=fetch) for _ in range(_CLIENTS)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    return [
        row("95 of 100 pages within", "ms", 150, [statistics.quantiles(taken, n=20)[-1]]),
        row("half of the pages within", "ms", 150, [statistics.median(taken)]),
    ]


def _resident_mib(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20
