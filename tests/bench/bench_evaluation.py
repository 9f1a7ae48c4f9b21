"""Seconds of an evaluation."""

from __future__ import annotations

import math
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.commands import run_command
from tests.fake_openai import FakeOpenAI

ORDER = 30
_CALL_S = 1.0
_IN_FLIGHT = 16
_QUESTIONS = 75


def run(data_dir: Path) -> dict[str, Any]:
    """Time the commands, each a process of its own, start included, on wikitexts.md (118,372 characters)."""
    with tempfile.TemporaryDirectory() as folder, FakeOpenAI(delay_s=_CALL_S) as server:
        data = Path(folder)
        document = str(data_dir / "chunking_eval" / "wikitexts.md")
        evaluate = ("evaluate", "--corpus", "wiki", "--testset", "first")
        provider = {"OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": "none"}
        seconds = {
            "`ingest`": _timed(data, "ingest", document, "--corpus", "wiki"),
            "`generate_testset`, 30 pairs and 15 out of scope": _timed(
                data, "generate_testset", "--corpus", "wiki", "--name", "first"
            ),
            "`evaluate`, built-in reader, all chunks new": _timed(data, *evaluate),
            "`evaluate`, built-in reader, another prompt": _timed(
                data, *evaluate, "--set", "prompt={context}\n\n{question}"
            ),
            "`evaluate`, built-in reader, another chunk size": _timed(data, *evaluate, "--set", "chunk_size=400"),
            f"`evaluate`, a server of {_CALL_S} s a call, {_IN_FLIGHT} in flight": _timed(
                data, *evaluate, "--set", "llm=openai:fake", environment=provider
            ),
        }
        return {"seconds": seconds, "calls": len(server.bodies())}


def table(figures: dict[str, Any]) -> str:
    """Return the figures as Markdown."""
    least = math.ceil(figures["calls"] / _IN_FLIGHT) * _CALL_S
    lines = [
        f"wikitexts.md, 118,372 characters; {_QUESTIONS} questions. Each line is a process of its own, its start"
        f" and the loading of the model included. {figures['calls']} calls of {_CALL_S} s take {least:.0f} s at least"
        f" with {_IN_FLIGHT} in flight.",
        "",
        "| command | seconds |",
        "|---|---|",
    ]
    lines += [f"| {name} | {seconds:.1f} |" for name, seconds in figures["seconds"].items()]
    return "\n".join(lines)


def _timed(data: Path, *arguments: str, environment: dict[str, str] | None = None) -> float:
    """Return the seconds of a command. Raises RuntimeError with its message when it fails."""
    start = time.perf_counter()
    result = run_command(*arguments, data=data, timeout=600, **(environment or {}))
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(arguments)}: {result.stderr}")
    return time.perf_counter() - start
