"""The prompts of judge and question writer in force: the shipped files, and the user's changes to them."""

from __future__ import annotations

from evaluation.judge.prompts import check_prompt
from evaluation.models import JudgePrompt
from evaluation.queries.judge_prompts import get_judge_prompt
from rag_pipeline.errors import ConfigError

LONGEST = 20_000
"""Characters of a prompt; what is judged comes on top."""


def save_judge_prompt(*, name: str, text: str) -> None:
    """Put a changed text in force; the shipped one given back is no change. Raises ConfigError with the field."""
    text = text.replace("\r\n", "\n").strip()
    if not text:
        raise ConfigError("The prompt is empty. Reset it to have the shipped one again.", "text")
    if len(text) > LONGEST:
        raise ConfigError(f"The prompt has {len(text):,} characters; at most {LONGEST:,} are sent.", "text")
    shipped = get_judge_prompt(name=name).shipped
    check_prompt(shipped, text)
    if text == shipped:
        reset_judge_prompt(name=name)
    else:
        JudgePrompt.objects.update_or_create(name=name, defaults={"text": text})


def reset_judge_prompt(*, name: str) -> None:
    """Put the shipped text in force again."""
    JudgePrompt.objects.filter(name=name).delete()
