"""Prompt templates: shipped ones, and filling in context, question and refusal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from rag_pipeline.types import Context

_PLACEHOLDER = re.compile(r"\{(context|question|refusal)\}")
SHIPPED = {"Concise": "concise.txt", "Full sentence": "full_sentence.txt", "Always answer": "always_answer.txt"}
DEFAULT_NAME = "Concise"


@cache
def shipped_prompts() -> dict[str, str]:
    """Return the templates that come with the workbench, by name."""
    folder = files("rag_pipeline") / "prompts"
    return {name: (folder / file).read_text(encoding="utf-8").strip() for name, file in SHIPPED.items()}


def default_prompt() -> str:
    """Return the template used when none is chosen."""
    return shipped_prompts()[DEFAULT_NAME]


def join_contexts(contexts: Sequence[Context]) -> str:
    """Return the contexts as they stand in the prompt, best first, an empty line between."""
    return "\n\n".join(context.text.strip() for context in contexts)


def fill(template: str, *, question: str, contexts: Sequence[Context], refusal: str) -> str:
    """Replace the three placeholders in one pass; all other braces, also those inside the texts, stay."""
    values = {"context": join_contexts(contexts), "question": question, "refusal": refusal}
    return _PLACEHOLDER.sub(lambda match: values[match.group(1)], template)


def placeholders(template: str) -> set[str]:
    """Return which of `context`, `question`, `refusal` the template uses."""
    return set(_PLACEHOLDER.findall(template))
