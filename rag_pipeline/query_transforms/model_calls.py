"""One call of the model a question, many at a time: what the transforms that need a model have in common."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Sequence

from rag_pipeline.errors import ConfigError, PipelineError
from rag_pipeline.generators.base import Stopwatch
from rag_pipeline.prompt_files import fill_prompt, read_prompt
from rag_pipeline.query_transforms.base import QueryTransform, Transformed, TransformOptions
from rag_pipeline.types import Generation


def transform_prompt(key: str) -> str:
    """Return the template of the query transform `key`, with `{question}` and, where it reads it, `{count}`."""
    return read_prompt("rag_pipeline", f"transforms/{key}")


class ModelTransform(QueryTransform):
    """Asks `prompts/transforms/<key>.txt` for each question and reads the reply."""

    options: TransformOptions

    @abstractmethod
    def read(self, question: str, reply: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return (the texts to search with, notes) for a reply; no texts where the reply cannot be used."""

    def asked(self) -> int:
        """How many questions the prompt asks for, its `{count}`."""
        return 1

    async def transform_many(self, questions: Sequence[str]) -> Sequence[Transformed | PipelineError]:
        """Ask for all questions at once."""

        async def one(question: str) -> Transformed | PipelineError:
            try:
                return await self._transformed(question)
            except PipelineError as error:
                return error

        return await asyncio.gather(*(one(question) for question in questions))

    async def _transformed(self, question: str) -> Transformed:
        if self.complete is None:
            raise ConfigError(f"{self.label} needs a model. {self.why_model}", "query_transform")
        watch = Stopwatch()
        values = {"question": question, "count": str(self.asked())}
        template = self.options.transform_prompt or transform_prompt(self.key)
        generation = await self.complete(fill_prompt(template, values))
        queries, notes = self.read(question, generation.text)
        if not queries:
            queries, notes = (question,), (*notes, self._fallback_note(generation))
        return Transformed(queries, generation.usage, watch.elapsed(), notes)

    def _fallback_note(self, generation: Generation) -> str:
        if generation.text.strip():
            return f"{self.label}: the model wrote nothing to search with; the question itself was searched for."
        why = " (it used up max_tokens)" if generation.details.get("finish") in {"length", "max_tokens"} else ""
        return f"{self.label}: the model's reply was empty{why}; the question itself was searched for."
