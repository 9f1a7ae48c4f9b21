"""GeneratorSpec: how a test set is made."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, field_validator, model_validator

from evaluation.spec import CheckedSpec
from evaluation.types import RULES_SLIPS, RULES_TRANSFORMATIONS, SLIPS, TRANSFORMATIONS
from rag_pipeline.llm.target import BUILTIN_READER
from rag_pipeline.registry import shortened
from rag_pipeline.setting_fields import CommandOption, SettingInfo
from rag_pipeline.settings.core import with_provider


class GeneratorSpec(CheckedSpec):
    """How a test set is generated."""

    pairs: Annotated[
        int, SettingInfo(option=CommandOption("simple questions, each with a complex twin ({default})"))
    ] = Field(30, ge=1, le=2000, title="Pairs", description="Simple questions, each with a complex twin.")
    out_of_scope: Annotated[int, SettingInfo(option=CommandOption("questions to decline ({default})"))] = Field(
        15, ge=0, le=2000, title="Out of scope", description="Questions that the bot should decline."
    )
    seed: Annotated[int, SettingInfo(option=CommandOption("another seed makes other questions ({default})"))] = Field(
        0, ge=0, title="Seed", description="The same seed makes the same questions (built-in rules)."
    )
    llm: Annotated[str, SettingInfo(option=CommandOption("who writes: builtin rules, or provider:model"))] = Field(
        BUILTIN_READER,
        title="Written by",
        description="builtin:extractive writes by rules, without a key; or provider:model, "
        "such as openai:gpt-4.1-mini.",
    )
    purpose: Annotated[
        str, SettingInfo(option=CommandOption("what the bot is for, such as “customers asking about cover”"))
    ] = Field("", max_length=500, title="Purpose", description="What the bot is for: shapes the questions.")

    transformations: Annotated[
        str,
        SettingInfo(option=CommandOption("how twins are worded: rephrase,keywords,situational,complicate", "A,B")),
    ] = Field(
        "",
        title="Transformations",
        description="How twins are worded, in turn: rephrase, situational (with a purpose), keywords (by rules) or "
        "complicate (by a model); one named twice comes twice as often. Empty: all.",
    )
    slips: Annotated[str, SettingInfo(option=CommandOption("slips put into twins, or none", "A,B"))] = Field(
        "",
        title="Slips",
        description=f"Put into twins, in turn: {', '.join(SLIPS)}; or none. Empty: all, by rules the usual ones.",
    )
    near_share: Annotated[
        int,
        SettingInfo(unit="%", option=CommandOption("percent of out-of-scope questions that are near", "N")),
    ] = Field(
        50,
        ge=0,
        le=100,
        title="Near share (%)",
        description="Of the out-of-scope questions: those on what the documents name, for what they do not say.",
    )
    prompts: dict[str, str] = Field(
        default_factory=dict, title="Prompts", description="Those of the writer that are not as shipped, by name."
    )

    @field_validator("llm")
    @classmethod
    def _writer_has_provider(cls, value: str) -> str:
        return with_provider(value, model=True)

    @field_validator("transformations", "slips")
    @classmethod
    def _names_apart(cls, value: str) -> str:
        return ", ".join(name.strip() for name in value.split(",") if name.strip())

    @model_validator(mode="after")
    def _known_to_the_writer(self) -> Self:
        possible = {"transformations": self._transformations, "slips": (*SLIPS, "none")}
        for setting, known in possible.items():
            for name in filter(None, getattr(self, setting).split(", ")):
                if name not in known:
                    title = type(self).model_fields[setting].title
                    raise ValueError(
                        f"{title}: no “{shortened(name)}” with {self._writer}. Possible: {', '.join(known)}."
                    )
        if not self.purpose and self.llm == BUILTIN_READER and "situational" in self.transformations:
            raise ValueError(
                "Situational twins of the built-in rules need a purpose, such as “customers asking about cover”."
            )
        return self

    def afresh(self, pairs: int, out_of_scope: int) -> Self:
        """Return the same for other questions, so many of them."""
        return self.model_copy(update={"pairs": pairs, "out_of_scope": out_of_scope, "seed": self.seed + 1})

    @property
    def _writer(self) -> str:
        return "the built-in rules" if self.llm == BUILTIN_READER else "a model"

    @property
    def _transformations(self) -> tuple[str, ...]:
        return RULES_TRANSFORMATIONS if self.llm == BUILTIN_READER else TRANSFORMATIONS

    @property
    def wordings(self) -> tuple[str, ...]:
        """How twins are worded, in turn."""
        if self.transformations:
            return tuple(self.transformations.split(", "))
        without_purpose = self.llm == BUILTIN_READER and not self.purpose
        return tuple(name for name in self._transformations if not (without_purpose and name == "situational"))

    @property
    def slip_kinds(self) -> tuple[str, ...]:
        """Which slips twins get, in turn; none at all where that is asked for."""
        if not self.slips:
            return RULES_SLIPS if self.llm == BUILTIN_READER else SLIPS
        return () if self.slips == "none" else tuple(name for name in self.slips.split(", ") if name != "none")

    @property
    def near(self) -> int:
        """How many out-of-scope questions are to be near."""
        return self.out_of_scope * self.near_share // 100
