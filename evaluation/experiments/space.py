"""The space of a sweep: several values for some settings, as people write them, and all their combinations."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import product
from typing import Any

from rag_pipeline.errors import ConfigError
from rag_pipeline.setting_fields import Stage
from rag_pipeline.settings.catalogue import pipeline_settings
from rag_pipeline.settings.pipeline_spec import PipelineSpec

MOST = 2000
"""Configurations of one sweep at most: a product of grids grows fast, and each is a run."""
MOST_CHUNKS = 100
"""Top k where a budget of tokens decides how many chunks are given."""
_NUMBER = r"(-?\d+(?:\.\d+)?)"
_RANGE = re.compile(rf"{_NUMBER}\s*\.\.\s*{_NUMBER}\s*([x×*+])\s*{_NUMBER}")


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a swept setting: how it is called in tables, and the settings that it stands for."""

    label: Any
    settings: Mapping[str, Any]


@dataclass(frozen=True)
class Space:
    """What a sweep tries: every combination of the values in `grid` on top of `base`, flat settings by name.

    `retrieval_only`: no question is answered, so that two prompts are the same thing. `context_tokens`: the budget of
    context that all get, 0 where top k decides.
    """

    base: Mapping[str, Any]
    grid: Mapping[str, Sequence[Value]]
    retrieval_only: bool = False
    context_tokens: int = 0


@dataclass(frozen=True)
class Configuration:
    """One combination: `swept` has the label of each swept setting, None where nothing reads it here.

    `of`: the number of the configuration that it is a changed clone of.
    """

    number: int
    swept: Mapping[str, Any]
    spec: PipelineSpec
    of: int | None = None

    @property
    def label(self) -> str:
        """What is special about it, in words: chunk size 400 · retriever hybrid."""
        return label_of(self.swept)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A combination that is not run, and why; `number`: the configuration that it is the same as, if any."""

    swept: Mapping[str, Any]
    reason: str
    number: int | None = None


@dataclass(frozen=True)
class Expanded:
    """The combinations of a space: those to run, those that are one of them again, those that cannot work."""

    configurations: list[Configuration] = field(default_factory=list)
    folded: list[LeftOut] = field(default_factory=list)
    impossible: list[LeftOut] = field(default_factory=list)


def read_values(text: str) -> list[Any]:
    """Return the values in a text: `200, 400`, `200..1600 x 2`, `0..300 + 100`, both mixed, or a JSON list.

    Raises ConfigError for an empty list and a range without an end.
    """
    text = text.strip()
    found: list[Any]
    if text.startswith("["):
        try:
            found = json.loads(text)
        except ValueError as error:
            raise ConfigError(f"“{text}” is no JSON list, such as [200, 400].") from error
    else:
        found = [value for part in text.split(",") if part.strip() for value in _values_of(part.strip())]
    if not found:
        raise ConfigError("Give at least one value, such as 200,400,800 or 200..1600 x 2.")
    return found


def _values_of(part: str) -> Iterator[Any]:
    """Yield the values of a range, or the part itself."""
    match = _RANGE.fullmatch(part)
    if match is None:
        yield part
        return
    low, high, step = (Decimal(match[group]) for group in (1, 2, 4))
    grows = step > 0 if match[3] == "+" else step > 1 and low > 0
    if high < low or not grows:
        raise ConfigError(f"“{part}” has no end. Write it upwards, such as 200..1600 x 2 or 0..300 + 100.")
    steps = (high - low) / step if match[3] == "+" else Decimal(math.log(high / low) / math.log(step))
    if steps > MOST:
        raise ConfigError(f"“{part}” is more than {MOST:,} values. Take larger steps.")
    while low <= high:
        yield int(low) if low == int(low) else float(low)
        low = low + step if match[3] == "+" else low * step


def label_of(swept: Mapping[str, Any]) -> str:
    """Return a combination in words; what is not read in it is left out."""
    known = pipeline_settings()
    parts = [f"{known[name].title.lower()} {_said(value)}" for name, value in swept.items() if value is not None]
    return " · ".join(parts) or "the settings as they are"


def _said(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def expand(space: Space) -> Expanded:
    """Return all combinations, the last setting changing fastest. Raises ConfigError where none can be run.

    What is the same thing (a setting that nothing reads there) is run once; what cannot work is listed with its reason.
    """
    check_space(space)
    size = math.prod(len(values) for values in space.grid.values())
    if size > MOST:
        raise ConfigError(
            f"That is {size:,} configurations; {MOST:,} are the most. Leave some values out, or search guided."
        )
    base = dict(space.base) | _budget_of(space)
    found = Expanded()
    seen: dict[str, Configuration] = {}
    read: set[str] = set()
    for combination in product(*space.grid.values()):
        given = base | {name: value for each in combination for name, value in each.settings.items()}
        swept = {name: each.label for name, each in zip(space.grid, combination, strict=True)}
        try:
            spec = _spec(given, space)
        except ConfigError as error:
            found.impossible.append(LeftOut(swept, str(error)))
            continue
        read |= spec.settings.keys()
        shown = {name: _shown(name, each, spec) for name, each in zip(space.grid, combination, strict=True)}
        key = _key(spec, space)
        if key in seen:
            found.folded.append(LeftOut(swept, _why_same(swept, shown, seen[key]), seen[key].number))
            continue
        seen[key] = Configuration(len(seen) + 1, shown, spec)
        found.configurations.append(seen[key])
    _refuse_nothing(found, [*space.grid, *space.base], read)
    return found


def configuration_at(space: Space, places: Sequence[int], number: int) -> Configuration:
    """Return one combination of a space that may be too large to expand. Raises ConfigError where it cannot work."""
    chosen = {name: values[place] for (name, values), place in zip(space.grid.items(), places, strict=True)}
    given = dict(space.base) | _budget_of(space)
    spec = _spec(given | {name: value for each in chosen.values() for name, value in each.settings.items()}, space)
    return Configuration(number, {name: _shown(name, each, spec) for name, each in chosen.items()}, spec)


def clone(space: Space, original: Configuration, changes: Mapping[str, Value], number: int) -> Configuration:
    """Return a configuration with some settings changed. Raises ConfigError where a change is none, or cannot work."""
    check_space(replace(space, grid={name: [value] for name, value in changes.items()}))
    settings = {name: each for value in changes.values() for name, each in value.settings.items()}
    spec = _spec({**original.spec.settings, **settings}, space)
    for name in changes:
        if name not in spec.settings:
            raise ConfigError(f"{pipeline_settings()[name].title} would change nothing: nothing reads it there.", name)
    names = dict.fromkeys([*original.swept, *changes])
    swept = {name: _shown(name, changes[name], spec) if name in changes else None for name in names}
    return widened(Configuration(number, swept, spec, original.number), names, keep=original.swept)


def widened(configuration: Configuration, names: Iterable[str], keep: Mapping[str, Any] | None = None) -> Configuration:
    """Return a configuration that shows further settings too, as they are in it; `keep`: labels that still hold."""
    settings = configuration.spec.settings
    known = {name: at for each in (keep or {}, configuration.swept) for name, at in each.items() if at is not None}
    shown = {}
    for name in names:
        value = settings.get("prompt_name") if name == "prompt" else settings.get(name)
        shown[name] = known.get(name, value) if name in settings else None
    return replace(configuration, swept=shown)


def same_as(space: Space, spec: PipelineSpec, others: Iterable[Configuration]) -> Configuration | None:
    """Return the configuration that gives the same as some settings, in all that is measured."""
    return next((each for each in others if _key(each.spec, space) == _key(spec, space)), None)


def _key(spec: PipelineSpec, space: Space) -> str:
    return spec.stage_fingerprint(Stage.RETRIEVAL) if space.retrieval_only else spec.fingerprint


def check_space(space: Space) -> None:
    """Refuse names that are no settings, and two answers to how much context there is. Raises ConfigError."""
    for name in (*space.base, *space.grid):
        if name not in pipeline_settings():
            PipelineSpec.create({name: ""}, drop_unread=True)  # raises, with the closest name
    if twice := {"top_k", "context_budget"} & {*space.base, *space.grid} if space.context_tokens else set():
        raise ConfigError(
            f"A comparison at {space.context_tokens:,} tokens sets {' and '.join(sorted(twice))} itself. Leave it out, "
            "or compare at k.",
            "compare_at",
        )


def _budget_of(space: Space) -> dict[str, Any]:
    """Return the settings that give each configuration the same budget of tokens."""
    return {"context_budget": space.context_tokens, "top_k": MOST_CHUNKS} if space.context_tokens else {}


def _spec(given: Mapping[str, Any], space: Space) -> PipelineSpec:
    """Return the settings of a combination. Raises ConfigError where it cannot work."""
    values = dict(given)
    if space.context_tokens and str(values.get("reranker", "none")) != "none":
        free = PipelineSpec.create(values | {"top_k": 1}, drop_unread=True)
        values["top_k"] = min(MOST_CHUNKS, int(free.settings["rerank_candidates"]))
    spec = PipelineSpec.create(values, drop_unread=True)
    if space.retrieval_only and not spec.core.use_context:
        raise ConfigError("without context there is no retrieval to score", "use_context")
    return spec


def _shown(name: str, value: Value, spec: PipelineSpec) -> Any:
    """Return a value as the settings hold it (a number, not its text), or by its own name; None where it is unread."""
    if name not in spec.settings:
        return None
    return spec.settings[name] if value.label == value.settings.get(name) else value.label


def _why_same(swept: Mapping[str, Any], shown: Mapping[str, Any], first: Configuration) -> str:
    known = pipeline_settings()
    unread = [known[name].title.lower() for name in swept if shown[name] is None]
    reason = f"nothing reads {' or '.join(unread)} there" if unread else "it changes nothing that is measured"
    return f"the same as {first.label}: {reason}"


def _refuse_nothing(found: Expanded, names: Sequence[str], read: set[str]) -> None:
    """Refuse a space in which nothing can be run, and a setting that changes nothing in all of it."""
    if not found.configurations:
        raise ConfigError(found.impossible[0].reason)
    for name in names:
        if name not in read and not found.impossible:
            title = pipeline_settings()[name].title
            raise ConfigError(f"{title} would change nothing: no configuration reads {name}. Leave it out.", name)


def in_order_of_work(configurations: Sequence[Configuration]) -> list[Configuration]:
    """Return configurations so that each index is built once, and of those that rank alike the deepest comes first."""
    keys = {each.number: (each.spec.index_fingerprint, ranking_key(each.spec)) for each in configurations}
    firsts: dict[str, int] = {}
    for each in configurations:
        for key in keys[each.number]:
            firsts.setdefault(key, each.number)

    def place(each: Configuration) -> tuple[int, int, int, int]:
        index, ranking = keys[each.number]
        return firsts[index], firsts[ranking], -each.spec.core.top_k, each.number

    return sorted(configurations, key=place)


def ranking_key(spec: PipelineSpec) -> str:
    """Return what two configurations share whose rankings differ in length alone."""
    return spec.changed(top_k=1, consolidate="none", context_budget=0).stage_fingerprint(Stage.RETRIEVAL)
