"""Settings of runs in words: what differs between two."""

from __future__ import annotations

from typing import Any

from evaluation.queries.rows import RunRow, SettingDifference
from evaluation.spec import run_settings


def differing_settings(a: RunRow, b: RunRow) -> list[SettingDifference]:
    """Return every setting in which two runs differ: what was asked, the pipeline, the scoring."""
    before, after = _all_settings(a), _all_settings(b)
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


def _all_settings(row: RunRow) -> dict[str, Any]:
    run = row.run
    asked = {"corpus": str(run.corpus), "testset": str(run.testset)} | run.options
    contexts = {"contexts_from": run.contexts_origin} if run.contexts_origin else {}
    return asked | contexts | row.settings | row.evaluation
