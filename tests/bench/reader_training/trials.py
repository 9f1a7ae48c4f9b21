"""Questions put to a reader that has not learned from their article, with their paragraph, found and foreign ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rag_pipeline.embedders.base import Embed
from rag_pipeline.types import Context, GenerationRequest, Span
from tests.bench.reader_training.dataset import ReadingExample

GOLD, FOUND, FOREIGN = "gold paragraph", "found", "foreign"
FOUND_PASSAGES = 4


@dataclass(frozen=True, slots=True)
class Trial:
    """A question with the contexts that it is put with. `holds`: whether one of them answers it.

    `setting`: GOLD, its own paragraph; FOUND, the nearest of all paragraphs; FOREIGN, the nearest of other articles.
    """

    example: ReadingExample
    contexts: tuple[Context, ...]
    setting: str

    @property
    def holds(self) -> bool:
        """True where the paragraph that answers the question is among the contexts."""
        return bool(self.example.answers) and any(context.text == self.example.passage for context in self.contexts)

    @property
    def request(self) -> GenerationRequest:
        """The question as the reader gets it."""
        return GenerationRequest(self.example.question, self.contexts, "", "", "")


def trials(examples: Sequence[ReadingExample], embed: Embed) -> list[Trial]:
    """Return three trials of each question."""
    passages = list(dict.fromkeys(example.passage for example in examples))
    titles = {example.passage: example.title for example in examples}
    vectors = np.asarray(embed(passages))
    questions = np.asarray(embed([example.question for example in examples]))
    numbers = {passage: number for number, passage in enumerate(passages)}
    found = []
    for example, question in zip(examples, questions, strict=True):
        order = np.argsort(-(vectors @ question), kind="stable")
        nearest = [passages[place] for place in order[:FOUND_PASSAGES]]
        foreign = [passages[place] for place in order if titles[passages[place]] != example.title][:FOUND_PASSAGES]
        for setting, texts in ((GOLD, [example.passage]), (FOUND, nearest), (FOREIGN, foreign)):
            found.append(Trial(example, tuple(_context(numbers[text], text) for text in texts), setting))
    return found


def _context(number: int, text: str) -> Context:
    return Context(Span(number, 0, len(text)), "", text, 1.0, 1)
