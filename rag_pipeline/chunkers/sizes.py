"""Options shared by chunkers that cut by size."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator


class SizeOptions(BaseModel):
    """Chunk size and overlap in characters or tokens of the embedding model."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    chunk_unit: Literal["characters", "tokens"] = Field(
        "characters", title="Chunk unit", description="Tokens are counted by the embedding model's own tokenizer."
    )
    chunk_size: int = Field(
        1000, ge=10, le=200_000, title="Chunk size", description="Longest chunk, in the chunk unit."
    )
    chunk_overlap: str = Field(
        "15%", title="Chunk overlap", description="A number in the chunk unit, or a percentage of the chunk size."
    )

    @field_validator("chunk_overlap", mode="before")
    @classmethod
    def _as_text(cls, value: object) -> str:
        text = str(value).strip().replace(" ", "")
        number = text.removesuffix("%")
        try:
            amount = float(number) if text.endswith("%") else int(number)
        except ValueError:
            raise ValueError("Chunk overlap is a whole number or a percentage such as 15%.") from None
        if not 0 <= amount < float("inf"):
            raise ValueError("Chunk overlap cannot be negative.")
        return f"{amount:g}%" if text.endswith("%") else str(amount)

    @model_validator(mode="after")
    def _smaller_than_size(self) -> SizeOptions:
        if self.overlap >= self.chunk_size:
            raise ValueError(
                f"Chunk overlap ({self.chunk_overlap}) must be smaller than the chunk size ({self.chunk_size}). "
                "Lower the overlap or raise the size."
            )
        return self

    @property
    def overlap(self) -> int:
        """Overlap in the chunk unit, percentages resolved and rounded down."""
        if self.chunk_overlap.endswith("%"):
            return int(self.chunk_size * float(self.chunk_overlap[:-1]) / 100)
        return int(self.chunk_overlap)
