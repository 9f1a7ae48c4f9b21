"""All settings of a pipeline: what each declares, which belong to a stage, and which are left unread."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from rag_pipeline.registry import Unit
from rag_pipeline.setting_fields import Setting, Stage, settings_in, why_unread
from rag_pipeline.settings.conditions import ONLY_READ_BY, SEARCH, WITH_CONTEXT
from rag_pipeline.settings.core import CoreSettings
from rag_pipeline.settings.parts import PARTS

Units = tuple[tuple[type[Unit], ...], ...]


def pipeline_settings() -> Mapping[str, Setting]:
    """Return all settings by name, in the order of the pipeline: behind the choice of a unit the options of each."""
    return settings_with(_units())


def settings_of(*stages: Stage) -> dict[str, Setting]:
    """Return the settings that these stages are the first to read, in the order of the pipeline."""
    return {name: each for name, each in pipeline_settings().items() if each.stage in stages}


def describe(name: str) -> Setting:
    """Return what a setting declares. Raises KeyError where there is none."""
    return settings_in(CoreSettings).get(name) or pipeline_settings()[name]


def option_names() -> set[str]:
    """Return the options of all units, chosen or not."""
    return {name for part in PARTS for name in part.settings()}


def unread_names(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the settings that these settings leave unread, each with the reason.

    `values` are flat settings, as complete as they are known; what is wrong in them counts as not chosen.
    """
    reasons = {name: each.why_unread(values) for name, each in settings_in(CoreSettings).items()}
    unread = {name: reason for name, reason in reasons.items() if reason}
    read = {name for part in PARTS if part.field not in unread for name in part.chosen(values)}
    reason = why_unread((WITH_CONTEXT, SEARCH), values)
    units = _units()
    for part in sorted(PARTS, key=lambda part: part.field not in unread):
        for name in part.settings().keys() - read - unread.keys():
            of_part = unread.get(part.field)
            unread[name] = reason or of_part or f"{ONLY_READ_BY} {' or '.join(_owners(name, units))}"
    return unread


def _units() -> Units:
    """Return the units of each part: as long as they stay the same, so does what they offer."""
    return tuple(part.registry.units for part in PARTS)


@cache
def settings_with(units: Units) -> Mapping[str, Setting]:
    """Return all settings where these are the units of each part."""
    parts = {part.field: part for part in PARTS}
    found: dict[str, Setting] = {}
    for name, each in settings_in(CoreSettings).items():
        found[name] = each
        found |= parts[name].settings() if name in parts else {}
    return MappingProxyType(found)


@cache
def _owners(name: str, units: Units) -> tuple[str, ...]:
    owners = (
        (part, [unit.key for unit in of_part if name in unit.Options.model_fields])
        for part, of_part in zip(PARTS, units, strict=True)
    )
    return tuple(f"{part.title.lower()} {', '.join(keys)}" for part, keys in owners if keys)
