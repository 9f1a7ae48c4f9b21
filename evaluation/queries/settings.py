"""Settings of runs: by name, as numbers, and in words what differs between two."""

from __future__ import annotations

from typing import Any

from evaluation.queries.rows import RunRow, SettingDifference
from evaluation.spec import run_settings


def all_settings(row: RunRow) -> dict[str, Any]:
    """Return what was asked, the pipeline and the scoring of a run by name: what each of them read."""
    run = row.run
    asked = {"corpus": str(run.corpus), "testset": str(run.testset)} | run.options
    contexts = {"contexts_from": run.contexts_origin} if run.contexts_origin else {}
    return asked | contexts | row.settings | row.evaluation


def as_number(value: Any) -> float | None:
    """Return a setting's value as a number, 15 for “15%”; None where it is none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        try:
            return float(value.removesuffix("%"))
        except ValueError:
            return None
    return float(value) if isinstance(value, int | float) else None


def differing_settings(a: RunRow, b: RunRow) -> list[SettingDifference]:
    """Return every setting in which two runs differ: what was asked, the pipeline, the scoring."""
    before, after = all_settings(a), all_settings(b)
    names = list(dict.fromkeys([*before, *after]))
    return [
        SettingDifference(name, setting_label(name), before.get(name), after.get(name))
        for name in names
        if before.get(name) != after.get(name)
    ]


def setting_label(name: str) -> str:
    """Return a setting's name on screen."""
    declared = run_settings().get(name)
    if declared is not None:
        return declared.title
    return "Test set" if name == "testset" else name.replace("_", " ").capitalize()
