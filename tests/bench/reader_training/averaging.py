"""One reader out of several: the mean of their weights often reads better than they do, and no slower.

They must have begun alike, or the mean lies between two hills (model soups, Wortsman et al. 2022).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rag_pipeline.errors import ConfigError
from tests.bench.reader_training.training import (
    FIGURES,
    FOLDS,
    WEIGHTS,
    TrainingSettings,
    read_weights,
    write_weights,
)


def average(readers: Sequence[Path], out: Path) -> tuple[TrainingSettings, ...]:
    """Write the mean of the readers' weights, that of each fold beside it, and return how each was trained.

    `readers` are folders that trainings wrote. Raises ConfigError for one that has no reader, or other folds.
    """
    folds = [_folds(folder) for folder in readers]
    for folder, own in zip(readers, folds, strict=True):
        if own != folds[0]:
            raise ConfigError(f"{folder} and {readers[0]} have readers for different articles.", "averaged")
    for part in (Path(), *folds[0]):
        (out / part).mkdir(parents=True, exist_ok=True)
        write_weights(_mean([read_weights(folder / part / WEIGHTS) for folder in readers]), out / part / WEIGHTS)
    return tuple(_settings(folder) for folder in readers)


def _folds(folder: Path) -> list[Path]:
    """Return where the readers of the folds are, below a reader's folder."""
    if not (folder / WEIGHTS).exists() or not (folder / FIGURES).exists():
        raise ConfigError(f"There is no reader in {folder}.", "averaged")
    return sorted(file.parent.relative_to(folder) for file in folder.glob(f"{FOLDS}/*/{WEIGHTS}"))


def _mean(weights: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {name: sum(each[name] for each in weights) / len(weights) for name in weights[0]}


def _settings(folder: Path) -> TrainingSettings:
    return TrainingSettings(**json.loads((folder / FIGURES).read_text(encoding="utf-8"))["settings"])
