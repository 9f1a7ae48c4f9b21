"""JSON Schema: values that fit and do not, by hand; a wrong schema is refused."""

from __future__ import annotations

import json

import pytest

from evaluation.json_schemas import problem_with, read_schema

TICKET = {
    "type": "object",
    "required": ["price", "kind"],
    "additionalProperties": False,
    "properties": {
        "price": {"type": "number", "minimum": 0, "exclusiveMaximum": 100},
        "kind": {"enum": ["adult", "child"]},
        "seats": {"type": "array", "items": {"$ref": "#/$defs/seat"}, "minItems": 1, "maxItems": 2},
        "note": {"type": ["string", "null"], "maxLength": 5, "pattern": "^[a-z]*$"},
    },
    "$defs": {"seat": {"type": "string", "minLength": 2}},
}


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({"price": 30, "kind": "child"}, ""),
        ({"price": 0, "kind": "adult", "seats": ["A1", "A2"], "note": None}, ""),
        ({"price": 30}, "$: 'kind' is a required property"),
        ([], "$: [] is not of type 'object'"),
        ({"price": "30", "kind": "child"}, "$.price: '30' is not of type 'number'"),
        ({"price": True, "kind": "child"}, "$.price: True is not of type 'number'"),
        ({"price": -1, "kind": "child"}, "$.price: -1 is less than the minimum of 0"),
        ({"price": 3, "kind": "dog"}, "$.kind: 'dog' is not one of ['adult', 'child']"),
        ({"price": 3, "kind": "child", "seats": ["A1", "B"]}, "$.seats[1]: 'B' is too short"),
        ({"price": 3, "kind": "child", "note": "AB"}, "$.note: 'AB' does not match '^[a-z]*$'"),
    ],
)
def test_a_value_fits_or_is_told_what_is_wrong(value, problem):
    assert problem_with(value, read_schema(json.dumps(TICKET))) == problem


@pytest.mark.parametrize(
    ("schema", "fits", "does_not"),
    [
        ({"anyOf": [{"type": "integer"}, {"const": "x"}]}, [1, 2.0, "x"], [1.5, "y"]),
        ({"oneOf": [{"minimum": 1}, {"maximum": 5}]}, [0, 9], [3]),
        ({"allOf": [{"minimum": 1}, {"maximum": 5}]}, [3], [0, 9]),
        ({"not": {"type": "null"}}, [0, ""], [None]),
        (True, [1, None], []),
        (False, [], [1]),
        ({"additionalProperties": {"type": "integer"}}, [{"a": 1}, 3], [{"a": "b"}]),
        ({"minProperties": 1, "maxProperties": 1}, [{"a": 1}], [{}, {"a": 1, "b": 2}]),
    ],
)
def test_combinations(schema, fits, does_not):
    checked = read_schema(json.dumps(schema))
    assert [problem_with(value, checked) for value in fits] == [""] * len(fits)
    assert all(problem_with(value, checked) for value in does_not)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is not JSON"),
        ("[]", r"wrong at \$: \[\] is not of type 'object', 'boolean'"),
        ('{"properties": {"a": {"type": "text"}}}', r"wrong at \$\.properties\.a\.type: 'text' is not valid"),
        ('{"items": {"$ref": "#/$defs/none"}}', r"refers to #/\$defs/none, which is not in it"),
        (
            '{"$ref": "https://example.org/schema.json"}',
            "refers to https://example.org/schema.json, which is not in it",
        ),
    ],
)
def test_a_schema_that_cannot_be_checked_is_refused(text, said):
    with pytest.raises(ValueError, match=said):
        read_schema(text)


def test_a_schema_that_refers_to_itself_ends():
    tree = read_schema('{"type": "object", "properties": {"next": {"$ref": "#"}}}')
    assert problem_with({"next": {"next": {}}}, tree) == ""
    assert problem_with({"next": {"next": 1}}, tree) == "$.next.next: 1 is not of type 'object'"
    assert problem_with(1, read_schema('{"$ref": "#"}')) == "the schema refers to itself without end"


def test_a_pattern_without_end_is_stopped():
    schema = read_schema('{"type": "string", "pattern": "^(a|aa)+$"}')
    assert "does not match" in problem_with("a" * 40 + "!", schema)
