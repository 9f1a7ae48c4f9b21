"""SweepSpec: what a sweep tries, and how it is searched and judged."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from evaluation.experiments.guided import places_of
from evaluation.experiments.space import (
    Configuration,
    Expanded,
    LeftOut,
    Space,
    Value,
    check_space,
    configuration_at,
    expand,
)
from evaluation.spec import CheckedSpec, EvaluationSpec, RunOptions
from rag_pipeline.errors import ConfigError
from rag_pipeline.setting_fields import CommandOption, SettingInfo


def drawn(space: Space, sizes: Sequence[int], count: int) -> Expanded:
    """Return some configurations of a space, the same ones each time. Raises ConfigError where none can be run."""
    check_space(space)
    size = math.prod(sizes)
    found = Expanded()
    for number in random.Random(0).sample(range(size), min(count, size)):
        places = places_of(number, sizes) or ()
        try:
            found.configurations.append(configuration_at(space, places, number + 1))
        except ConfigError as error:
            swept = {
                name: values[place].label for (name, values), place in zip(space.grid.items(), places, strict=True)
            }
            found.impossible.append(LeftOut(swept, str(error)))
    if not found.configurations:
        raise ConfigError(found.impossible[0].reason)
    return found


RETRIEVAL_METRICS = ("hit_rate", "mrr", "span_precision", "span_iou")
"""What retrieval alone is scored with, beside context matching."""
_TOKENS = "tokens:"
MOST_FRESH = 500
"""Pairs written afresh for a confirmation, at most."""


class SweepOptions(CheckedSpec):
    """How a sweep is searched and judged."""

    search: Annotated[
        Literal["grid", "race", "guided"],
        SettingInfo(
            option=CommandOption(
                "grid asks everything of all; race lets go of what is clearly behind; guided tries --trials of them, "
                "each chosen by the scores before it"
            )
        ),
    ] = Field(
        "grid",
        title="Search",
        description="grid asks everything; race drops what is clearly behind; guided tries some, led by their scores.",
    )
    trials: Annotated[
        int, SettingInfo(option=CommandOption("configurations that a guided search tries ({default})", "N"))
    ] = Field(20, ge=1, le=500, title="Trials", description="How many configurations a guided search tries.")
    compare_at: Annotated[
        str,
        SettingInfo(
            option=CommandOption("k chunks for each, or the same budget of context: tokens:1000 ({default})", "AT")
        ),
    ] = Field("k", title="Compare at", description="k, or tokens:N for the same budget of context everywhere.")
    retrieval_only: Annotated[
        bool, SettingInfo(option=CommandOption("score retrieval alone: no model is asked, minutes become seconds"))
    ] = Field(False, title="Retrieval only", description="Score retrieval alone; no question is answered.")
    delta: Annotated[
        float, SettingInfo(option=CommandOption("difference that does not matter, of a score from 0 to 1 ({default})"))
    ] = Field(0.02, gt=0, lt=1, title="Smallest difference that matters", description="Of a score from 0 to 1.")
    budget_usd: Annotated[
        float | None, SettingInfo(option=CommandOption("pause the sweep when it has spent so many dollars", "X"))
    ] = Field(None, gt=0, title="Budget in dollars", description="The sweep pauses when that is spent.")
    budget_minutes: Annotated[
        float | None, SettingInfo(option=CommandOption("pause the sweep when it has worked so many minutes", "M"))
    ] = Field(None, gt=0, title="Budget in minutes", description="The sweep pauses when it has worked so long.")
    fresh_pairs: Annotated[
        int,
        SettingInfo(
            option=CommandOption(
                "then write N pairs on what no question of the test set rests on, and run the recommended and the "
                "current settings on them",
                "N",
            )
        ),
    ] = Field(0, ge=0, le=MOST_FRESH, title="Fresh pairs", description="Then confirm with so many pairs written anew.")
    confirm: Annotated[
        bool, SettingInfo(option=CommandOption("then run the recommended and the current settings once on holdout"))
    ] = Field(False, title="Confirm", description="Then run recommended and current settings once on holdout.")

    @field_validator("compare_at")
    @classmethod
    def _k_or_tokens(cls, value: str) -> str:
        number = value.strip().removeprefix(_TOKENS)
        if value.strip() != "k" and not (value.strip().startswith(_TOKENS) and number.isdecimal() and int(number)):
            raise ValueError(f"Compare at is k or tokens:N, such as tokens:1000, not “{value}”.")
        return value.strip()

    @property
    def context_tokens(self) -> int:
        """The budget of context that all get; 0 where top k decides."""
        return 0 if self.compare_at == "k" else int(self.compare_at.removeprefix(_TOKENS))


@dataclass(frozen=True)
class SweepSpec:
    """All that a sweep is made of; what is stored of it makes the same again."""

    base: Mapping[str, Any]
    grid: Mapping[str, Sequence[Value]]
    options: SweepOptions
    evaluation: EvaluationSpec
    run: RunOptions

    @property
    def space(self) -> Space:
        """What it tries."""
        options = self.options
        return Space(self.base, self.grid, options.retrieval_only, options.context_tokens)

    @property
    def sizes(self) -> list[int]:
        """How many values each setting has."""
        return [len(values) for values in self.grid.values()]

    @property
    def guided(self) -> bool:
        """True where scores lead to what is tried next."""
        return self.options.search == "guided"

    def expand(self) -> Expanded:
        """Return its configurations; of a guided search as many as it tries, drawn at random, to plan by.

        Raises ConfigError where there is none.
        """
        return drawn(self.space, self.sizes, self.options.trials) if self.guided else expand(self.space)

    def trial(self, number: int) -> Configuration:
        """Return a configuration of a guided search by number, from 1. Raises ConfigError where it cannot work."""
        places = places_of(number - 1, self.sizes)
        if places is None:
            raise ConfigError(f"There is no configuration {number}.")
        return configuration_at(self.space, places, number)

    @property
    def scored_by(self) -> EvaluationSpec:
        """How its runs are scored: without answers, by the metrics of retrieval alone."""
        if not self.options.retrieval_only:
            return self.evaluation
        return self.evaluation.model_copy(update={"metrics": RETRIEVAL_METRICS, "judge": ""})

    def as_json(self) -> dict[str, Any]:
        """Return what is stored."""
        grid = {
            name: [{"label": each.label, "settings": dict(each.settings)} for each in values]
            for name, values in self.grid.items()
        }
        return {
            "base": dict(self.base),
            "grid": [[name, values] for name, values in grid.items()],  # PostgreSQL keeps no order of names
            "options": self.options.model_dump(),
            "evaluation": self.evaluation.model_dump(mode="json"),
            "run": self.run.model_dump(),
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> SweepSpec:
        """Return what was stored."""
        grid = {name: [Value(each["label"], each["settings"]) for each in values] for name, values in stored["grid"]}
        return cls(
            stored["base"],
            grid,
            SweepOptions.create(stored["options"]),
            EvaluationSpec.create(stored["evaluation"]),
            RunOptions.create(stored["run"]),
        )
