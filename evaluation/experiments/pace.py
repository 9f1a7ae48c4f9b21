"""What a question takes: what was measured of a model, and what other settings make of that."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rag_pipeline.settings.pipeline_spec import PipelineSpec

EMBED_PER_S, READER_S, START_S = 40.0, 0.05, 6.0
"""Rough paces of a 2-core machine: texts embedded a second, seconds a question for the built-in reader, the start."""
_CHARACTERS_A_TOKEN = 4
_QUESTION = 80
"""Characters of a question, about."""


@dataclass(frozen=True, slots=True)
class Pace:
    """What a question took a model, on average of `answers`; None where that is unknown.

    `characters`: of the prompt. `prices`: dollars for a token read and a token written. `piloted`: measured by a pilot
    and not by earlier answers.
    """

    answers: int
    seconds: float | None = None
    prompt_tokens: float | None = None
    written_tokens: float | None = None
    characters: float | None = None
    prices: tuple[float, float] | None = None
    piloted: bool = False

    @property
    def tokens(self) -> float | None:
        """Tokens read and written."""
        return None if self.prompt_tokens is None else self.prompt_tokens + (self.written_tokens or 0.0)

    @property
    def cost_usd(self) -> float | None:
        """Dollars; None without a price, or without a count of tokens."""
        if self.prices is None or self.prompt_tokens is None:
            return None
        return self.prompt_tokens * self.prices[0] + (self.written_tokens or 0.0) * self.prices[1]

    def for_settings(self, spec: PipelineSpec) -> Pace:
        """Return the pace under other settings: the longer the contexts, the more tokens are read."""
        if self.prompt_tokens is None or not self.characters:
            return self
        factor = prompt_characters(spec) / self.characters
        return replace(self, prompt_tokens=self.prompt_tokens * factor, characters=self.characters * factor)


def prompt_characters(spec: PipelineSpec) -> int:
    """Return about how many characters a prompt under these settings has."""
    core = spec.core
    if not core.use_context:
        return len(core.prompt_without_context) + _QUESTION
    return len(core.prompt) + _QUESTION + context_characters(spec)


def context_characters(spec: PipelineSpec) -> int:
    """Return about how many characters of context a question gets."""
    sizes = spec.settings
    size = int(sizes.get("parent_size", 0)) or int(sizes.get("chunk_size", 1000))
    if sizes.get("chunk_unit") == "tokens":
        size *= _CHARACTERS_A_TOKEN
    whole = size * spec.core.top_k
    budget = int(sizes.get("context_budget", 0)) * _CHARACTERS_A_TOKEN
    return min(whole, budget) if budget else whole
