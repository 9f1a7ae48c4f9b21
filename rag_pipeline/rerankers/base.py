"""Rerankers: the candidates of a question in a better order."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import BaseModel, Field

from rag_pipeline.errors import PipelineError
from rag_pipeline.generators.base import Complete
from rag_pipeline.registry import Registry, Unit, UnitOptions
from rag_pipeline.setting_fields import SettingInfo
from rag_pipeline.types import FREE, Context, Usage


class RerankOptions(UnitOptions):
    """How many chunks a reranker looks at."""

    rerank_candidates: Annotated[int, SettingInfo(unit="chunks")] = Field(
        20, ge=1, le=200, title="Rerank candidates", description="Chunks retrieved for the reranker to choose from."
    )


@dataclass(frozen=True, slots=True)
class Reranked:
    """`order`: positions of the candidates, best first, each once. `scores[i]` belongs to `order[i]`, higher is better.

    `seconds`: of this question (its share of a batch).
    """

    order: tuple[int, ...]
    scores: tuple[float, ...]
    usage: Usage = FREE
    seconds: float = 0.0
    notes: tuple[str, ...] = ()


class Reranker(Unit):
    """Orders candidates anew. `name` is what follows the colon in the setting (`cross_encoder:NAME`), or empty.

    `needs_name`: the setting must carry one. `complete` asks the chosen model; None with the built-in reader. `folder`:
    where one that computes its scores here may keep them; None: nowhere.
    """

    folder: Path | None = None

    needs_model: ClassVar[bool] = False
    needs_name: ClassVar[bool] = False
    Options: ClassVar[type[BaseModel]] = RerankOptions

    def __init__(self, name: str = "", options: object = None, complete: Complete | None = None) -> None:
        super().__init__(options)
        self.name = name
        self.complete = complete

    @classmethod
    def check(cls, name: str) -> None:
        """Refuse a name that cannot be used, before any work. Raises ConfigError with the mend."""

    @classmethod
    def load(cls, name: str) -> None:
        """Load what the name stands for, before other work that takes long. Raises ConfigError with the mend."""

    @classmethod
    def calls(cls, options: object) -> int:
        """Return how many model calls one question takes at most."""
        return 1 if cls.needs_model else 0

    @abstractmethod
    async def rerank_many(
        self, questions: Sequence[str], candidates: Sequence[Sequence[Context]]
    ) -> Sequence[Reranked | PipelineError]:
        """Return per question the new order of all its candidates, or why that failed."""


rerankers: Registry[Reranker] = Registry("reranker", "rag_pipeline.rerankers")
