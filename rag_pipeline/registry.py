"""Plug-in registry: a unit is a class in its own file, found by importing the files of its folder."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from collections.abc import Iterator
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from rag_pipeline.errors import UsageError


class UnitOptions(BaseModel):
    """The settings that a unit reads, none here: unknown names are refused, and values do not change."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Unit:
    """Base of every plug-in.

    `key` is its name in settings, `label` its name on screen, `help` one line on when it helps.
    `Options` declares the settings that it reads; their names are those of the flat pipeline settings.
    `requires` maps an importable module to the package that brings it, for parts that are not always installed.
    """

    key: ClassVar[str] = ""
    label: ClassVar[str] = ""
    help: ClassVar[str] = ""
    requires: ClassVar[dict[str, str]] = {}

    Options: ClassVar[type[BaseModel]] = UnitOptions

    def __init__(self, options: Any = None) -> None:
        self.options = options if options is not None else self.Options()

    @classmethod
    def check_options(cls, options: Any) -> None:
        """Refuse options that cannot work here, before any work. Raises ConfigError with the mend."""

    @classmethod
    def missing(cls) -> str:
        """Return why this unit cannot be used here (a package to install), or an empty string."""
        absent = [pkg for module, pkg in cls.requires.items() if importlib.util.find_spec(module) is None]
        return f"Needs {', '.join(absent)}: pip install {' '.join(absent)}" if absent else ""


U = TypeVar("U", bound=Unit)


class Registry(Generic[U]):
    """Units of one kind, by key. `package` is the folder whose modules are imported on first use."""

    def __init__(self, kind: str, package: str) -> None:
        self.kind = kind
        self.package = package
        self._units: dict[str, type[U]] = {}
        self._registered: tuple[type[U], ...] = ()
        self._sorted: tuple[type[U], ...] = ()
        self._discovered = False

    def register(self, unit: type[U]) -> type[U]:
        """Class decorator. Raises ValueError when the key is empty or taken."""
        if not unit.key:
            raise ValueError(f"{unit.__name__} has no key")
        taken = self._units.get(unit.key)
        if taken is not None and taken.__qualname__ != unit.__qualname__:
            raise ValueError(f"two {self.kind}s are called {unit.key}")
        self._units[unit.key] = unit
        return unit

    def discover(self) -> None:
        """Import every module of the package once."""
        if self._discovered:
            return
        package = importlib.import_module(self.package)
        for info in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"{self.package}.{info.name}")
        self._discovered = True

    def __iter__(self) -> Iterator[type[U]]:
        return iter(self.units)

    @property
    def units(self) -> tuple[type[U], ...]:
        """All units, sorted by key: asked for a thousand times a page, so they are sorted only where one is new."""
        self.discover()
        registered = tuple(self._units.values())
        if registered != self._registered:
            self._sorted = tuple(sorted(registered, key=lambda unit: unit.key))
            self._registered = registered
        return self._sorted

    def keys(self) -> list[str]:
        """Return all keys, sorted."""
        return [unit.key for unit in self]

    def find(self, key: str) -> type[U] | None:
        """Return the unit called `key`, None where there is none."""
        if key not in self._units and not self._discovered:
            self._look_in_own_file(key)
        if key not in self._units:
            self.discover()
        return self._units.get(key)

    def _look_in_own_file(self, key: str) -> None:
        """Import the file that has the name of a unit, where there is one: it is there without all the others."""
        if key.isidentifier() and importlib.util.find_spec(f"{self.package}.{key}"):
            importlib.import_module(f"{self.package}.{key}")

    def get(self, key: str, field: str | None = None, also: tuple[str, ...] = ()) -> type[U]:
        """Return the unit called `key`. Raises UsageError naming what there is, and `also`."""
        unit = self.find(key)
        if unit is None:
            raise UsageError(
                f"There is no {self.kind} called “{key}”. Choose one of: {', '.join([*also, *self.keys()])}.",
                field or self.kind,
            )
        return unit


def first_problem(error: ValidationError) -> tuple[str, str]:
    """Return (field, message in plain words) of the first problem of a pydantic error."""
    problem = error.errors()[0]
    name = str(problem["loc"][0]) if problem["loc"] else ""
    if problem["type"] == "value_error":
        return name, problem["msg"].removeprefix("Value error, ")
    label = name.replace("_", " ").capitalize().replace("Mmr", "MMR")
    limits = {limit: _plainly(value) for limit, value in problem.get("ctx", {}).items()}
    phrase = _PHRASES.get(problem["type"], "")
    if not phrase:
        return name, f"{label}: {problem['msg']}."
    return name, f"{label} {phrase.format(**limits)}, not “{shortened(problem.get('input'))}”."


_PHRASES = {
    **dict.fromkeys(("int_parsing", "int_type", "int_from_float"), "must be a whole number"),
    **dict.fromkeys(("float_parsing", "float_type", "finite_number"), "must be a number"),
    **dict.fromkeys(("bool_parsing", "bool_type"), "must be true or false"),
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "literal_error": "must be {expected}",
    "string_too_long": "must have at most {max_length} characters",
    "string_too_short": "must not be empty",
    "string_type": "must be a text",
    "dict_type": "must be an object of names and numbers",
}
"""What pydantic's kinds of error mean, in the words of the form."""


def _plainly(limit: Any) -> Any:
    """Return 1.0 as 1, and quoted choices without their quotes."""
    return f"{limit:g}" if isinstance(limit, float) else limit.replace("'", "") if isinstance(limit, str) else limit


def shortened(value: Any) -> str:
    """Return a value as a message quotes it."""
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
