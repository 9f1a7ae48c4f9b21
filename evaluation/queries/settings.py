"""Settings of runs in words: what differs between two."""

from __future__ import annotations

from functools import cache
from typing import Any

from pydantic import BaseModel

from evaluation.queries.rows import RunRow, SettingDifference
from evaluation.spec import EvaluationSpec, RunOptions
from rag_pipeline.settings.parts import PARTS
from rag_pipeline.settings.pipeline_spec import CoreSettings


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
    return _labels().get(name, name.replace("_", " ").capitalize())


def _all_settings(row: RunRow) -> dict[str, Any]:
    run = row.run
    asked = {"corpus": str(run.corpus), "testset": str(run.testset), "split": run.split, "limit": run.limit}
    contexts = {"contexts_from": run.contexts_origin} if run.contexts_origin else {}
    return asked | {"repeat": run.repeat} | contexts | row.settings | row.evaluation


@cache
def _labels() -> dict[str, str]:
    models: list[type[BaseModel]] = [CoreSettings, EvaluationSpec, RunOptions]
    models += [unit.Options for part in PARTS for unit in part.registry]
    found = {"testset": "Test set"}
    for model in models:
        for name, field in model.model_fields.items():
            found.setdefault(name, field.title or name.replace("_", " ").capitalize())
    return found
