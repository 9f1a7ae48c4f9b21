"""The course of a training: epochs of examples in batches, in an order that a resumed training takes up again."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag_pipeline.extractive_qa.encoding import PairEncoder
from tests.bench.reader_training.batches import in_batches, labelled, tensors
from tests.bench.reader_training.dataset import ReadingExample
from tests.bench.reader_training.losses import Batch
from tests.bench.reader_training.mixture import MixtureSettings, epoch

_READ_AHEAD = 1600
"""Examples that are made into windows together."""


@dataclass(frozen=True)
class Course:
    """What is learned from: questions, QAMR's, retrieval negatives, how they are mixed, and the seed of their order."""

    questions: Sequence[ReadingExample]
    qamr: Sequence[ReadingExample]
    retrieved: Sequence[ReadingExample]
    mixture: MixtureSettings
    batch_size: int
    seed: int

    def batches(self, encoder: PairEncoder, done: int = 0) -> Iterator[Batch]:
        """Yield batches without end, as they come after the first `done` ones."""
        step = 0
        number = 0
        while True:
            examples = epoch(
                self.questions, self.qamr, self.retrieved, self.mixture, random.Random(f"{self.seed} {number}")
            )
            for start in range(0, len(examples), _READ_AHEAD):
                block = examples[start : start + _READ_AHEAD]
                draw = random.Random(f"{self.seed} {number} {start}")
                for batch in in_batches(labelled(block, encoder, draw), self.batch_size, draw):
                    step += 1
                    if step > done:
                        yield tensors(batch)
            number += 1
