"""JSON Schema: values that fit and do not, by hand; a schema that cannot be checked is refused."""

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
        ({"price": 30}, "$ has no kind"),
        ([], "$ is no object"),
        ({"price": "30", "kind": "child"}, "$.price is no number"),
        ({"price": True, "kind": "child"}, "$.price is no number"),
        ({"price": -1, "kind": "child"}, "$.price is less than 0"),
        ({"price": 100, "kind": "child"}, "$.price is not less than 100"),
        ({"price": 3, "kind": "dog"}, "$.kind is none of ['adult', 'child']"),
        ({"price": 3, "kind": "child", "seats": []}, "$.seats has fewer items than 1"),
        ({"price": 3, "kind": "child", "seats": ["A1", "B"]}, "$.seats[1] is shorter than 2"),
        ({"price": 3, "kind": "child", "note": "longer"}, "$.note is longer than 5"),
        ({"price": 3, "kind": "child", "note": "AB"}, "$.note does not match ^[a-z]*$"),
        ({"price": 3, "kind": "child", "tip": 1}, "$.tip must not be there"),
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
        ("[]", "must be a JSON object"),
        ('{"dependentRequired": {}}', "“dependentRequired”, which is not checked here"),
        ('{"properties": {"a": {"type": "text"}}}', "the type “text”"),
        ('{"properties": []}', "“properties” of the schema must be an object"),
        ('{"items": {"$ref": "#/$defs/none"}}', "refers to #/\\$defs/none, which is not in it"),
    ],
)
def test_a_schema_that_cannot_be_checked_is_refused(text, said):
    with pytest.raises(ValueError, match=said):
        read_schema(text)


def test_a_schema_that_refers_to_itself_ends():
    tree = read_schema('{"type": "object", "properties": {"next": {"$ref": "#"}}}')
    assert problem_with({"next": {"next": {}}}, tree) == ""
    assert problem_with({"next": {"next": 1}}, tree) == "$.next.next is no object"
