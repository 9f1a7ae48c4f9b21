"""Answers of a fixed form: ask a chat model for JSON, check it, ask again where it is not what was asked."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Iterator
from functools import cache
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from rag_pipeline.errors import ProviderError
from rag_pipeline.llm.call_settings import CallSettings
from rag_pipeline.llm.chat import CUT_OFF
from rag_pipeline.llm.replies import FILTERED, Reply
from rag_pipeline.llm.tally import UsageTally
from rag_pipeline.registry import first_problem

_TRAILING_COMMA = re.compile(r",\s*(?=[}\]])")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_MOST_TRIES = 500
"""Braces that begin no JSON; a text that repeats itself has thousands, and each is read up to its end."""


class Form(BaseModel):
    """Base of the forms that a model fills in; field descriptions are part of the schema that it sees."""

    model_config = ConfigDict(frozen=True, extra="ignore")


F = TypeVar("F", bound=Form)


class UnreadableReplyError(ProviderError):
    """The model answered, but not in the form that was asked for.

    `problem`: what was wrong with the last reply. `cut_off`: it was longer than the model may reply.
    """

    def __init__(self, problem: str, *, cut_off: bool = False) -> None:
        self.problem = problem
        self.cut_off = cut_off
        super().__init__(
            f"The model did not answer in the form that was asked for. Try again, or choose another model. {problem}"
        )


def accept(form: Any) -> str:
    """Find nothing wrong with a filled form."""
    return ""


class AskedModel(Protocol):
    """What `ask_form` needs of a ChatModel."""

    @property
    def settings(self) -> CallSettings:
        """Return the settings of the next call."""

    async def once(
        self, prompt: str, form: dict[str, Any] | None, ask: Callable[[], Awaitable[Reply]], repeat: int = 0
    ) -> Reply:
        """Return the reply that is kept for this content, else what `ask` returns."""

    async def ask_afresh(self, prompt: str, *, json_schema: dict[str, Any] | None, priority: float) -> Reply:
        """Return a whole new answer."""


async def ask_form(
    model: AskedModel,
    prompt: str,
    form: type[F],
    tally: UsageTally,
    *,
    check: Callable[[F], str] = accept,
    attempts: int = 2,
    priority: float = 0.0,
    repeat: int = 0,
) -> F:
    """Return the model's answer as `form`. The prompt must itself describe the JSON: not every server knows schemas.

    `check` returns what is wrong with a filled form, such as a verdict too few. A reply that cannot be used is
    repaired, then asked for anew; the one that can is kept by the content of `prompt` and `repeat`.
    Raises UnreadableReplyError when no attempt gave the form, ProviderError when the model cannot be asked.
    """
    schema = strict_schema(form)
    filled: list[F] = []

    async def asked() -> Reply:
        """Return the first reply that can be used. Raises UnreadableReplyError, ProviderError."""
        sent = prompt
        for attempt in range(attempts):
            # What has begun is ended first.
            reply = await model.ask_afresh(sent, json_schema=schema, priority=priority + 10 * attempt)
            tally.add(reply.usage)
            found, wrong = _usable(reply.text, form, check)
            if found is not None:
                filled.append(found)
                return reply
            problem = _why_it_ended(reply, model.settings) or wrong
            sent = _repair(prompt, reply.text, problem) if attempt == 0 else prompt
        raise UnreadableReplyError(problem, cut_off=reply.finish in CUT_OFF)

    reply = await model.once(prompt, schema, asked, repeat)
    tally.kept += reply.kept
    if filled:
        return filled[0]
    found, problem = _usable(reply.text, form, check)
    if found is None:
        raise UnreadableReplyError(problem)
    return found


def _usable(text: str, form: type[F], check: Callable[[F], str]) -> tuple[F | None, str]:
    found, wrong = read_form(text, form)
    wrong = wrong or (check(found) if found is not None else "")
    return (None, wrong) if wrong else (found, "")


def _why_it_ended(reply: Reply, settings: CallSettings) -> str:
    """Return that a reply was cut off or stopped where it was."""
    if reply.finish in FILTERED:
        return "The provider's content filter stopped it."
    return f"It was cut off after {settings.max_tokens:,} tokens." if reply.finish in CUT_OFF else ""


def _repair(prompt: str, reply: str, problem: str) -> str:
    return (
        f"{prompt}\n\nYou replied:\n{reply}\n\nThat could not be used: {problem} "
        "Reply again with the corrected JSON object only."
    )


def read_form(text: str, form: type[F]) -> tuple[F | None, str]:
    """Return what in `text` fits `form`, or None and what is wrong with it.

    What a model thought aloud beforehand does not count. Two objects that both fit and differ are no answer.
    """
    said = _without_thoughts(text)
    found, wrong = _all_fitting(said, form)
    if not found:
        found, wrong = _all_fitting(_TRAILING_COMMA.sub("", said), form)
    if len(found) > 1:
        return None, "There was more than one JSON object in it, and they differ."
    return (found[0], "") if found else (None, wrong)


def _all_fitting(text: str, form: type[F]) -> tuple[list[F], str]:
    """Return the different objects that fit, and what was wrong with the last that does not."""
    found: list[F] = []
    wrong = "There was no JSON object in it."
    for candidate in _objects(text):
        fitting, problem = _fitted(_clean(candidate), form)
        wrong = problem or wrong
        if fitting is not None and fitting not in found:
            found.append(fitting)
    return found, wrong


@cache
def strict_schema(form: type[Form]) -> dict[str, Any]:
    """Return the JSON schema as strict servers want it: every field required, no others. Not to be changed."""
    schema = form.model_json_schema()
    for part in (schema, *schema.get("$defs", {}).values()):
        part["additionalProperties"] = False
        part["required"] = list(part.get("properties", {}))
    return schema


def _without_thoughts(text: str) -> str:
    """Return what follows a model's thoughts, whether or not their beginning is marked; all where there are none."""
    if text.lstrip().startswith(("{", "[")):
        return text  # a JSON reply may speak of the marks
    head, _, rest = text.rpartition("</think>")
    return (rest if head else text).partition("<think>")[0]


def _fitted(candidate: dict[str, Any], form: type[F]) -> tuple[F | None, str]:
    """Return the object as `form`: as it is, with its keys in lower case, or what is wrapped in it."""
    wrong = ""
    inner = [value for value in candidate.values() if isinstance(value, dict)]
    for each in (candidate, _lower_keys(candidate), *inner, *map(_lower_keys, inner)):
        try:
            return form.model_validate(each), ""
        except ValidationError as error:
            wrong = wrong or first_problem(error)[1]
    return None, wrong


def _lower_keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {key.lower(): _lower_keys(each) for key, each in value.items()}
    return [_lower_keys(each) for each in value] if isinstance(value, list) else value


def _clean(value: Any) -> Any:
    """Return the same without characters that can neither be sent nor stored: half of a pair, and zero."""
    if isinstance(value, dict):
        return {key: _clean(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_clean(each) for each in value]
    return _UNSTORABLE.sub("\ufffd", value) if isinstance(value, str) else value


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects in a text, whatever stands around them: prose, code fences."""
    decoder = json.JSONDecoder()
    at, tries = text.find("{"), 0
    while at >= 0 and tries < _MOST_TRIES:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):  # not JSON, a number of 5,000 digits, or nested a thousand times
            end, tries = at + 1, tries + 1
        else:
            yield value
        at = text.find("{", end)
