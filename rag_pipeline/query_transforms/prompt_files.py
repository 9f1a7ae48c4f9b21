"""The prompts that ask a model for other questions, as plain text files in `prompts/transforms/`."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_PLACEHOLDER = re.compile(r"\{(question|count)\}")


@cache
def transform_prompt(key: str) -> str:
    """Return the template of the query transform `key`, with `{question}` and, where it reads it, `{count}`."""
    return (files("rag_pipeline") / "prompts" / "transforms" / f"{key}.txt").read_text(encoding="utf-8").strip()


def filled_prompt(key: str, question: str, count: int = 0) -> str:
    """Return the prompt as it is sent; braces inside the question stay."""
    values = {"question": question, "count": str(count)}
    return _PLACEHOLDER.sub(lambda match: values[match.group(1)], transform_prompt(key))
