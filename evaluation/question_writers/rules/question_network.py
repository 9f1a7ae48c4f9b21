"""How a question reads with its answer and its evidence, whatever rule made it: two logits of a small network.

The six layers of all-MiniLM-L6-v2 read `[CLS] question [SEP] answer [SEP] evidence [SEP] text behind it [SEP]`; a
linear head weighs the first piece and the mean of each part. The last three layers were trained with the head, and
question_network.safetensors holds what that changed: the head, biases and norms whole, of each matrix the difference
to the encoder's as a product of two narrow ones. What it learned from: `ranker`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rag_pipeline.embedders.local import shipped_weights
from rag_pipeline.errors import ConfigError
from rag_pipeline.extractive_qa.encoding import PairEncoder, Window
from rag_pipeline.extractive_qa.pair_network import PairNetwork
from rag_pipeline.extractive_qa.span_reader import pair_encoder

Array = npt.NDArray[Any]
FILE = Path(__file__).parent / "question_network.safetensors"
LEFT, RIGHT = ".left", ".right"
"""What the names of the two factors of a difference end with."""
_READ = re.compile(r"embeddings\.\w+\.(?:weight|bias)$|encoder\.layer\.")
_LONGEST = (40, 60, 120, 48)
"""Word pieces of question, answer, evidence and what stands behind it that are read: the first ones."""
_PASSAGE = 2
"""Which of the texts the passage begins with."""
_OUTPUTS = 2
_REMEMBERED = 4096
"""Questions, about 1 kB each."""


class QuestionTexts(NamedTuple):
    """What the network reads of a question."""

    question: str
    answer: str
    evidence: str
    behind: str


class QuestionNetwork:
    """`encoder`: takes texts apart; `network`: gives two logits for the first piece and for those of each part.

    The last questions read are remembered: another set from the same documents asks most of them again.
    """

    def __init__(self, encoder: PairEncoder, network: PairNetwork) -> None:
        self._encoder, self._network = encoder, network
        self._known: dict[QuestionTexts, Array] = {}

    def logits(self, asked: Sequence[QuestionTexts]) -> Array:
        """Return how acceptable and how natural each question is, shape (questions, 2)."""
        known = self._known
        new = [each for each in dict.fromkeys(asked) if each not in known]
        known = known | dict(zip(new, self._read(new), strict=True))
        self._known = dict(islice(known.items(), max(0, len(known) - _REMEMBERED), None))
        return np.array([known[each] for each in asked]).reshape(-1, _OUTPUTS)

    def _read(self, asked: Sequence[QuestionTexts]) -> list[Array]:
        made = [window_of(self._encoder, each) for each in asked]
        found = self._network.logits([window for window, _ in made]) if made else []
        return [pooled(values, lengths) for values, (_, lengths) in zip(found, made, strict=True)]


def window_of(encoder: PairEncoder, texts: QuestionTexts) -> tuple[Window, list[int]]:
    """Return what the network reads of a question, and how many word pieces each text has of it."""
    pieces = [each.ids[:longest] for each, longest in zip(encoder.pieces(texts), _LONGEST, strict=True)]
    return encoder.joined(pieces, _PASSAGE), list(map(len, pieces))


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
    """Return the weights of the encoder in `folder` with what was learned, and those of the head."""
    from safetensors import safe_open
    from safetensors.numpy import load_file

    with safe_open(folder / "model.safetensors", framework="numpy") as file:
        found = {name: file.get_tensor(name) for name in file.keys() if _READ.match(name)}  # noqa: SIM118
    learned = {name: np.asarray(value, np.float32) for name, value in load_file(FILE).items()}
    for name, value in learned.items():
        if name.endswith(LEFT):
            changed = name.removesuffix(LEFT)
            found[changed] = found[changed] + value @ learned[changed + RIGHT]
        elif not name.endswith(RIGHT):
            found[name] = value
    return found


@lru_cache(maxsize=1)
def question_network() -> QuestionNetwork:
    """Return the shipped network, opened once a process. Raises ConfigError without the encoder's weights."""
    folder = shipped_weights()
    if folder is None:
        raise ConfigError("The weights of all-MiniLM-L6-v2 are not installed. Run make setup.", "llm")
    return QuestionNetwork(pair_encoder(folder), PairNetwork(folder, network_weights(folder)))
