"""Which questions of public data the shipped reader has learned from: by their words, or by those of their passages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from rag_pipeline.english.tokens import squad_tokens
from tests.bench.reader_training.dataset import read_qamr, read_questions

_RUN = 12
"""Words in a row that two texts hardly share by chance."""
_SHARE = 0.1
"""Share of its runs that make a passage a known one."""

Run = tuple[str, ...]


class Learned:
    """The questions and passages of the training data."""

    def __init__(self, questions: Iterable[str], passages: Iterable[str]) -> None:
        self._questions = {_plain(question) for question in questions}
        self._runs = {run for passage in passages for run in _runs(passage)}

    def knows(self, question: str, passages: Sequence[str] = ()) -> bool:
        """True for a question that was learned, or one of whose passages was."""
        return _plain(question) in self._questions or any(self._knows_passage(passage) for passage in passages)

    def _knows_passage(self, passage: str) -> bool:
        runs = _runs(passage)
        return sum(run in self._runs for run in runs) > _SHARE * len(runs)


def read_learned(folder: Path) -> Learned:
    """Return what the data of `train_reader` hold."""
    examples = [*read_questions(folder), *read_qamr(folder)]
    return Learned((each.question for each in examples), dict.fromkeys(each.passage for each in examples))


def _plain(text: str) -> str:
    return " ".join(squad_tokens(text))


def _runs(text: str) -> list[Run]:
    words = squad_tokens(text)
    return [tuple(words[start : start + _RUN]) for start in range(len(words) - _RUN + 1)]
