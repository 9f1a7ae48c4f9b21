"""How a question reads with its answer and its sentence, whatever rule made it: two logits of a small network.

The first four layers of all-MiniLM-L6-v2 read `[CLS] question [SEP] answer [SEP] sentence [SEP]`; a linear head in
question_network.safetensors weighs the first piece and the mean of each part. What it learned from: `ranker`. The
fourth layer tells most; training the layers too, first on broken against whole questions of people, told no more.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from evaluation.question_writers.rules.candidates import Candidate
from rag_pipeline.embedders.local import shipped_weights
from rag_pipeline.errors import ConfigError
from rag_pipeline.extractive_qa.encoding import PairEncoder
from rag_pipeline.extractive_qa.pair_network import PairNetwork
from rag_pipeline.extractive_qa.span_reader import pair_encoder

Array = npt.NDArray[Any]
FILE = Path(__file__).parent / "question_network.safetensors"
_READ = re.compile(r"embeddings\.\w+\.(?:weight|bias)$|encoder\.layer\.[0-3]\.")
_LONGEST = (40, 40, 72)
"""Word pieces of question, answer and sentence that are read: the first ones."""
_OUTPUTS = 2


class QuestionNetwork:
    """`encoder`: takes texts apart; `network`: gives two logits for the first piece and for those of each part."""

    def __init__(self, encoder: PairEncoder, network: PairNetwork) -> None:
        self._encoder, self._network = encoder, network

    def logits(self, candidates: Sequence[Candidate]) -> Array:
        """Return how acceptable and how natural each candidate is, shape (candidates, 2)."""
        if not candidates:
            return np.zeros((0, _OUTPUTS))
        texts = zip(*((each.text, each.answer, each.sentence.text) for each in candidates), strict=True)
        pieces = [self._encoder.pieces(part) for part in texts]
        rows = [
            [each.ids[:longest] for each, longest in zip(row, _LONGEST, strict=True)]
            for row in zip(*pieces, strict=True)
        ]
        found = self._network.logits([self._encoder.joined(row) for row in rows])
        return np.stack([pooled(values, [len(part) for part in row]) for values, row in zip(found, rows, strict=True)])


def pooled(values: Array, lengths: Sequence[int]) -> Array:
    """Return the first piece's logits and the means over the parts of these lengths added up, each part by its own.

    `values`: (pieces, 2 for the first piece and 2 for each part).
    """
    total = values[0, :_OUTPUTS].astype(np.float64)
    start = 1
    for number, length in enumerate(lengths, 1):
        part = values[start : start + length, number * _OUTPUTS : (number + 1) * _OUTPUTS]
        total += part.mean(axis=0) if length else 0.0
        start += length + 1
    return total


def network_weights(folder: Path) -> dict[str, Array]:
    """Return the weights of the encoder in `folder` that are read, and those of the head."""
    from safetensors import safe_open
    from safetensors.numpy import load_file

    with safe_open(folder / "model.safetensors", framework="numpy") as file:
        encoder = {name: file.get_tensor(name) for name in file.keys() if _READ.match(name)}  # noqa: SIM118
    return encoder | load_file(FILE)


@lru_cache(maxsize=1)
def question_network() -> QuestionNetwork:
    """Return the shipped network, opened once a process. Raises ConfigError without the encoder's weights."""
    folder = shipped_weights()
    if folder is None:
        raise ConfigError("The weights of all-MiniLM-L6-v2 are not installed. Run make setup.", "llm")
    return QuestionNetwork(pair_encoder(folder), PairNetwork(folder, network_weights(folder)))
