"""Registry of metrics in which one file can stand for a family of them, such as `aspect:harmfulness`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import ValidationError

from rag_pipeline.errors import ConfigError
from rag_pipeline.registry import Registry, Unit, first_problem

U = TypeVar("U", bound=Unit)

_MEMBER = re.compile(r"[a-z0-9][a-z0-9_]{0,39}")


UNITXT = "unitxt"
_COMMON = "metrics.rag."
_BRANCHES = ("external_rag.", "autorag.", "end_to_end.")
"""Parts of unitxt's catalogue that hold the same metrics for other kinds of tasks."""


class MetricRegistry(Registry[U]):
    """Metrics by name. Of a family called `key`, a class with `members` and `member(name)`, the members are metrics.

    `members`: names of those that are shipped; `member(name)`: the class called `key:name`, also of one that is not.
    """

    def __iter__(self) -> Iterator[type[U]]:
        found = []
        for unit in super().__iter__():
            names = getattr(unit, "members", None)
            found += [unit] if names is None else [unit.member(name) for name in names]  # type: ignore[attr-defined]
        return iter(sorted(found, key=lambda unit: unit.key))

    def find(self, key: str) -> type[U] | None:
        """Return the metric called `key`, None where there is none."""
        family, colon, name = key.partition(":")
        unit = super().find(family)
        if unit is None or bool(colon) != hasattr(unit, "members"):
            return None
        if not colon:
            return unit
        member: type[U] | None = unit.member(name) if _MEMBER.fullmatch(name) else None  # type: ignore[attr-defined]
        return member

    def of_unitxt(self, name: str) -> tuple[str, Mapping[str, Any]] | None:
        """Return the metric, by key, and the options that a name such as `metrics.rag.mrr` means; None for no such."""
        if not name.startswith(_COMMON):
            return None
        rest = name.removeprefix(_COMMON)
        wanted = _COMMON + next((rest.removeprefix(each) for each in _BRANCHES if rest.startswith(each)), rest)
        for unit in self:
            if wanted in getattr(unit, "known_as", {}).get(UNITXT, ()):
                return unit.key, getattr(unit, "unitxt_options", {})
        return None

    def get(self, key: str, field: str | None = None, also: tuple[str, ...] = ()) -> type[U]:
        """Return the metric called `key`. Raises ConfigError naming what there is, and `also`."""
        unit = self.find(key)
        if unit is None:
            offered = ", ".join([*also, *self.keys()])
            raise ConfigError(f"There is no {self.kind} called “{key}”. Choose one of: {offered}.", field or self.kind)
        return unit


metric_units: MetricRegistry[Unit] = MetricRegistry("metric", "evaluation.metrics")
"""All metrics, for who checks names and options; `evaluation.metrics.base.metrics` is the same with their full type."""


def in_our_names(names: Sequence[str]) -> tuple[list[str], dict[str, dict[str, Any]]]:
    """Return metrics with unitxt's names in our own, and the options that these mean, by metric."""
    ours, options = [], {}
    for name in names:
        found = metric_units.of_unitxt(name)
        ours.append(found[0] if found else name)
        if found and found[1]:
            options[found[0]] = dict(found[1])
    return ours, options


DEFAULT_AGREEMENT = "correctness_offline"


def agreements() -> dict[str, str]:
    """Return what recall and robustness can be made of, names with labels: what is usual, then what needs no judge."""
    found = [unit for unit in metric_units if getattr(unit, "is_agreement", False)]
    found.sort(key=lambda unit: (unit.key != DEFAULT_AGREEMENT, "judge" in getattr(unit, "needs", ())))
    return {unit.key: unit.label for unit in found}


def is_agreement(name: str) -> bool:
    """Return whether a metric says how well an answer agrees with its reference."""
    return bool(getattr(metric_units.find(name), "is_agreement", False))


def checked_options(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a metric that are not as it declares them. Raises ValueError in the user's words."""
    unit = metric_units.find(name)
    if unit is None:
        raise ValueError(f"There is no metric called “{name}”.")
    unknown = sorted(set(given) - set(unit.Options.model_fields))
    if unknown:
        known = ", ".join(unit.Options.model_fields) or "none"
        raise ValueError(f"The metric {name} has no option called “{unknown[0]}”. It has: {known}.")
    try:
        options = unit.Options.model_validate(dict(given))
    except ValidationError as error:
        raise ValueError(f"Metric {name}: {first_problem(error)[1]}") from error
    default = unit.Options.model_construct().model_dump(mode="json")
    return {key: value for key, value in options.model_dump(mode="json").items() if default.get(key) != value}
