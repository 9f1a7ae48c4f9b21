"""Records as text: one line `field: value` for a field, a blank line between records: chunkers keep them together."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from rag_pipeline.loaders.decoding import unix_lines
from rag_pipeline.loaders.layout.markdown import one_line

_DEEPEST = 30
"""Levels of nesting that become dotted names; what lies deeper is written as JSON."""

_SHOWN = 10


def record(fields: Iterable[tuple[str, str]]) -> str:
    """Return one record; fields without a value are left out. A value of several lines keeps them, without gaps."""
    lines = []
    for name, value in fields:
        text = re.sub(r"\s*\n\s*", "\n", unix_lines(value)).strip()
        if text:
            lines.append(f"{one_line(name)}: {text}" if name else text)
    return "\n".join(lines)


def records_of(value: Any) -> Iterator[str]:
    """Yield the records of a JSON value.

    A list gives one record an item. An object gives one for its plain fields and one for each item of a list of
    objects in it; the names of nested fields are joined by dots.
    """
    if isinstance(value, list):
        for item in value:
            yield record(flat(item))
    elif isinstance(value, dict):
        parts = {name: inner for name, inner in value.items() if _is_part(inner)}
        yield record(flat({name: inner for name, inner in value.items() if name not in parts}))
        for name, inner in parts.items():
            for item in inner if isinstance(inner, list) else [inner]:
                yield record(flat(item, name))
    else:
        yield record(flat(value))


def flat(value: Any, name: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """Yield (dotted name, value as text) of every leaf; a list of plain values is one leaf."""
    parts = _parts(value) if depth < _DEEPEST else None
    if parts is not None:
        for key, inner in parts:
            yield from flat(inner, f"{name}.{key}" if name else str(key), depth + 1)
    elif isinstance(value, list):
        yield name, ", ".join(filter(None, map(_plain, value)))
    else:
        yield name, _plain(value)


def _parts(value: Any) -> Iterable[tuple[Any, Any]] | None:
    """Return the fields of an object, or the numbered items of a list that holds more than plain values."""
    if isinstance(value, dict):
        return value.items()
    if isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        return enumerate(value, 1)
    return None


def numbers(values: list[int]) -> str:
    """Return the first numbers of a list, with an ellipsis when there are more."""
    shown = ", ".join(str(value) for value in values[:_SHOWN])
    return f"{shown} …" if len(values) > _SHOWN else shown


def _is_part(value: Any) -> bool:
    """True for what becomes records of its own: objects, and lists of them."""
    if isinstance(value, list):
        return bool(value) and all(isinstance(item, dict) for item in value)
    return isinstance(value, dict)


def _plain(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
