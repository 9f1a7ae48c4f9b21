"""Options shared by chunkers: sizes in characters or tokens."""

from __future__ import annotations

from math import isfinite, nan
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, ValidationInfo, model_validator

from rag_pipeline.registry import UnitOptions
from rag_pipeline.setting_fields import SettingInfo


def _share(value: object, info: ValidationInfo) -> str:
    """Check a number or percentage, whatever way it was written."""
    name = str(info.field_name).replace("_", " ").capitalize()
    text = str(value).strip().replace(" ", "")
    number = text.removesuffix("%")
    try:
        amount = float(number) if text.endswith("%") else int(number)
    except ValueError:
        amount = nan
    if not isfinite(amount):
        raise ValueError(f"{name} is a whole number or a percentage such as 15%.")
    if amount < 0:
        raise ValueError(f"{name} cannot be negative.")
    return f"{amount:g}%" if text.endswith("%") else str(amount)


Share = Annotated[str, BeforeValidator(_share)]
"""A number in the chunk unit, or a percentage of a size."""


def in_units(share: str, size: int) -> int:
    """Return a share in the unit of `size`, percentages rounded down."""
    return int(size * float(share[:-1]) / 100) if share.endswith("%") else int(share)


def smaller(name: str, share: str, size_name: str, size: int) -> int:
    """Return a share of `size` in its unit. Raises ValueError, with the mend, when it is not smaller than the size."""
    if in_units(share, size) >= size:
        raise ValueError(
            f"{name} ({share}) must be smaller than the {size_name} ({size}). Lower the overlap or raise the size."
        )
    return in_units(share, size)


class ChunkSize(UnitOptions):
    """Chunk size in characters or tokens of the embedding model."""

    chunk_unit: Annotated[Literal["characters", "tokens"], SettingInfo(redraws=True)] = Field(
        "characters", title="Chunk unit", description="Tokens are counted by the embedding model's own tokenizer."
    )
    chunk_size: Annotated[int, SettingInfo(unit_from="chunk_unit", everyday=True)] = Field(
        1000, ge=10, le=200_000, title="Chunk size", description="Longest chunk, in the chunk unit."
    )


class SizeOptions(ChunkSize):
    """Chunk size and overlap."""

    chunk_overlap: Annotated[Share, SettingInfo(unit_from="chunk_unit", everyday=True)] = Field(
        "15%", title="Chunk overlap", description="A number in the chunk unit, or a percentage of the chunk size."
    )

    @model_validator(mode="after")
    def _smaller_than_size(self) -> SizeOptions:
        smaller("Chunk overlap", self.chunk_overlap, "chunk size", self.chunk_size)
        return self

    @property
    def overlap(self) -> int:
        """Overlap in the chunk unit, percentages resolved and rounded down."""
        return in_units(self.chunk_overlap, self.chunk_size)
