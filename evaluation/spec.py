"""EvaluationSpec and RunOptions: how answers are scored, which questions are asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from evaluation.registry import (
    DEFAULT_AGREEMENT,
    agreements,
    checked_options,
    in_our_names,
    is_agreement,
    metric_units,
)
from rag_pipeline.errors import ConfigError
from rag_pipeline.registry import first_problem, shortened
from rag_pipeline.setting_fields import CommandOption, ReadBy, Setting, SettingInfo, Stage, settings_in
from rag_pipeline.settings.catalogue import pipeline_settings
from rag_pipeline.settings.core import with_provider

LONGEST_REPLY = 4096
"""Tokens of a judge's reply, unless another limit is set."""
MOST_AT_ONCE = 40
"""Claims in one list, contexts shown together: more verdicts would not fit into one reply of that length."""

HEADLINE = ("recall", "robustness", "brevity", "knowledge_bounding", "context_matching")
"""The five headline scores, in the order in which they are shown."""


class CheckedSpec(BaseModel):
    """Settings that are refused in the user's words."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @classmethod
    def create(cls, given: Mapping[str, Any] | None = None) -> Self:
        """Check values. Raises ConfigError with the field's name."""
        try:
            return cls.model_validate(dict(given or {}))
        except ValidationError as error:
            field, message = first_problem(error)
            raise ConfigError(message, field) from error


# What reads a setting of the scoring: values are compared only where what they read is the same.
AGREEMENT = ReadBy("recall and robustness")
SCORES = ReadBy("every score")
REFUSALS = ReadBy("what tells refusals, and by it every score")
WEIGHTED_TOTAL = ReadBy("the total")
METRICS = ReadBy("the further metrics")
METRIC_OPTIONS = ReadBy("each metric that has options")
BOUNDING = ReadBy("knowledge bounding, and by it the total")
JUDGE = ReadBy("the judge, and by it every score that it gives")
REPLIES = ReadBy("the judge's replies, and by them which rows it gives a verdict on")
FAILURES = ReadBy("the failure points")
RIGHT = ReadBy("knowledge bounding where right answers count")


class EvaluationSpec(CheckedSpec):
    """How a run's answers are scored. What may change without asking a model again."""

    agreement: Annotated[
        str, SettingInfo(read_by=(AGREEMENT,), choices=agreements, redraws=True, option=CommandOption("{choices}"))
    ] = Field(DEFAULT_AGREEMENT, title="Agreement", description="What recall and robustness are made of.")
    eval_embedding: Annotated[
        str, SettingInfo(read_by=(SCORES,), suggests="embeddings", option=CommandOption("scores answers ({default})"))
    ] = Field(
        "local:all-MiniLM-L6-v2", title="Scoring embedding", description="Scores answers, whatever the pipeline uses."
    )
    refusal_threshold: Annotated[
        float,
        SettingInfo(read_by=(REFUSALS,), option=CommandOption("cosine from which a sentence declines ({default})")),
    ] = Field(
        0.5, ge=0, le=1, title="Refusal threshold", description="Cosine from which a sentence counts as declining."
    )
    refusal_list: Annotated[bool, SettingInfo(read_by=(REFUSALS,))] = Field(
        True, title="Refusal list", description="Compare with the shipped refusals too."
    )
    refusal_patterns: Annotated[bool, SettingInfo(read_by=(REFUSALS,))] = Field(
        True, title="Refusal patterns", description="Use the shipped patterns too."
    )
    bounding: Annotated[
        Literal["attempted", "right"],
        SettingInfo(
            read_by=(BOUNDING,),
            choices=lambda: {"attempted": "Attempted", "right": "Answered rightly"},
            option=CommandOption("what counts among answerable questions in knowledge bounding: {choices}"),
        ),
    ] = Field(
        "attempted",
        title="Bounding counts",
        description="Of answerable questions, in knowledge bounding: those attempted, or those answered rightly.",
    )
    weights: Annotated[
        dict[str, float],
        SettingInfo(
            read_by=(WEIGHTED_TOTAL,),
            option=CommandOption(f"weights in the total, all 1 unless given: {', '.join(HEADLINE)}", "NAME=W,..."),
        ),
    ] = Field(default_factory=dict, title="Weights", description="Of the scores in the total.")
    metrics: Annotated[
        tuple[str, ...],
        SettingInfo(read_by=(METRICS,), option=CommandOption("further metrics by name, see manage.py metrics", "A,B")),
    ] = Field((), title="Metrics", description="Further ones beside the five headline scores.")
    metric_options: Annotated[
        dict[str, dict[str, Any]],
        SettingInfo(
            read_by=(METRIC_OPTIONS,),
            option=CommandOption(
                "an option of a metric, such as max_words.limit=50; repeatable; an aspect of your own: "
                'aspect:polite.definition="Is the answer polite?"',
                "NAME.OPTION=VALUE",
            ),
        ),
    ] = Field(
        default_factory=dict, title="Options of metrics", description="Their options by name, where not as shipped."
    )
    judge: Annotated[
        str,
        SettingInfo(read_by=(JUDGE,), option=CommandOption("provider:model that judges answers ({default})", "MODEL")),
    ] = Field("", title="Judge", description="provider:model that judges answers; empty for none.")
    judge_votes: Annotated[
        int,
        SettingInfo(
            read_by=(JUDGE,),
            option=CommandOption("differently worded calls of which the majority counts ({default})", "N"),
        ),
    ] = Field(1, ge=1, le=9, title="Judge votes", description="Differently worded calls of which the majority counts.")
    judge_max_tokens: Annotated[
        int,
        SettingInfo(
            unit="tokens",
            read_by=(REPLIES,),
            option=CommandOption("longest reply of the judge, a reasoning model's thoughts included ({default})", "N"),
        ),
    ] = Field(
        LONGEST_REPLY,
        ge=64,
        le=1_000_000,
        title="Judge reply limit",
        description="Longest reply of the judge; more for a model that thinks before it replies.",
    )
    judge_batch: Annotated[
        int,
        SettingInfo(
            unit="claims",
            read_by=(JUDGE,),
            option=CommandOption("most claims, or contexts, in one call of the judge ({default})", "N"),
        ),
    ] = Field(
        MOST_AT_ONCE,
        ge=1,
        le=200,
        title="Judge list",
        description="Most claims, or contexts, in one call of the judge; fewer for a small model.",
    )
    failure_context: Annotated[float, SettingInfo(read_by=(FAILURES,))] = Field(
        0.5, ge=0, le=1, title="Retrieval lost below", description="Context matching under which retrieval failed."
    )
    failure_agreement_low: Annotated[float, SettingInfo(read_by=(FAILURES,))] = Field(
        0.3, ge=0, le=1, title="Not extracted below", description="Agreement under which the answer was missed."
    )
    failure_agreement_high: Annotated[float, SettingInfo(read_by=(FAILURES, RIGHT))] = Field(
        0.8, ge=0, le=1, title="Incomplete below", description="Agreement under which the answer is incomplete."
    )
    failure_brevity: Annotated[float, SettingInfo(read_by=(FAILURES,))] = Field(
        0.1, ge=0, le=1, title="Unspecific below", description="Brevity under which a right answer is too long."
    )

    @model_validator(mode="before")
    @classmethod
    def _metrics_in_our_names(cls, given: Any) -> Any:
        """Understand the names of unitxt; options that are given stay."""
        names = given.get("metrics") if isinstance(given, Mapping) else None
        names = names.split(",") if isinstance(names, str) else names
        if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
            return given
        ours, meant = in_our_names([name.strip() for name in names])
        options = given.get("metric_options") or {}
        merged = (
            {name: meant.get(name, {}) | options.get(name, {}) for name in {*meant, *options}} if meant else options
        )
        return {**given, "metrics": ours, **({"metric_options": merged} if merged else {})}

    @field_validator("agreement", mode="before")
    @classmethod
    def _known_agreement(cls, value: object) -> object:
        if not isinstance(value, str) or not is_agreement(value):
            *others, last = agreements()
            raise ValueError(f"Agreement must be {', '.join(others)} or {last}, not “{shortened(value)}”.")
        return value

    @field_validator("eval_embedding")
    @classmethod
    def _embedding_has_provider(cls, value: str) -> str:
        return with_provider(value, model=False)

    @field_validator("judge")
    @classmethod
    def _judge_is_a_model(cls, value: str) -> str:
        provider, _, name = value.strip().partition(":")
        if value.strip() and not (provider and name):
            raise ValueError(f"The judge “{value}” is not of the form provider:model, such as openai:gpt-4.1-mini.")
        if provider == "builtin":
            raise ValueError("The built-in reader cannot judge. Choose a language model, such as openai:gpt-4.1-mini.")
        return value.strip()

    @field_validator("judge_votes")
    @classmethod
    def _majority(cls, value: int) -> int:
        if value % 2 == 0:
            raise ValueError("Judge votes must be an odd number: an even one can end in a draw.")
        return value

    @field_validator("metric_options")
    @classmethod
    def _known_options(cls, value: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
        """Check each metric's options as it declares them; what equals its default is left out."""
        checked = {name: checked_options(name, given) for name, given in value.items()}
        return {name: given for name, given in sorted(checked.items()) if given}

    @field_validator("metrics", mode="before")
    @classmethod
    def _known_metrics(cls, value: object) -> object:
        """Take names as a list or with commas between; the five are there anyway."""
        names = value.split(",") if isinstance(value, str) else value
        if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
            raise ValueError("Metrics are names with commas between, such as token_f1,mrr.")
        found = list(dict.fromkeys(name.strip() for name in names if name.strip()))
        for name in found:
            if metric_units.find(name) is None:
                raise ValueError(f"There is no metric called “{name}”. There are: {', '.join(metric_units.keys())}.")
        return tuple(name for name in found if name not in HEADLINE)

    @field_validator("weights", mode="before")
    @classmethod
    def _weights_of_text(cls, value: object) -> object:
        """Take a text such as recall=2,brevity=0.5, too."""
        if not isinstance(value, str):
            return value
        parts = [part.partition("=") for part in value.split(",") if part.strip()]
        if not all(equals for _, equals, _ in parts):
            raise ValueError(f"“{value}” is not of the form recall=2,brevity=0.5.")
        return {name.strip(): weight.strip() for name, _, weight in parts}

    @field_validator("weights")
    @classmethod
    def _known_weights(cls, value: dict[str, float]) -> dict[str, float]:
        for name, weight in value.items():
            if name not in HEADLINE:
                raise ValueError(f"There is no headline score called {name}. There are: {', '.join(HEADLINE)}.")
            if not 0 <= weight < float("inf"):
                raise ValueError(f"The weight of {name} must be 0 or more.")
        if value and not any(value.get(name, 1.0) for name in HEADLINE):
            raise ValueError("At least one weight must be above 0.")
        return value

    def weight(self, name: str) -> float:
        """Return the weight of a headline score, 1 unless given."""
        return self.weights.get(name, 1.0)


class RunOptions(CheckedSpec):
    """Which questions a run asks, and how often."""

    split: Annotated[
        Literal["tune", "holdout", "all"], SettingInfo(option=CommandOption("part of the test set ({default})"))
    ] = Field("all", title="Split", description="Which part of the test set.")
    limit: Annotated[
        int | None,
        SettingInfo(
            unit="pairs",
            option=CommandOption("only the first N pairs, and as large a part of the out-of-scope questions", "N"),
        ),
    ] = Field(
        None,
        ge=1,
        le=1_000_000,
        title="Limit",
        description="Only the first N pairs, and as large a part of the out-of-scope questions.",
    )
    repeat: Annotated[int, SettingInfo(option=CommandOption("answers per question ({default})", "N"))] = Field(
        1, ge=1, le=20, title="Repeat", description="Answers per question."
    )
    afresh: Annotated[
        bool, SettingInfo(option=CommandOption("ask models anew what was asked before; every call is paid again"))
    ] = Field(
        False,
        title="Ask afresh",
        description="Use no model replies kept from earlier: everything is asked, and paid for, again.",
    )


def evaluation_settings(*readers: ReadBy) -> dict[str, Setting]:
    """Return the settings of EvaluationSpec by name, those alone that one of `readers` reads where any is named."""
    found = settings_in(EvaluationSpec, Stage.EVALUATION)
    return {name: each for name, each in found.items() if not readers or set(readers) & set(each.info.read_by)}


def run_settings() -> dict[str, Setting]:
    """Return every setting of a run by name: its pipeline, how it is scored, which questions it asks."""
    return {**settings_in(RunOptions, Stage.EVALUATION), **evaluation_settings(), **pipeline_settings()}
