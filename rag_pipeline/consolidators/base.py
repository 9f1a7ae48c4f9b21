"""Consolidators: retrieved contexts to less text that says as much, still exact spans."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from rag_pipeline.embedders.base import Embed
from rag_pipeline.registry import Registry, Unit
from rag_pipeline.types import Context, Hit


class Consolidator(Unit):
    """Shortens contexts. `embed` turns sentences into vectors of length 1."""

    def __init__(self, options: object = None, embed: Embed | None = None) -> None:
        super().__init__(options)
        self.embed = embed

    @abstractmethod
    def consolidate_many(self, questions: Sequence[str], contexts: Sequence[Sequence[Context]]) -> list[list[Hit]]:
        """Return per question the spans to keep, each inside one of its contexts, best first, ranks from 1.

        A context may be kept in several pieces, or not at all; no question that had contexts is left without any.
        """


consolidators: Registry[Consolidator] = Registry("consolidation", "rag_pipeline.consolidators")
