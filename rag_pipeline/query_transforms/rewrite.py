"""Rewrite: the question alone, spelt as the documents spell it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import cached_property

from rag_pipeline.errors import PipelineError
from rag_pipeline.generators.base import Stopwatch
from rag_pipeline.query_transforms.base import Transformed, query_transforms
from rag_pipeline.query_transforms.model_calls import ModelTransform
from rag_pipeline.query_transforms.replies import read_question
from rag_pipeline.rewriting.core_question import core_question
from rag_pipeline.rewriting.spelling import Spelling

_MOST_PASSES = 8
"""What is left out may uncover more of it; every pass but the last shortens the text or corrects a word."""


@query_transforms.register
class Rewrite(ModelTransform):
    """Corrects spelling, and leaves out greetings, fillers and circumstances.

    A model does it by its prompt. With the built-in reader it is done by rules: words that neither the corpus nor
    everyday language knows become the closest word of the corpus, and the clause that asks is kept.
    """

    key = "rewrite"
    label = "Rewrite"
    help = "Helps where questions have slips or come with the asker's story: spelling mended, the question alone kept."
    needs_model = False

    def read(self, question: str, reply: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the question that the model wrote."""
        written = read_question(reply)
        return ((written,) if written else (), ())

    async def transform_many(self, questions: Sequence[str]) -> Sequence[Transformed | PipelineError]:
        """Return one text a question: the model's, or that of the rules, which never fail."""
        if self.complete is not None:
            return await super().transform_many(questions)
        return await asyncio.to_thread(lambda: [self._by_rules(question) for question in questions])

    def _by_rules(self, question: str) -> Transformed:
        watch = Stopwatch()
        return Transformed((self.rewritten(question),), seconds=watch.elapsed())

    def rewritten(self, question: str) -> str:
        """Return a question rewritten by rules; the question itself, to the letter, where they find nothing to do."""
        now = question
        for _ in range(_MOST_PASSES):
            before = now
            now = core_question(self._spelling.correct(now), self._spelling.holds)
            if now == before:
                break
        return now

    @cached_property
    def _spelling(self) -> Spelling:
        return Spelling(self.vocabulary() if self.vocabulary else {})
