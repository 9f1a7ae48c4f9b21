"""TuningSpec: how an embedding is tuned on a test set."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, field_validator

from evaluation.spec import CheckedSpec
from rag_pipeline.setting_fields import CommandOption, SettingInfo


class TuningSpec(CheckedSpec):
    """How an embedding is tuned. The defaults are those of the study in docs/benchmarks.md."""

    base: Annotated[str, SettingInfo(option=CommandOption("the local model that is tuned ({default})"))] = Field(
        "local:all-MiniLM-L6-v2", title="Base", description="The local model that is tuned."
    )
    epochs: Annotated[int, SettingInfo(option=CommandOption("how often each example is seen ({default})"))] = Field(
        3, ge=1, le=50, title="Epochs", description="How often each example is learned from."
    )
    learning_rate: Annotated[float, SettingInfo(option=CommandOption("largest step ({default})"))] = Field(
        5e-5, gt=0, le=1e-2, title="Learning rate", description="How large the steps are at most."
    )
    batch_size: Annotated[int, SettingInfo(option=CommandOption("examples in a step ({default})"))] = Field(
        16, ge=2, le=256, title="Batch size", description="Examples in a step."
    )
    negatives: Annotated[int, SettingInfo(option=CommandOption("hard negatives for each example ({default})"))] = Field(
        1, ge=0, le=8, title="Hard negatives", description="Similar but wrong chunks beside each right one."
    )
    warmup: float = Field(0.1, ge=0, le=1, title="Warm-up", description="Share of the steps in which they grow.")
    seed: Annotated[int, SettingInfo(option=CommandOption("the same seed gives the same model ({default})"))] = Field(
        0, ge=0, le=2**31 - 1, title="Seed", description="The same seed gives the same model."
    )

    @field_validator("base")
    @classmethod
    def _runs_here(cls, value: str) -> str:
        provider, _, name = value.strip().partition(":")
        if provider != "local" or not name:
            raise ValueError(f"“{value}” cannot be tuned: only a local model can, such as local:all-MiniLM-L6-v2.")
        return value.strip()
