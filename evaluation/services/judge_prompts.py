"""The judge's prompts in force: the shipped files, and the user's changes to them."""

from __future__ import annotations

from evaluation.judge.prompts import check_prompt, shipped_prompts
from evaluation.models import JudgePrompt
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
    check_prompt(name, text)
    if text == shipped_prompts()[name]:
        reset_judge_prompt(name=name)
    else:
        JudgePrompt.objects.update_or_create(name=name, defaults={"text": text})


def reset_judge_prompt(*, name: str) -> None:
    """Put the shipped text in force again."""
    JudgePrompt.objects.filter(name=name).delete()
