"""Prompt templates: shipped ones, and filling in context, question and refusal."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from rag_pipeline import prompt_files
from rag_pipeline.types import Context

_PLACEHOLDERS = frozenset({"context", "question", "refusal"})
SHIPPED = {"Concise": "concise", "Full sentence": "full_sentence", "Always answer": "always_answer"}
DEFAULT_NAME = "Concise"


@cache
def shipped_prompts() -> dict[str, str]:
    """Return the templates that come with the workbench, by name."""
    return {name: prompt_files.read_prompt("rag_pipeline", file) for name, file in SHIPPED.items()}


def default_prompt() -> str:
    """Return the template used when none is chosen."""
    return shipped_prompts()[DEFAULT_NAME]


def join_contexts(contexts: Sequence[Context]) -> str:
    """Return the contexts as they stand in the prompt, best first, an empty line between."""
    return "\n\n".join(context.text.strip() for context in contexts)


def fill(template: str, *, question: str, contexts: Sequence[Context], refusal: str) -> str:
    """Replace the three placeholders in one pass; all other braces, also those inside the texts, stay."""
    values = {"context": join_contexts(contexts), "question": question, "refusal": refusal}
    return prompt_files.fill_prompt(template, values)


def placeholders(template: str) -> set[str]:
    """Return which of `context`, `question`, `refusal` the template uses."""
    return prompt_files.placeholders(template) & _PLACEHOLDERS
