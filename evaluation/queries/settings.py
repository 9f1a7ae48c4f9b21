"""Settings of runs: by name, as numbers, and in words what differs between two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from evaluation.queries.rows import RunRow, SettingDifference
from evaluation.spec import run_settings
from rag_pipeline.setting_fields import Stage

_PLACES = ("corpus", "testset")


def all_settings(row: RunRow) -> dict[str, Any]:
    """Return what was asked, the pipeline and the scoring of a run by name: what each of them read."""
    run = row.run
    asked = {"corpus": str(run.corpus), "testset": str(run.testset)} | run.options
    contexts = {"contexts_from": run.contexts_origin} if run.contexts_origin else {}
    return asked | contexts | row.settings | row.evaluation


@dataclass(frozen=True)
class HeldSettings:
    """The settings that some runs read: the `values` of each, in the order of the runs."""

    values: Mapping[str, Sequence[Any]]

    @cached_property
    def short(self) -> list[str]:
        """Those that a column of a table holds: no long texts, no lists."""
        declared = run_settings()
        return [
            name
            for name, values in self.values.items()
            if name in _PLACES or (declared[name].info.lines == 1 and not isinstance(values[0], list | dict))
        ]

    @cached_property
    def varying(self) -> list[str]:
        """The short ones in which runs differ."""
        return [name for name in self.short if len(set(map(str, self.values[name]))) > 1]

    @cached_property
    def numeric(self) -> list[str]:
        """The short ones whose values are all numbers, those that vary first."""
        numeric = [name for name in self.short if all(as_number(each) is not None for each in self.values[name])]
        return sorted(numeric, key=lambda name: name not in self.varying)

    @cached_property
    def kinds(self) -> list[str]:
        """The varying ones that are no numbers: what runs can be sorted out by."""
        return [name for name in self.varying if name not in self.numeric and name not in _PLACES]


def held_settings(rows: Sequence[RunRow]) -> HeldSettings:
    """Return the settings that these runs read, in the order of the stages that read them first."""
    declared = run_settings()
    in_order = sorted(declared, key=lambda name: declared[name].stage or Stage.EVALUATION)
    found: dict[str, list[Any]] = {name: [] for name in (*_PLACES, *in_order)}
    for row in rows:
        for name, value in all_settings(row).items():
            if value is not None and name in found:
                found[name].append(value)
    return HeldSettings({name: values for name, values in found.items() if values})


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
