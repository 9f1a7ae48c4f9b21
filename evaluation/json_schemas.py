"""JSON Schema (draft 2020-12) with jsonschema: nothing is fetched, and no pattern takes without end."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import regex
from jsonschema import Draft202012Validator, SchemaError, ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

_SECONDS = 0.2


@lru_cache(maxsize=16)
def read_schema(text: str) -> Validator:
    """Return what checks values by a schema. Raises ValueError saying what is wrong with the schema."""
    try:
        schema = json.loads(text)
        Draft202012Validator.check_schema(schema)
    except ValueError as error:
        raise ValueError(f"The schema is not JSON ({error}).") from error
    except SchemaError as error:
        raise ValueError(f"The schema is wrong at {error.json_path}: {error.message}.") from error
    if isinstance(schema, dict):
        _check_references(schema)
    return _Checked(schema, registry=Registry())


def problem_with(value: Any, schema: Validator) -> str:
    """Return the first thing that is wrong with a value, with its place, or an empty string."""
    try:
        error = next(iter(schema.iter_errors(value)), None)
    except RecursionError:
        return "the schema refers to itself without end"
    return f"{error.json_path}: {error.message}" if error else ""


def _pattern(validator: Validator, wanted: str, value: Any, schema: Mapping[str, Any]) -> Iterator[ValidationError]:
    if isinstance(value, str):
        try:
            found = regex.search(wanted, value, timeout=_SECONDS)
        except TimeoutError:
            found = None
        if found is None:
            yield ValidationError(f"{value!r} does not match {wanted!r}")


_Checked = extend(Draft202012Validator, {"pattern": _pattern})


def _check_references(schema: dict[str, Any]) -> None:
    """Raise ValueError for a reference to what is not in the schema."""
    resolver = Registry().resolver_with_root(DRAFT202012.create_resource(schema))
    for reference in _references(schema):
        try:
            resolver.lookup(reference)
        except Unresolvable as error:
            raise ValueError(f"The schema refers to {reference}, which is not in it.") from error


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if isinstance(part.get("$ref"), str):
            yield part["$ref"]
        part = list(part.values())
    for each in part if isinstance(part, list) else ():
        yield from _references(each)
