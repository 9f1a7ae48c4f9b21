"""The kinds of unit that a setting chooses, in the order of the pipeline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

from rag_pipeline.errors import ConfigError
from rag_pipeline.registry import Registry, Unit, UnitOptions
from rag_pipeline.setting_fields import Setting, Stage, UnitChoice, settings_in
from rag_pipeline.settings.core import NONE, CoreSettings


@dataclass(frozen=True, slots=True)
class Part:
    """A setting whose value is the key of a unit: `field` by name, and the units that it offers."""

    field: str
    title: str
    stage: Stage
    choice: UnitChoice

    @property
    def registry(self) -> Registry[Any]:
        """The units to choose from."""
        return self.choice.registry

    @property
    def named(self) -> bool:
        """True where a value may be `key:NAME`."""
        return self.choice.named

    def unit(self, value: str) -> type[Unit] | None:
        """Return the chosen unit; None for `none`. Raises ConfigError naming what there is."""
        key, colon, name = value.partition(":")
        if self.choice.optional and value == NONE:
            return None
        if not self.named or not colon:
            key, name = value, ""
        unit = self.registry.get(key, self.field, also=(NONE,) if self.choice.optional else ())
        needs_name = getattr(unit, "needs_name", False)
        if needs_name and not name.strip():
            raise ConfigError(f"{self.title} {key} needs a model: write {key}:NAME, a name or a folder.", self.field)
        if name and not needs_name:
            raise ConfigError(f"{self.title} {key} takes no name: write {key}.", self.field)
        return unit

    def options(self, value: str) -> type[Any]:
        """Return the declared options of the chosen unit. Raises ConfigError."""
        unit = self.unit(value)
        return unit.Options if unit is not None else UnitOptions

    def maybe(self, value: Any) -> type[Unit] | None:
        """Return the unit that a value means, None where it means none."""
        key = str(value).partition(":")[0] if self.named else str(value)
        found: type[Unit] | None = self.registry.find(key)
        return found

    def settings(self) -> Mapping[str, Setting]:
        """Return the options of all its units, chosen or not, by name."""
        return _settings_of(self.registry.units, self.stage)

    def chosen(self, values: Mapping[str, Any]) -> Mapping[str, Setting]:
        """Return the options of the unit that flat settings choose; none where they choose none."""
        unit = self.maybe(values.get(self.field))
        return {} if unit is None else settings_in(unit.Options, self.stage)


@cache
def _settings_of(units: tuple[type[Unit], ...], stage: Stage) -> Mapping[str, Setting]:
    """Return the options of some units: they stay the same while no other unit is registered."""
    return MappingProxyType({name: each for unit in units for name, each in settings_in(unit.Options, stage).items()})


PARTS = tuple(
    Part(each.name, each.title, each.stage, each.info.units)
    for each in settings_in(CoreSettings).values()
    if each.info.units is not None and each.stage is not None
)
