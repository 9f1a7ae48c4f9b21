"""What the two pattern rules share: a checked regular expression, searched for a bounded time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from pydantic import BaseModel, Field, field_validator

from evaluation.metrics.base import MetricContext
from evaluation.metrics.rule import Rule, verdict
from evaluation.types import Sample, Score
from rag_pipeline.registry import UnitOptions

if TYPE_CHECKING:
    import regex

_SECONDS = 0.2
"""Longest search in one answer. An ordinary one takes microseconds; one that backtracks without end takes hours."""
_MOST_STOPPED = 3
"""Answers whose search was stopped, after which the pattern is tried on no further one."""
_NO_PATTERN = "no pattern is set (option pattern)"
_TOO_SLOW = "the pattern took too long on this answer. Write it without repeats inside repeats, such as (a+)+"


class PatternOptions(UnitOptions):
    """What to look for."""

    pattern: str = Field(
        "",
        max_length=1000,
        title="Pattern",
        description="A regular expression, looked for anywhere in the answer, such as \\bEUR \\d+.",
    )
    ignore_case: bool = Field(False, title="Ignore case", description="Take capital and small letters for the same.")

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, value: str) -> str:
        _compiled(value, False)
        return value


class PatternRule(Rule):
    """Base of the rules with a pattern; `wanted` says whether finding it keeps the rule."""

    wanted: ClassVar[bool]
    needs_option: ClassVar[str] = "pattern"
    Options: ClassVar[type[BaseModel]] = PatternOptions
    options: PatternOptions

    def score_block(self, samples: Sequence[Sample], context: MetricContext) -> list[Score]:
        """Return a verdict an answer; null where the search was stopped, and for all others after three of those."""
        if not self.options.pattern:
            return [Score.unscored(_NO_PATTERN)] * len(samples)
        pattern, stopped, scores = _compiled(self.options.pattern, self.options.ignore_case), 0, []
        for sample in samples:
            score = self._search(pattern, sample.trace.answer) if stopped < _MOST_STOPPED else None
            stopped += score is None
            scores.append(score or Score.unscored(_TOO_SLOW))
        return scores

    def _search(self, pattern: regex.Pattern[str], answer: str) -> Score | None:
        """Return the verdict on one answer, None where the search was stopped."""
        try:
            found = pattern.search(answer, timeout=_SECONDS)
        except TimeoutError:
            return None
        if found is None:
            return verdict(not self.wanted, "the pattern is not in the answer")
        return verdict(self.wanted, f"the pattern is in the answer: “{_short(found[0])}”", start=found.start())


def _compiled(text: str, ignore_case: bool) -> regex.Pattern[str]:
    """Return a compiled pattern. Raises ValueError saying what is wrong with it and where."""
    import regex  # 20 ms that nobody else needs

    try:
        return regex.compile(text, regex.IGNORECASE if ignore_case else 0)
    except regex.error as error:
        where = "" if error.pos is None else f" at character {error.pos + 1}"
        raise ValueError(f"“{_short(text)}” is not a regular expression: {error.msg}{where}.") from error


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}…"
