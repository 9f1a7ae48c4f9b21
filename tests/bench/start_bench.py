"""How long the first start takes: a clean folder, `manage.py serve`, and the evaluated sample on the page."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from tests.bench.limits import as_at_a_users
from tests.commands import ROOT

_PATIENCE_S = 300
_ADDRESS = re.compile(r"http://\S+")
BEING_MADE = "A sample is being made"


def first_start() -> dict[str, float]:
    """Return seconds and processor seconds of website and worker until the sample is there, and the peak memory."""
    with tempfile.TemporaryDirectory(prefix="workbench-bench-") as folder:
        start = time.perf_counter()
        serving = subprocess.Popen(
            [sys.executable, str(ROOT / "manage.py"), "serve", "--port", "0"],
            cwd=ROOT,
            env=as_at_a_users(Path(folder)),
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert serving.stdout is not None
            address = _ADDRESS.search(serving.stdout.readline())
            assert address is not None
            _wait_for_sample(address.group(), start + _PATIENCE_S)
            seconds = time.perf_counter() - start
        finally:
            serving.send_signal(signal.SIGINT)
            _, _, used = os.wait4(serving.pid, 0)
        return {"seconds": seconds, "processor_s": used.ru_utime + used.ru_stime, "peak_mib": used.ru_maxrss / 1024}


def _wait_for_sample(address: str, until: float) -> None:
    while time.perf_counter() < until:
        with urllib.request.urlopen(address, timeout=30) as page:
            if BEING_MADE not in page.read().decode():
                return
        time.sleep(1)
    raise TimeoutError("The sample was not there in time.")
