"""What is wrong with a file, row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from rag_pipeline.errors import ConfigError

Row = TypeVar("Row")
Made = TypeVar("Made")

FIELD = "file"
_SHOWN = 3


class RowError(Exception):
    """One row does not fit; the text says why."""


NOTHING_IMPORTED = "Nothing was imported."
NOTHING_SCORED = "Nothing was scored."


def refuse(reason: str, nothing: str = NOTHING_IMPORTED) -> ConfigError:
    """Return the error that refuses a whole file."""
    return ConfigError(f"{reason} {nothing}", FIELD)


def each_row(
    rows: Iterable[tuple[str, Row]], make: Callable[[Row], Made], nothing: str = NOTHING_IMPORTED
) -> list[Made]:
    """Make something of every row, given with its place (“Row 5”). Raises ConfigError naming the rows that fail.

    `nothing` says what was not done for that reason.
    """
    made: list[Made] = []
    problems: list[str] = []
    for place, row in rows:
        try:
            made.append(make(row))
        except RowError as problem:
            problems.append(f"{place}: {problem}")
    if problems:
        more = f" {len(problems) - _SHOWN} more rows do not fit." if len(problems) > _SHOWN else ""
        raise refuse(" ".join(problems[:_SHOWN]) + more, nothing)
    return made
