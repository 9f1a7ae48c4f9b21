"""The judge's prompts: shipped as plain text files, changed by users, kept exactly with each scoring."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rag_pipeline.errors import ConfigError
from rag_pipeline.prompt_files import fill_prompt, placeholders, read_prompts

_MARK = re.compile(r"<(/?)(\w+)>")
_LIKE_A_MARK = re.compile(r"<\s*(/?)\s*(\w+)\s*>")


def shipped_prompts() -> dict[str, str]:
    """Return the text of every shipped prompt, by name."""
    return read_prompts("evaluation.judge")


def check_prompt(shipped: str, text: str) -> None:
    """Raise ConfigError where a changed prompt lacks what is filled in."""
    wanted = placeholders(shipped)
    lost = sorted(wanted - placeholders(text))
    if lost:
        listed = ", ".join(f"{{{each}}}" for each in lost)
        raise ConfigError(f"The prompt must keep {listed}: that is where what is judged is filled in.", "text")


class JudgePrompts:
    """The prompts in force: a user's text where there is one, else the shipped one. `used` are those filled so far."""

    def __init__(self, changed: Mapping[str, str] | None = None) -> None:
        self._changed = dict(changed or {})
        self.used: dict[str, str] = {}

    def fill(self, name: str, fields: Mapping[str, str]) -> str:
        """Return a prompt with its `{names}` replaced in one pass; braces inside the values stay. Raises KeyError.

        A value cannot end the marks around it, such as `</answer>`: those of the prompt get a space in values.
        """
        text = self._changed.get(name) or shipped_prompts()[name]
        self.used[name] = text
        marks = {mark for _, mark in _MARK.findall(text)}
        inside = {field: without_marks(value, marks) for field, value in fields.items()}
        return fill_prompt(text, inside)


def without_marks(value: str, marks: set[str]) -> str:
    """Return a value in which nothing is one of the `marks`: a space in them keeps words and signs as they were."""
    return _LIKE_A_MARK.sub(
        lambda found: f"< {found.group(1)}{found.group(2)} >" if found.group(2).lower() in marks else found.group(),
        value,
    )
