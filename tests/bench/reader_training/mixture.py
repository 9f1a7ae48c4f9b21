"""What an epoch is made of: questions with answers, QAMR's, and four kinds of questions without."""

from __future__ import annotations

import random
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from tests.bench.reader_training.dataset import ReadingExample
from tests.bench.reader_training.unanswerable import changed


class MixtureSettings(BaseModel):
    """What an epoch takes.

    `answered`: share of the questions with answers; `qamr`, `retrieved` and `changed` are shares of their number.
    `repeated`: how often people's unanswerable ones come.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    answered: float = Field(1.0, gt=0, le=1)
    qamr: float = Field(0.4, ge=0)
    retrieved: float = Field(0.25, ge=0)
    changed: float = Field(0.2, ge=0)
    repeated: int = Field(2, ge=0)


def epoch(
    questions: Sequence[ReadingExample],
    qamr: Sequence[ReadingExample],
    retrieved: Sequence[ReadingExample],
    settings: MixtureSettings,
    draw: random.Random,
) -> list[ReadingExample]:
    """Return the examples of one epoch in random order. `retrieved` are questions with a passage that lacks them."""
    every = [example for example in questions if example.answers]
    answered = draw.sample(every, max(1, round(settings.answered * len(every)))) if every else []
    people = [example for example in questions if not example.answers]
    chosen = [*answered, *people * settings.repeated]
    chosen += draw.sample(list(qamr), min(len(qamr), round(settings.qamr * len(answered))))
    chosen += draw.sample(list(retrieved), min(len(retrieved), round(settings.retrieved * len(answered))))
    wanted = round(settings.changed * len(answered))
    for example in draw.sample(answered, len(answered)):
        if wanted == 0:
            break
        other = changed(example, draw)
        if other is not None:
            chosen.append(other)
            wanted -= 1
    draw.shuffle(chosen)
    return chosen
