"""The judge's prompts in force, what the user changed in them, and those that a scoring used."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.judge.line_differences import DiffLine, line_differences
from evaluation.judge.prompts import shipped_prompts
from evaluation.metrics.base import Metric, metrics
from evaluation.models import JudgePrompt
from evaluation.question_writers.base import writer_prompts
from rag_pipeline.errors import ConfigError
from rag_pipeline.prompt_files import placeholders


@dataclass(frozen=True, slots=True)
class JudgePromptText:
    """A prompt of the judge as it is sent now. `used_by`: keys of the metrics that ask with it."""

    name: str
    text: str
    shipped: str
    used_by: tuple[str, ...]
    changed: dt.datetime | None = None

    @property
    def title(self) -> str:
        """The name in words."""
        return self.name.removeprefix(WRITER).replace("_", " ").capitalize()

    @property
    def by_writer(self) -> bool:
        """True for a prompt of the question writer."""
        return self.name.startswith(WRITER)

    @property
    def fields(self) -> list[str]:
        """What is filled in, in the order of the shipped text."""
        return sorted(placeholders(self.shipped), key=lambda name: self.shipped.index(f"{{{name}}}"))

    @property
    def differences(self) -> list[DiffLine]:
        """What the user changed; [] where the shipped text is in force."""
        return line_differences(self.shipped, self.text)


@dataclass(frozen=True, slots=True)
class UsedPrompt:
    """A prompt as a scoring used it. `differences`: what has changed since; `gone`: there is no such prompt now."""

    name: str
    text: str
    differences: list[DiffLine]
    gone: bool = False


WRITER = "writer_"
"""What the names of the question writer's prompts begin with, where they stand among the judge's."""


def list_judge_prompts() -> list[JudgePromptText]:
    """Return every prompt of the judge, by name."""
    return _listed(shipped_prompts())


def list_writer_prompts() -> list[JudgePromptText]:
    """Return every prompt of the question writer, by name."""
    return _listed({f"{WRITER}{name}": text for name, text in writer_prompts().items()})


def changed_writer_prompts() -> dict[str, str]:
    """Return the texts that the user gave the question writer's prompts, by the writer's own names."""
    return {each.name.removeprefix(WRITER): each.text for each in list_writer_prompts() if each.changed}


def _listed(prompts: Mapping[str, str]) -> list[JudgePromptText]:
    own = {row.name: row for row in JudgePrompt.objects.all()}
    users = _users()
    found = []
    for name, shipped in prompts.items():
        row = own.get(name)
        used_by = tuple(users.get(name, ()))
        found.append(
            JudgePromptText(name, row.text if row else shipped, shipped, used_by, row.changed if row else None)
        )
    return found


def get_judge_prompt(*, name: str) -> JudgePromptText:
    """Return the prompt called `name`, of the judge or of the question writer. Raises ConfigError."""
    found = next((each for each in [*list_judge_prompts(), *list_writer_prompts()] if each.name == name), None)
    if found is None:
        raise ConfigError(f"The judge has no prompt called “{name}”.", "name")
    return found


def used_prompts(kept: Mapping[str, str]) -> list[UsedPrompt]:
    """Return the prompts of a scoring, by name, each with what has changed in it since."""
    current = {prompt.name: prompt.text for prompt in list_judge_prompts()}
    return [
        UsedPrompt(name, text, line_differences(text, current[name]) if name in current else [], name not in current)
        for name, text in sorted(kept.items())
    ]


def prompts_of(metric: type[Metric]) -> list[str]:
    """Return the prompts that a metric asks a judge with: as it declares them, or as its worked example shows."""
    shown = {name for name, _ in metric.worked.judge} if metric.worked else set()
    return sorted(shown | metric.judge_prompts)


def _users() -> dict[str, list[str]]:
    """Return the metrics that ask with each prompt."""
    users: dict[str, list[str]] = {}
    for metric in metrics:
        for name in prompts_of(metric):
            users.setdefault(name, []).append(metric.key)
    return users
