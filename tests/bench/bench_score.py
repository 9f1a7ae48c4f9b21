"""Scoring 1,000 answers of another system."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evaluation.exchange.reading import read_answers
from evaluation.metrics.base import metrics
from evaluation.scoring.scoring import finished
from evaluation.services.answer_files import score_answers
from evaluation.spec import EvaluationSpec
from rag_pipeline.settings.core import DEFAULT_REFUSAL
from tests.bench.answered_rows import Row, answered_rows
from tests.commands import ROOT, command_environment

ORDER = 60
_ROWS = 1000
_SLOWEST = 8
_NEEDS_MORE = {"judge", "weights", "other_answer"}


def run(data_dir: Path) -> dict[str, Any]:
    """Measure `manage.py score` on 1,000 rows and on one: what the rows take beyond the models; then each metric."""
    rows = answered_rows(data_dir, _ROWS)
    seconds, processor, memory, summary = _scored(rows)
    alone = _scored(rows[:1])
    return {
        "rows": len(rows),
        "contexts": sum(len(row["contexts"]) for row in rows),
        "characters": sum(len(text) for row in rows for text in row["contexts"]),
        "metrics": len(summary),
        "scored": sum(each["n"] > 0 for each in summary.values()),
        "seconds": seconds,
        "processor_s": processor,
        "seconds_one_row": alone[0],
        "peak_mib": memory,
        "peak_one_row_mib": alone[2],
        "by_metric_s": _by_metric(rows),
    }


def table(figures: dict[str, Any]) -> str:
    """Return the figures as Markdown."""
    beyond = figures["peak_mib"] - figures["peak_one_row_mib"]
    lines = [
        f"`manage.py score`, all metrics without a judge, on {figures['rows']:,} rows made of the public judged answers"
        f" ({figures['contexts']:,} contexts, {figures['characters'] / 1e6:.1f} million characters). A process of its"
        " own, its start and the loading of the models included; the memory beyond the models is what 1,000 rows take"
        " more than one row does. Targets: 60 s, 1 GB beyond the models.",
        "",
        "| metrics that gave scores | seconds | processor seconds | peak memory | beyond the models |",
        "|---|---|---|---|---|",
        f"| {figures['scored']} of {figures['metrics']} | {figures['seconds']:.1f} | {figures['processor_s']:.1f} "
        f"| {figures['peak_mib']:,.0f} MiB | {beyond:,.0f} MiB |",
        "",
        "Processor seconds of the slowest metrics, each by itself, refusals and summaries included:",
        "",
        "| metric | seconds |",
        "|---|---|",
    ]
    slowest = sorted(figures["by_metric_s"].items(), key=lambda each: -each[1])[:_SLOWEST]
    return "\n".join(lines + [f"| `{name}` | {seconds:.1f} |" for name, seconds in slowest])


def _scored(rows: Sequence[Row]) -> tuple[float, float, float, dict[str, Any]]:
    """Return seconds, processor seconds, peak memory in MiB and the summary of the command in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="workbench-bench-") as folder:
        source, out, summary = (Path(folder) / name for name in ("answers.jsonl", "scored.jsonl", "summary.json"))
        source.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        command = [sys.executable, str(ROOT / "manage.py"), "score", str(source), "--out", str(out)]
        start = time.perf_counter()
        process = subprocess.Popen(
            [*command, "--summary", str(summary)],
            cwd=ROOT,
            env=command_environment(Path(folder)),
            stdout=subprocess.DEVNULL,
        )
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        if status:
            raise RuntimeError(f"score ended with status {status}")
        found: dict[str, Any] = json.loads(summary.read_text(encoding="utf-8"))["metrics"]
        return seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, found


def _by_metric(rows: Sequence[Row]) -> dict[str, float]:
    """Return the processor seconds of each metric by itself in this process, the models loaded."""
    answered = read_answers(("rows.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows).encode()))
    spec, taken = EvaluationSpec(), {}
    names = [unit.key for unit in metrics if not unit.needs & _NEEDS_MORE]
    for name in ["brevity", *names]:  # the first one loads the models
        before = resource.getrusage(resource.RUSAGE_SELF)
        finished(score_answers(answered=answered, spec=spec, refusal=DEFAULT_REFUSAL, names=[name]))
        after = resource.getrusage(resource.RUSAGE_SELF)
        taken[name] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return taken
