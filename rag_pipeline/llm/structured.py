"""Answers of a fixed form: ask a chat model for JSON, check it, ask again where it is not what was asked."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from rag_pipeline.errors import ProviderError
from rag_pipeline.llm.chat import ChatModel
from rag_pipeline.llm.tally import UsageTally
from rag_pipeline.registry import first_problem

_TRAILING_COMMA = re.compile(r",\s*(?=[}\]])")


class Form(BaseModel):
    """Base of the forms that a model fills in; field descriptions are part of the schema that it sees."""

    model_config = ConfigDict(frozen=True, extra="ignore")


F = TypeVar("F", bound=Form)


class UnreadableReplyError(ProviderError):
    """The model answered, but not in the form that was asked for."""


async def ask_form(model: ChatModel, prompt: str, form: type[F], tally: UsageTally, attempts: int = 2) -> F:
    """Return the model's answer as `form`. The prompt must itself describe the JSON: not every server knows schemas.

    Raises UnreadableReplyError when no attempt gave the form, ProviderError when the model cannot be asked.
    """
    problem = ""
    for _ in range(attempts):
        reply = await model.ask(prompt + problem, json_schema=strict_schema(form))
        tally.add(reply.usage)
        found, wrong = read_form(reply.text, form)
        if found is not None:
            return found
        problem = f"\n\nYour last reply could not be used: {wrong} Reply with the JSON object only."
    raise UnreadableReplyError(f"The model did not answer in the form that was asked for: {wrong}")


def read_form(text: str, form: type[F]) -> tuple[F | None, str]:
    """Return the first JSON object in `text` that fits `form`, or None and what is wrong with the best candidate."""
    wrong = "There was no JSON object in it."
    for candidate in _objects(text):
        try:
            return form.model_validate(candidate), ""
        except ValidationError as error:
            wrong = first_problem(error)[1]
    return None, wrong


def strict_schema(form: type[Form]) -> dict[str, Any]:
    """Return the JSON schema as strict servers want it: every field required, no others."""
    schema = form.model_json_schema()
    for part in (schema, *schema.get("$defs", {}).values()):
        part["additionalProperties"] = False
        part["required"] = list(part.get("properties", {}))
    return schema


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects in a text, whatever stands around them: prose, code fences, a model's thoughts."""
    decoder = json.JSONDecoder()
    for source in (text, _TRAILING_COMMA.sub("", text)):
        at = source.find("{")
        while at >= 0:
            try:
                value, end = decoder.raw_decode(source, at)
            except json.JSONDecodeError:
                end = at + 1
            else:
                yield value
            at = source.find("{", end)
