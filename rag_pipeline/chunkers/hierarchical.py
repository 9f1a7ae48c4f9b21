"""Chunker `hierarchical`: small chunks are searched, the larger ones that they were cut from go to the model."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field, model_validator

from rag_pipeline.chunkers.base import chunkers
from rag_pipeline.chunkers.rulers import Ruler, Slice, without_contained
from rag_pipeline.chunkers.separators import PUBLISHED_SEPARATORS, SeparatorCut
from rag_pipeline.chunkers.sized import MeasuredChunker
from rag_pipeline.chunkers.sizes import Share, SizeOptions, in_units, smaller
from rag_pipeline.types import Chunk, SourceDoc, Span


class HierarchicalOptions(SizeOptions):
    """Sizes and overlaps of children and parents."""

    parent_size: int = Field(
        3000,
        ge=20,
        le=1_000_000,
        title="Parent size",
        description="Longest parent, in the chunk unit. The chunk size is that of the children.",
    )
    parent_overlap: Share = Field(
        "0", title="Parent overlap", description="A number in the chunk unit, or a percentage of the parent size."
    )

    @model_validator(mode="after")
    def _larger_than_children(self) -> HierarchicalOptions:
        if self.parent_size <= self.chunk_size:
            raise ValueError(
                f"Parent size ({self.parent_size}) must be larger than the chunk size ({self.chunk_size}), "
                "which is that of the children. Raise the parent size or lower the chunk size."
            )
        smaller("Parent overlap", self.parent_overlap, "parent size", self.parent_size)
        return self


@chunkers.register
class HierarchicalChunker(MeasuredChunker):
    """Cuts the text into parents, and each parent into children, both as `recursive` does with
    `published` separators.

    A child of the part where two parents overlap belongs to the first of them that holds it whole.
    """

    key = "hierarchical"
    label = "Hierarchical"
    help = "Searches small chunks, gives the model their larger parents. For exact hits that need their surroundings."

    Options = HierarchicalOptions
    options: HierarchicalOptions

    def split(self, doc: SourceDoc) -> list[Span]:
        """Return the children as spans."""
        return [chunk.span for chunk in self.chunks(doc)]

    def chunks(self, doc: SourceDoc) -> list[Chunk]:
        """Return the children with their parents."""
        parents: dict[Slice, Slice] = {}
        for parent, child in self._families(self.ruler(doc.text)):
            parents.setdefault(child, parent)
        return [
            Chunk(Span(doc.id, *child), parent=Span(doc.id, *parents[child]))
            for child in without_contained(iter(parents))
        ]

    def _families(self, ruler: Ruler) -> Iterator[tuple[Slice, Slice]]:
        options = self.options
        # The list is no setting here, so that another would change what stored indexes hold without a trace.
        overlap = in_units(options.parent_overlap, options.parent_size)
        larger = SeparatorCut(ruler, options.parent_size, overlap, PUBLISHED_SEPARATORS)
        smaller_ones = SeparatorCut(ruler, options.chunk_size, options.overlap, PUBLISHED_SEPARATORS)
        for parent in without_contained(larger.cut(0, len(ruler.text))):
            for child in smaller_ones.cut(*parent):
                yield parent, child
