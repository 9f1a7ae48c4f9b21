"""A data folder worked on by real processes, which the tests then kill, interrupt and starve."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.commands import ROOT, command_environment

_SETUP = """
import json, django
django.setup()
from evaluation.models import *
from evaluation.services.runs import resume_run, start_run
from evaluation.services.testsets import start_generation
from evaluation.generator_spec import GeneratorSpec
from evaluation.spec import EvaluationSpec, RunOptions
from rag_pipeline.models import *
from rag_pipeline.settings.pipeline_spec import PipelineSpec

def queue(settings, repeat=1):
    testset = TestSet.objects.get(name="first")
    return start_run(
        corpus=testset.corpus, testset=testset, spec=PipelineSpec.create(settings), evaluation=EvaluationSpec(),
        options=RunOptions(repeat=repeat),
    ).pk

def queue_sweep(base, **grid):
    from evaluation.experiments.options import SweepOptions, SweepSpec
    from evaluation.services.sweeps import plan_sweep, read_grid, start_sweep
    testset = TestSet.objects.get(name="first")
    spec = SweepSpec(base, read_grid(grid), SweepOptions(), EvaluationSpec(), RunOptions())
    plan = plan_sweep(corpus=testset.corpus, testset=testset, spec=spec)
    return start_sweep(corpus=testset.corpus, testset=testset, spec=spec, plan=plan).pk

def sweep_state(sweep):
    sweep = Sweep.objects.get(pk=sweep)
    runs = sweep.runs.order_by("id")
    return {
        "state": sweep.task.state, "error": sweep.task.error, "failures": sweep.task.failures,
        "runs": [(run.task.state, run.answers.filter(error="").count(), run.scorings.count()) for run in runs],
    }

def state(run):
    run = Run.objects.get(pk=run)
    rows = [(answer.question.question_id, answer.repeat) for answer in run.answers.select_related("question")]
    current = run.scorings.filter(current=True)
    return {
        "state": run.task.state, "error": run.task.error, "failures": run.task.failures, "rows": rows,
        "failed": run.answers.exclude(error="").count(), "scorings": run.scorings.count(), "current": current.count(),
        "scores": dict(current[0].metrics.filter(group="").values_list("metric", "mean")) if current else {},
        "attempts": sorted(set(run.task.units.values_list("attempts", flat=True))),
    }
"""


class Bench:
    """One data folder and the environment of every process in it."""

    def __init__(self, data: Path, **environment: str) -> None:
        self.data = data
        self.environment = command_environment(data) | {"OMP_NUM_THREADS": "1"} | environment
        self.started: list[subprocess.Popen[str]] = []

    def copy(self, data: Path, **environment: str) -> Bench:
        """Return another with the same content."""
        shutil.copytree(self.data, data, dirs_exist_ok=True)
        return Bench(data, **environment)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start a command; it is killed when the test ends."""
        process = subprocess.Popen(
            [sys.executable, str(ROOT / "manage.py"), *arguments],
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.started.append(process)
        return process

    def finish(self, process: subprocess.Popen[str], seconds: float = 240) -> tuple[int, str, str]:
        """Wait for a command; return exit status, standard output and standard error."""
        out, errors = process.communicate(timeout=seconds)
        return process.returncode, out, errors

    def done(self, *arguments: str) -> str:
        """Run a command that has to succeed; return its output."""
        status, out, errors = self.finish(self.start(*arguments))
        assert status == 0, errors
        return out

    def python(self, expression: str) -> Any:
        """Return the value of an expression in a fresh process with the models at hand."""
        code = f"{_SETUP}\nprint(json.dumps({expression}))"
        result = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False
        )
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)

    def state(self, run: int) -> dict[str, Any]:
        """Return what is stored about a run."""
        stored: dict[str, Any] = self.python(f"state({run})")
        return stored

    def wait_for_end(self, run: int, seconds: float = 180) -> dict[str, Any]:
        """Wait until a run has ended; return what is stored about it."""
        wait_for(lambda: self.state(run)["state"] not in ("queued", "running"), seconds, every=1)
        return self.state(run)

    def end(self) -> str:
        """End all workers in order; return what they wrote to standard error."""
        for process in self.started:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        return "".join(self.finish(process, 60)[2] for process in self.started if not _read(process))

    def kill_all(self) -> None:
        """Leave nothing running."""
        for process in self.started:
            if process.poll() is None:
                process.kill()
            if not _read(process):
                process.communicate()


def kill(process: subprocess.Popen[str]) -> None:
    """End a process as a power cut would."""
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()


def wait_for(condition: Callable[[], object], seconds: float = 120, every: float = 0.05) -> None:
    """Wait until the condition holds; fail when it never does."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(every)


def _read(process: subprocess.Popen[str]) -> bool:
    return process.stderr is None or process.stderr.closed
