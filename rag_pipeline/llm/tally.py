"""Tokens and money over many model calls."""

from __future__ import annotations

from dataclasses import dataclass, field

from rag_pipeline.types import Usage


@dataclass(slots=True)
class UsageTally:
    """Adds up the usage of calls. A sum is None as soon as one part of it is unknown: it would be too low.

    `kept`: replies that were there from earlier and cost nothing.
    """

    calls: int = 0
    kept: int = 0
    total: Usage = field(default_factory=lambda: Usage(0, 0, 0.0))

    def add(self, usage: Usage, calls: int = 1) -> None:
        """Count a call, or several with their sum."""
        self.calls += calls
        self.total = Usage(
            _sum(self.total.prompt_tokens, usage.prompt_tokens),
            _sum(self.total.completion_tokens, usage.completion_tokens),
            None if self.total.cost_usd is None or usage.cost_usd is None else self.total.cost_usd + usage.cost_usd,
        )

    def sentence(self) -> str:
        """Return what it came to, for the user."""
        tokens = [self.total.prompt_tokens, self.total.completion_tokens]
        counted = "tokens unknown" if None in tokens else f"{tokens[0]:,} + {tokens[1]:,} tokens"
        cost = "cost unknown" if self.total.cost_usd is None else f"${self.total.cost_usd:.4f}"
        kept = f" {self.kept:,} further replies were there already." if self.kept else ""
        return f"{self.calls:,} calls, {counted}, {cost}.{kept}"


def _sum(total: int | None, part: int | None) -> int | None:
    return None if total is None or part is None else total + part
