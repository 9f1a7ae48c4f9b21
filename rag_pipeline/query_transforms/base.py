"""Query transforms: the user's question to the texts that are searched with."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import BaseModel, Field, field_validator

from rag_pipeline.errors import PipelineError
from rag_pipeline.generators.base import Complete
from rag_pipeline.prompt_files import placeholders
from rag_pipeline.registry import Registry, Unit, UnitOptions
from rag_pipeline.setting_fields import SettingInfo
from rag_pipeline.types import FREE, Usage

Vocabulary = Callable[[], Mapping[str, int]]
"""() -> how often each lower-case word occurs in the corpus; made when first asked for."""


class TransformOptions(UnitOptions):
    """What the model is asked."""

    transform_prompt: Annotated[str, SettingInfo(lines=6, off="")] = Field(
        "",
        max_length=20_000,
        title="Transform prompt",
        description="What the model is asked in place of the shipped text (see Prompts), with {question}.",
    )

    @field_validator("transform_prompt")
    @classmethod
    def _asks_the_question(cls, value: str) -> str:
        if value.strip() and "question" not in placeholders(value):
            raise ValueError("The transform prompt has no {question}. Put {question} where the question should stand.")
        return value.strip()


@dataclass(frozen=True, slots=True)
class Transformed:
    """The texts to search with (several are fused), and what making them took. `seconds`: of this question alone."""

    queries: tuple[str, ...]
    usage: Usage = FREE
    seconds: float = 0.0
    notes: tuple[str, ...] = ()


class QueryTransform(Unit):
    """Rewrites questions before retrieval. The answer is still asked for in the user's own words.

    `complete` asks the chosen model; None with the built-in reader, for which only units with `needs_model = False`
    can be chosen. Units choose between their rules and the model by it.
    """

    Options: ClassVar[type[BaseModel]] = TransformOptions
    needs_model: ClassVar[bool] = True
    why_model: ClassVar[str] = ""
    """Why it needs a model, in the user's words; empty for those that do not."""

    def __init__(
        self, options: object = None, complete: Complete | None = None, vocabulary: Vocabulary | None = None
    ) -> None:
        super().__init__(options)
        self.complete = complete
        self.vocabulary = vocabulary

    @classmethod
    def calls(cls, options: object) -> int:
        """Return how many model calls one question takes, with a model."""
        return 1

    @abstractmethod
    async def transform_many(self, questions: Sequence[str]) -> Sequence[Transformed | PipelineError]:
        """Return per question what to search with, or why that failed."""


query_transforms: Registry[QueryTransform] = Registry("query transform", "rag_pipeline.query_transforms")
