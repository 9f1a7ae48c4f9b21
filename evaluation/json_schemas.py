"""JSON Schema (draft 2020-12, section names of its validation vocabulary): what of it an answer can be held to.

Keywords that are not checked here are refused, so that no answer passes for what nobody looked at.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

_TYPES: dict[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "integer": lambda value: (
        isinstance(value, int | float) and not isinstance(value, bool) and float(value).is_integer()
    ),
}
_SILENT = frozenset({"$schema", "$id", "$comment", "$defs", "title", "description", "default", "examples", "format"})
"""Keywords that say something without holding a value to anything (`format` is a note, unless asked for)."""
_DEEPEST = 50

Schema = Mapping[str, Any] | bool


def read_schema(text: str) -> Schema:
    """Return a schema from its text. Raises ValueError saying what is wrong with it."""
    try:
        schema = json.loads(text)
    except ValueError as error:
        raise ValueError(f"The schema is not JSON ({error}).") from error
    _check_schema(schema, schema, 0)
    found: Schema = schema
    return found


def problem_with(value: Any, schema: Schema) -> str:
    """Return the first thing that is wrong with a value, with its place, or an empty string."""
    return next(_problems(value, schema, schema, "$"), "")


def _problems(value: Any, schema: Schema, root: Schema, at: str) -> Iterator[str]:
    if isinstance(schema, bool):
        if not schema:
            yield f"{at} must not be there"
        return
    for keyword, wanted in schema.items():
        if keyword in _RULES:
            yield from _RULES[keyword](value, wanted, schema, root, at)


def _type(value: Any, wanted: Any, schema: Mapping[str, Any], root: Schema, at: str) -> Iterator[str]:
    names = [wanted] if isinstance(wanted, str) else wanted
    if not any(_TYPES[name](value) for name in names):
        yield f"{at} is no {' or '.join(names)}"


def _properties(value: Any, wanted: Any, schema: Mapping[str, Any], root: Schema, at: str) -> Iterator[str]:
    for name, inner in wanted.items() if isinstance(value, dict) else ():
        if name in value:
            yield from _problems(value[name], inner, root, f"{at}.{name}")


def _additional(value: Any, wanted: Any, schema: Mapping[str, Any], root: Schema, at: str) -> Iterator[str]:
    for name in value if isinstance(value, dict) else ():
        if name not in schema.get("properties", {}):
            yield from _problems(value[name], wanted, root, f"{at}.{name}")


def _required(value: Any, wanted: Any, schema: Mapping[str, Any], root: Schema, at: str) -> Iterator[str]:
    missing = [name for name in wanted if name not in value] if isinstance(value, dict) else []
    if missing:
        yield f"{at} has no {' and no '.join(missing)}"


def _items(value: Any, wanted: Any, schema: Mapping[str, Any], root: Schema, at: str) -> Iterator[str]:
    for place, each in enumerate(value if isinstance(value, list) else ()):
        yield from _problems(each, wanted, root, f"{at}[{place}]")


def _pattern(value: Any, wanted: Any, schema: Mapping[str, Any], root: Schema, at: str) -> Iterator[str]:
    import regex

    if isinstance(value, str):
        try:
            found = regex.search(wanted, value, timeout=0.2)
        except TimeoutError:
            found = None
        if found is None:
            yield f"{at} does not match {wanted}"


def _combined(fits: Callable[[int, int], bool], words: str) -> Callable[..., Iterator[str]]:
    def rule(value: Any, wanted: Any, schema: Mapping[str, Any], root: Schema, at: str) -> Iterator[str]:
        parts = wanted if isinstance(wanted, list) else [wanted]
        met = sum(not any(_problems(value, part, root, at)) for part in parts)
        if not fits(met, len(parts)):
            yield f"{at} {words}"

    return rule


def _limit(
    kind: type | tuple[type, ...], size: Callable[[Any], Any], holds: Callable[[Any, Any], bool], words: str
) -> Any:
    def rule(value: Any, wanted: Any, schema: Mapping[str, Any], root: Schema, at: str) -> Iterator[str]:
        if isinstance(value, kind) and not isinstance(value, bool) and not holds(size(value), wanted):
            yield f"{at} {words} {wanted}"

    return rule


def _ref(value: Any, wanted: Any, schema: Mapping[str, Any], root: Schema, at: str) -> Iterator[str]:
    if at.count(".") + at.count("[") < _DEEPEST:
        yield from _problems(value, _resolved(wanted, root), root, at)


def _resolved(ref: str, root: Schema) -> Schema:
    found: Any = root
    for part in [each for each in ref.removeprefix("#").split("/") if each]:
        found = found[part]
    schema: Schema = found
    return schema


_NUMBER = (int, float)
_RULES: dict[str, Callable[..., Iterator[str]]] = {
    "type": _type,
    "properties": _properties,
    "additionalProperties": _additional,
    "required": _required,
    "items": _items,
    "pattern": _pattern,
    "$ref": _ref,
    "enum": lambda value, wanted, schema, root, at: iter(() if value in wanted else (f"{at} is none of {wanted}",)),
    "const": lambda value, wanted, schema, root, at: iter(() if value == wanted else (f"{at} is not {wanted!r}",)),
    "anyOf": _combined(lambda met, of: met >= 1, "fits none of anyOf"),
    "oneOf": _combined(lambda met, of: met == 1, "does not fit exactly one of oneOf"),
    "allOf": _combined(lambda met, of: met == of, "does not fit all of allOf"),
    "not": _combined(lambda met, of: met == 0, "fits what it must not"),
    "minimum": _limit(_NUMBER, float, lambda size, limit: size >= limit, "is less than"),
    "maximum": _limit(_NUMBER, float, lambda size, limit: size <= limit, "is more than"),
    "exclusiveMinimum": _limit(_NUMBER, float, lambda size, limit: size > limit, "is not more than"),
    "exclusiveMaximum": _limit(_NUMBER, float, lambda size, limit: size < limit, "is not less than"),
    "minLength": _limit(str, len, lambda size, limit: size >= limit, "is shorter than"),
    "maxLength": _limit(str, len, lambda size, limit: size <= limit, "is longer than"),
    "minItems": _limit(list, len, lambda size, limit: size >= limit, "has fewer items than"),
    "maxItems": _limit(list, len, lambda size, limit: size <= limit, "has more items than"),
    "minProperties": _limit(dict, len, lambda size, limit: size >= limit, "has fewer names than"),
    "maxProperties": _limit(dict, len, lambda size, limit: size <= limit, "has more names than"),
}
_WITH_SCHEMAS = {"properties": dict, "$defs": dict, "anyOf": list, "oneOf": list, "allOf": list}
_SCHEMA_ITSELF = ("items", "additionalProperties", "not")


def _check_schema(schema: Any, root: Any, depth: int) -> None:
    """Raise ValueError for what is no schema, or one with keywords that are not checked."""
    if isinstance(schema, bool):
        return
    if not isinstance(schema, dict) or depth > _DEEPEST:
        raise ValueError("The schema, and each one in it, must be a JSON object.")
    unknown = sorted(set(schema) - set(_RULES) - _SILENT)
    if unknown:
        known = ", ".join(sorted(_RULES))
        raise ValueError(f"The schema has “{unknown[0]}”, which is not checked here. Known: {known}.")
    _check_types(schema.get("type", []))
    if "$ref" in schema:
        _check_ref(schema["$ref"], root)
    for each in _inner(schema):
        _check_schema(each, root, depth + 1)


def _check_types(names: Any) -> None:
    for name in [names] if isinstance(names, str) else names:
        if name not in _TYPES:
            raise ValueError(f"The schema has the type “{name}”. Possible: {', '.join(_TYPES)}.")


def _check_ref(ref: Any, root: Any) -> None:
    try:
        _resolved(ref, root)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"The schema refers to {ref}, which is not in it.") from error


def _inner(schema: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the schemas inside a schema."""
    for keyword, kind in _WITH_SCHEMAS.items():
        inner = schema.get(keyword, kind())
        if not isinstance(inner, kind):
            raise ValueError(f"“{keyword}” of the schema must be {'an object' if kind is dict else 'a list'}.")
        yield from inner.values() if isinstance(inner, dict) else inner
    yield from (schema[keyword] for keyword in _SCHEMA_ITSELF if keyword in schema)
