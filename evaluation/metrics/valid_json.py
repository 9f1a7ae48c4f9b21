"""Rules: an answer is JSON."""

from __future__ import annotations

import json
import re

from pydantic import Field, field_validator

from evaluation.metrics.base import MetricContext, metrics
from evaluation.metrics.rule import Rule, verdict
from evaluation.metrics.worked import WorkedExample
from evaluation.types import Sample, Score
from rag_pipeline.registry import UnitOptions

_FENCE = re.compile(r"```(?:json)?[ \t]*\n(.*)\n[ \t]*```", re.DOTALL | re.IGNORECASE)


class ValidJsonOptions(UnitOptions):
    """What else it has to be."""

    keys: str = Field(
        "",
        max_length=1000,
        title="Keys",
        description="Names that the object must have, commas between; any JSON if empty.",
    )
    json_schema: str = Field(
        "",
        max_length=20_000,
        title="Schema",
        description='A JSON Schema that it must fit, such as {"type": "object", "required": ["price"]}.',
    )
    fence: bool = Field(True, title="Fence", description="Allow the marks of a code block around it (```json).")

    @field_validator("json_schema")
    @classmethod
    def _is_a_schema(cls, value: str) -> str:
        if value.strip():
            from evaluation.json_schemas import read_schema  # a quarter of a second, for one option

            read_schema(value)
        return value.strip()


@metrics.register
class ValidJson(Rule):
    """The whole answer parses as JSON (RFC 8259): no NaN, nothing before or after it."""

    key = "valid_json"
    label = "Valid JSON"
    known_as = {"DeepEval": ("JsonCorrectnessMetric",)}
    help = "Whether the whole answer is JSON, with the wanted keys or of the wanted schema where one is given."
    formula = "1 if the answer parses as JSON, has the keys and fits the schema, else 0"
    source = "RFC 8259 (Bray 2017); JSON Schema 2020-12 (Wright et al. 2022)"
    worked = WorkedExample(
        0.0,
        "It is a JSON object, but has no key “currency”: broken. Without the option it would be kept.",
        question="What does it cost?",
        answer='{"price": 30}',
        options={"keys": "price, currency"},
    )
    Options = ValidJsonOptions
    options: ValidJsonOptions

    def score(self, sample: Sample, context: MetricContext) -> Score:
        """Return 1 for JSON with the wanted keys."""
        text = sample.trace.answer.strip()
        fenced = _FENCE.fullmatch(text)
        if fenced and self.options.fence:
            text = fenced[1]
        try:
            # A number may have any length, which Python's own conversion refuses.
            value = json.loads(text, parse_int=float, parse_constant=_refuse)
        except RecursionError:
            return verdict(False, "it is nested too deeply to be read")
        except ValueError as error:
            return verdict(False, f"it is not JSON: {error}")
        return self._with_keys(value)

    def _with_keys(self, value: object) -> Score:
        wanted = [name.strip() for name in self.options.keys.split(",") if name.strip()]
        if wanted and not isinstance(value, dict):
            return verdict(False, "it is JSON, but not an object")
        absent = [name for name in wanted if name not in value]  # type: ignore[operator]
        if absent:
            return verdict(False, f"it has no {' and no '.join(absent)}")
        if not self.options.json_schema:
            return verdict(True, "it is JSON")
        from evaluation.json_schemas import problem_with, read_schema

        problem = problem_with(value, read_schema(self.options.json_schema))
        return verdict(not problem, problem or "it is JSON of the schema")


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no number in JSON")
