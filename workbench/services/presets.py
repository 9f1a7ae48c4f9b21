"""Presets: settings under a name, beside the preferred ones. They hold all but corpus and test set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.spec import EvaluationSpec, RunOptions
from rag_pipeline.errors import ConfigError
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from workbench.models import Preset
from workbench.services.preferences import flat_settings

LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class PresetChoice:
    """A preset to choose. `current`: the form stands as it says."""

    pk: int
    name: str
    current: bool


def preset_choices(agrees: Callable[[Mapping[str, Any]], bool]) -> list[PresetChoice]:
    """Return the presets by name; `agrees` tells whether the form stands as some values say."""
    return [PresetChoice(row.pk, row.name, agrees(preset_values(row))) for row in Preset.objects.all()]


def preset_values(preset: Preset) -> dict[str, Any]:
    """Return a preset by the names of the form's fields."""
    return flat_settings(preset.values["pipeline"], preset.values["evaluation"], preset.values["options"])


def save_preset(*, name: str, pipeline: PipelineSpec, evaluation: EvaluationSpec, options: RunOptions) -> Preset:
    """Keep settings under a name; a preset of that name is replaced. Raises ConfigError."""
    name = " ".join(name.split())
    if not name:
        raise ConfigError("Give the preset a name.", "preset_name")
    if len(name) > LONGEST_NAME:
        raise ConfigError(f"The name has {len(name)} characters; at most {LONGEST_NAME} are kept.", "preset_name")
    values = {
        "pipeline": pipeline.settings,
        "evaluation": evaluation.model_dump(mode="json"),
        "options": options.model_dump(mode="json"),
    }
    return Preset.objects.update_or_create(name=name, defaults={"values": values})[0]
