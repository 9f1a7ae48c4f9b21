"""A training from beginning to end: read the data, learn, measure, write the weights. Takes up where it stopped."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from rag_pipeline.embedders.base import Embed
from rag_pipeline.errors import ConfigError
from rag_pipeline.extractive_qa.decoding import Logits
from rag_pipeline.extractive_qa.encoding import PairEncoder, Window, padded
from rag_pipeline.extractive_qa.span_reader import pair_encoder
from rag_pipeline.types import Progress
from tests.bench.reader_training.course import Course
from tests.bench.reader_training.dataset import ReadingExample, read_qamr, read_questions
from tests.bench.reader_training.measures import figures, read_all
from tests.bench.reader_training.mixture import MixtureSettings
from tests.bench.reader_training.trainer import LoopSettings, ReaderTrainer
from tests.bench.reader_training.unanswerable import retrieval_negatives

WEIGHTS, FIGURES, CHECKPOINT = "reader.safetensors", "figures.json", "checkpoint.pt"
FOLDS = "folds"
"""Folder beside a reader's weights with one reader for each article that it has not learned."""
_SAVED_EVERY = 100
_READ_AT_ONCE = 32


class TrainingSettings(BaseModel):
    """What is trained.

    `hold_out`: titles of articles that are only measured on. `examples`: how many are learned. `kept`: share of the
    weights started from in the average with the learned ones: what was known before is forgotten less (WiSE-FT,
    Wortsman et al. 2022).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    examples: int = Field(90_000, ge=1)
    hold_out: tuple[str, ...] = ()
    kept: float = Field(0.0, ge=0, lt=1)
    seed: int = Field(0, ge=0)
    loop: LoopSettings = LoopSettings()
    mixture: MixtureSettings = MixtureSettings()


@dataclass(frozen=True)
class Places:
    """Folders: the data, the encoder that is started from, and where the reader goes; weights to start from."""

    data: Path
    encoder: Path
    out: Path
    start_from: Path | None = None


def train(places: Places, settings: TrainingSettings, embed: Embed) -> Iterator[Progress]:
    """Train, yielding progress; a checkpoint of the same settings in `out` is gone on from.

    Raises ConfigError for data that cannot be read, or titles that there are not.
    """
    places.out.mkdir(parents=True, exist_ok=True)
    questions = read_questions(places.data)
    learned, held = _parted(questions, settings.hold_out)
    steps = -(-settings.examples // settings.loop.batch_size)
    trainer = ReaderTrainer(places.encoder, settings.loop, steps, settings.seed)
    checkpoint = places.out / CHECKPOINT
    if checkpoint.exists():
        trainer.load(checkpoint)
    elif places.start_from is not None:
        trainer.start_from(read_weights(places.start_from))
    yield Progress("Looking for paragraphs without the answer", 0, 1)
    retrieved = retrieval_negatives(learned, embed, random.Random(settings.seed))
    size = settings.loop.batch_size
    course = Course(learned, read_qamr(places.data), retrieved, settings.mixture, size, settings.seed)
    encoder = pair_encoder(places.encoder)
    for batch in course.batches(encoder, trainer.done):
        if trainer.done >= steps:
            break
        yield Progress("Learning", trainer.done * size, steps * size)
        trainer.step(batch)
        if trainer.done % _SAVED_EVERY == 0:
            trainer.save(checkpoint)
    trainer.save(checkpoint)
    if places.start_from is not None and settings.kept:
        trainer.start_from(averaged(trainer.weights(), read_weights(places.start_from), settings.kept))
    write_weights(trainer.weights(), places.out / WEIGHTS)
    yield Progress("Measuring", 0, 1)
    found = {"settings": settings.model_dump(mode="json"), "held_out": _measured(trainer, encoder, held)}
    (places.out / FIGURES).write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


def _parted(
    questions: Sequence[ReadingExample], titles: Sequence[str]
) -> tuple[list[ReadingExample], list[ReadingExample]]:
    known = {example.title for example in questions}
    for title in titles:
        if title not in known:
            raise ConfigError(f"The data has no article called “{title}”.", "hold_out")
    return [each for each in questions if each.title not in titles], [
        each for each in questions if each.title in titles
    ]


def _measured(trainer: ReaderTrainer, encoder: PairEncoder, held: Sequence[ReadingExample]) -> dict[str, Any]:
    """Return the figures of each article that was held out, and of all together."""
    if not held:
        return {}
    spans = read_all(held, encoder, lambda windows: network_logits(trainer.network, windows))
    found = {"all": figures(held, spans)}
    for title in sorted({example.title for example in held}):
        places = [place for place, example in enumerate(held) if example.title == title]
        found[title] = figures([held[place] for place in places], [spans[place] for place in places])
    return found


def network_logits(network: Any, windows: Sequence[Window]) -> list[Logits]:
    """Return the logits (length, 4) of each window, by torch."""
    import torch

    network.eval()
    found: list[Logits] = [np.zeros((0, 4), np.float32)] * len(windows)
    order = sorted(range(len(windows)), key=lambda place: len(windows[place].ids))
    for start in range(0, len(order), _READ_AT_ONCE):
        batch = order[start : start + _READ_AT_ONCE]
        arrays = padded([windows[place] for place in batch])
        with torch.inference_mode():
            values = network(*(torch.from_numpy(array) for array in arrays)).float().numpy()
        for row, place in enumerate(batch):
            found[place] = values[row, : len(windows[place].ids)]
    return found


def averaged(learned: dict[str, Any], before: dict[str, Any], kept: float) -> dict[str, Any]:
    """Return the weights between those before and after a training."""
    return {name: (1 - kept) * value + kept * before[name] for name, value in learned.items()}


def write_weights(weights: dict[str, Any], file: Path) -> None:
    """Write trained weights in half precision."""
    from safetensors.torch import save_file

    save_file({name: value.half().contiguous() for name, value in weights.items()}, file)


def read_weights(file: Path) -> dict[str, Any]:
    """Return trained weights in full precision."""
    from safetensors.torch import load_file

    return {name: value.float() for name, value in load_file(file).items()}
