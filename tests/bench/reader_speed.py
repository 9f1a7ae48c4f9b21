"""How long the built-in reader takes: to load, for one question, and for many at once."""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

from rag_pipeline.generators.builtin import BuiltinReader
from tests.bench.cache import ROOT
from tests.bench.reader_trials import Trial

MANY = 75
_RUNS = 5
_SINGLE = 20
"""Questions asked one by one."""
_LOAD = (
    "import time; start = time.perf_counter(); from rag_pipeline.extractive_qa.span_reader import shipped_reader; "
    "shipped_reader(); print(time.perf_counter() - start)"
)


def speed(reader: BuiltinReader, trials: Sequence[Trial]) -> dict[str, Any]:
    """Return seconds: medians over runs. The reader has been asked before."""
    many = trials[:: len(trials) // MANY][:MANY]
    lengths = [len(context.text) for trial in many for context in trial.contexts]
    runs = [seconds(reader, many) for _ in range(_RUNS)]
    return {
        "questions": len(many),
        "characters": statistics.mean(lengths),
        "many": [taken for taken, _ in runs],
        "computed": [computed for _, computed in runs],
        "single": [seconds(reader, [trial])[0] for trial in many[:_SINGLE]],
        "load": [_load_seconds() for _ in range(_RUNS)],
    }


def seconds(reader: BuiltinReader, trials: Sequence[Trial]) -> tuple[float, float]:
    """Return how long the trials take together, and how long the processor computes for them."""
    requests = [trial.request for trial in trials]

    async def answer() -> None:
        async for _ in reader.generate_many(requests):
            pass

    start, computed = time.perf_counter(), time.process_time()
    asyncio.run(answer())
    return time.perf_counter() - start, time.process_time() - computed


def _load_seconds() -> float:
    """Return how long a fresh process takes to import and open the shipped reader."""
    done = subprocess.run([sys.executable, "-c", _LOAD], cwd=ROOT, capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])
