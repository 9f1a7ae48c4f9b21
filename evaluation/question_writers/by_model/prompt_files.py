"""The prompts that are sent to a model which writes or judges, as plain text files in `prompts/`."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_PLACEHOLDER = re.compile(r"\{(\w+)\}")


def fill_prompt(name: str, **values: str) -> str:
    """Return `prompts/<name>.txt` with its `{names}` replaced in one pass; braces inside the values stay."""
    return _PLACEHOLDER.sub(lambda match: values.get(match.group(1), match.group()), _read(name))


@cache
def _read(name: str) -> str:
    return (files("evaluation") / "prompts" / f"{name}.txt").read_text(encoding="utf-8").strip()
