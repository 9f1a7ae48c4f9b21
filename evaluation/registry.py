"""Registry of metrics in which one file can stand for a family of them, such as `aspect:harmfulness`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

from pydantic import ValidationError, create_model

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
    A metric that is `named` is there as `key:name` too, under any name; one with an option k as `key@3`, for each k.
    """

    def __iter__(self) -> Iterator[type[U]]:
        found = []
        for unit in super().__iter__():
            names = getattr(unit, "members", None)
            found += [unit] if names is None else [unit.member(name) for name in names]  # type: ignore[attr-defined]
        return iter(sorted(found, key=lambda unit: unit.key))

    def find(self, key: str) -> type[U] | None:
        """Return the metric called `key`, None where there is none."""
        plain, at, count = key.partition("@")
        family, colon, name = plain.partition(":")
        unit: Any = super().find(family)
        if unit is not None and (colon or hasattr(unit, "members")):
            unit = _member(unit, name) if _MEMBER.fullmatch(name) else None
        found: type[U] | None = unit if unit is None or not at else _limited(unit, count)
        return found

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


def _member(unit: Any, name: str) -> Any:
    """Return the metric of a family, or another of a named metric, that is called so."""
    if hasattr(unit, "members"):
        return unit.member(name)
    return _another(unit, name) if getattr(unit, "named", False) else None


def _limited(unit: Any, count: str) -> Any:
    """Return a metric with its option k set to what is written; None for one without k, or what is no k."""
    given = count.isdecimal() and count == str(int(count))
    return _at_k(unit, int(count)) if given and "k" in unit.Options.model_fields else None


@cache
def _another(unit: Any, name: str) -> Any:
    """Return a metric once more, under a name of its own."""
    title = name.replace("_", " ")
    return _derived(unit, f"{unit.key}:{name}", f"{unit.label}: {title}", unit.Options)


@cache
def _at_k(unit: Any, k: int) -> Any:
    """Return a metric with its option k set for good; None for one that it does not take."""
    field = unit.Options.model_fields["k"]
    options = create_model(f"{unit.Options.__name__}At{k}", __base__=unit.Options, k=(field.annotation, k))
    try:
        unit.Options.model_validate({"k": k})
    except ValidationError:
        return None
    return _derived(unit, f"{unit.key}@{k}", f"{unit.label} @{k}", options)


def _derived(unit: Any, key: str, label: str, options: type[Any]) -> Any:
    own = {"__doc__": unit.__doc__, "__module__": unit.__module__, "key": key, "label": label, "Options": options}
    return type(unit)(f"{unit.__name__}_{key}", (unit,), own | {"worked": None, "known_as": {}})


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
