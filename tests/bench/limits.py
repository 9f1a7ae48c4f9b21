"""Figures with a limit beside: several measurements, their median, and whether it keeps the limit."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.commands import ROOT, command_environment

REPEATS = 3


@dataclass(frozen=True, slots=True)
class Used:
    """What a command took: processor seconds, and peak memory in MiB."""

    processor_s: float
    peak_mib: float


def used_by(data: Path, *arguments: str) -> Used:
    """Run `manage.py ARGUMENTS` with data folder `data` in a process of its own. Raises RuntimeError where it fails."""
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "manage.py"), *arguments],
        cwd=ROOT,
        env=as_at_a_users(data),
        stdout=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError(f"manage.py {arguments[0]} ended with status {status}")
    return Used(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def as_at_a_users(data: Path) -> dict[str, str]:
    """Return the environment of a command on data folder `data`; what Python has compiled is kept, as it usually is."""
    return command_environment(data) | {"PYTHONDONTWRITEBYTECODE": ""}


def measured(what: str, unit: str, limit: float, work: Callable[[], float], repeats: int = REPEATS) -> dict[str, Any]:
    """Return a row: the median of several measurements beside its limit; more than the limit is too much."""
    return row(what, unit, limit, [work() for _ in range(repeats)])


def row(what: str, unit: str, limit: float, values: Sequence[float], *, at_least: bool = False) -> dict[str, Any]:
    """Return a row of what was measured. `at_least`: less than the limit is too little."""
    return {
        "what": what,
        "unit": unit,
        "limit": limit,
        "at_least": at_least,
        "median": statistics.median(values),
        "values": list(values),
    }


def limits_table(rows: Sequence[dict[str, Any]]) -> str:
    """Return rows as Markdown."""
    lines = ["| what | median | limit | kept |", "|---|---|---|---|"]
    for each in rows:
        kept = each["median"] >= each["limit"] if each["at_least"] else each["median"] <= each["limit"]
        sign = "≥" if each["at_least"] else "≤"
        lines.append(
            f"| {each['what']} | {_number(each['median'])} {each['unit']} | {sign} {each['limit']:,g} {each['unit']} "
            f"| {'yes' if kept else 'no'} |"
        )
    return "\n".join(lines)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"
