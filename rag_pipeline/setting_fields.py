"""A setting is declared once, on its pydantic field: what forms, commands, fingerprints and comparisons know of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from enum import IntEnum
from functools import cache
from types import MappingProxyType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from rag_pipeline.registry import Registry


class Stage(IntEnum):
    """The stages of a run, in order: each depends on its own settings and on those of the stages before it."""

    INDEX = 1
    RETRIEVAL = 2
    PROMPT = 3
    ANSWER = 4
    EVALUATION = 5


def _always(values: Mapping[str, Any]) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class ReadBy:
    """Who reads a setting. `why_not(values)`: why, with these flat settings, nobody does; empty where it is read."""

    name: str
    why_not: Callable[[Mapping[str, Any]], str] = _always


@dataclass(frozen=True, slots=True)
class UnitChoice:
    """The units that a setting chooses among, by key. `optional`: or `none`; `named`: also by `key:NAME`."""

    registry: Registry[Any]
    optional: bool = False
    named: bool = False


@dataclass(frozen=True, slots=True)
class CommandOption:
    """The option of a command, `--its-name`. In `help`, {default} and {choices} stand for those of the setting."""

    help: str
    metavar: str | None = None


@dataclass(frozen=True, slots=True)
class SettingInfo:
    """What a setting says of itself beside its type, default, limits, title and description, which are pydantic's.

    It stands in the type: `top_k: Annotated[int, SettingInfo(Stage.RETRIEVAL, unit="chunks")] = Field(4, ge=1, …)`.

    - `stage`: the first that reads it. An option of a unit has that of the setting that chooses the unit.
    - `read_by`: all of these must read it. An option of a unit is read by the chosen units that have it.
    - `units`: it chooses a unit. `choices`: the values with their labels where the type does not hold them.
    - `unit`: what its number counts, such as chunks; `unit_from`: the setting whose value says so.
    - `off`: the value with which its step does nothing. Fingerprints leave it out then, so that those that are stored
      stay what they are when a new step comes.
    - `label_only`: a name for people, which changes no result.
    - `in_model_calls`: goes into each call of the model, so that a unit that asks it depends on this, too.
    - `option`: commands that set it have an option for it.
    - `everyday`: the Workbench has a place for it above *More settings*. `redraws`: a change of it shows other
      settings, or another chart. `lines`: of a long text. `suggests`: which known names a form offers.
    """

    stage: Stage | None = None
    _: KW_ONLY
    read_by: tuple[ReadBy, ...] = ()
    units: UnitChoice | None = None
    choices: Callable[[], Mapping[str, str]] | None = None
    unit: str = ""
    unit_from: str = ""
    off: Any = None
    label_only: bool = False
    in_model_calls: bool = False
    option: CommandOption | None = None
    everyday: bool = False
    redraws: bool = False
    lines: int = 1
    suggests: Literal["", "models", "embeddings"] = ""


@dataclass(frozen=True, slots=True)
class Setting:
    """A declared setting: `name`, the pydantic field, and what it says of itself."""

    name: str
    field: FieldInfo
    info: SettingInfo
    stage: Stage | None

    @property
    def title(self) -> str:
        """Its name on screen."""
        return self.field.title or self.name.replace("_", " ").capitalize()

    @property
    def help(self) -> str:
        """One line on what it does."""
        return self.field.description or ""

    @property
    def default(self) -> Any:
        """The value where none is given."""
        return self.field.get_default(call_default_factory=True)

    @property
    def type(self) -> Any:
        """The type of its values, None left out where that is allowed."""
        annotation = self.field.annotation
        if get_origin(annotation) in (Union, UnionType):
            return next(part for part in get_args(annotation) if part is not type(None))
        return annotation

    @property
    def may_be_none(self) -> bool:
        """True where None is a value: no limit, say."""
        return type(None) in get_args(self.field.annotation)

    @property
    def choices(self) -> dict[str, str] | None:
        """The values to choose from with their labels; None where it is not a choice."""
        if self.info.choices is not None:
            return dict(self.info.choices())
        if get_origin(self.type) is Literal:
            return {value: str(value).replace("_", " ").capitalize() for value in get_args(self.type)}
        return None

    def limit(self, name: str) -> Any:
        """Return a limit of its values by pydantic's name (ge, le, max_length); None where there is none."""
        return next((getattr(part, name) for part in self.field.metadata if hasattr(part, name)), None)

    def why_unread(self, values: Mapping[str, Any]) -> str:
        """Return why nobody reads it with these flat settings; an empty string where it is read."""
        return why_unread(self.info.read_by, values)

    def changes_results(self, value: Any) -> bool:
        """False for a name for people, and for a step that is switched off: fingerprints leave these out."""
        return not self.info.label_only and (self.info.off is None or value != self.info.off)


def why_unread(readers: tuple[ReadBy, ...], values: Mapping[str, Any]) -> str:
    """Return why one of the readers does not read, with these flat settings; an empty string where all do."""
    return next((reason for reader in readers if (reason := reader.why_not(values))), "")


@cache
def settings_in(model: type[BaseModel], stage: Stage | None = None) -> Mapping[str, Setting]:
    """Return the settings that a model declares, by name; `stage` is that of those that name none."""
    found = {}
    for name, field in model.model_fields.items():
        info = next((part for part in field.metadata if isinstance(part, SettingInfo)), SettingInfo())
        found[name] = Setting(name, field, info, info.stage or stage)
    return MappingProxyType(found)
