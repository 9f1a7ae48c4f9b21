"""Rules: an answer is no longer than so many words."""

from __future__ import annotations

from pydantic import Field

from evaluation.metrics.base import MetricContext, metrics
from evaluation.metrics.rule import Rule, verdict
from evaluation.metrics.worked import WorkedExample
from evaluation.types import Sample, Score
from rag_pipeline.english.tokens import count_words
from rag_pipeline.english.wording import counted
from rag_pipeline.registry import UnitOptions


class MaxWordsOptions(UnitOptions):
    """How many."""

    limit: int = Field(100, ge=1, le=100_000, title="Most words", description="The most words an answer may have.")


@metrics.register
class MaxWords(Rule):
    """Words as brevity counts them: single characters in scripts without spaces."""

    key = "max_words"
    label = "At most so many words"
    help = "Whether the answer has no more words than the limit; characters in scripts without spaces."
    formula = "1 if words of the answer ≤ limit, else 0"
    source = "Own definition; words as in brevity"
    worked = WorkedExample(
        0.0,
        "Five words, and the limit is 4: broken. An answer of four keeps the rule.",
        question="Where was it issued?",
        answer="It was issued in Memphis.",
        options={"limit": 4},
    )
    Options = MaxWordsOptions
    options: MaxWordsOptions

    def score(self, sample: Sample, context: MetricContext) -> Score:
        """Return 1 up to the limit, 0 above."""
        words = count_words(sample.trace.answer)
        limit = self.options.limit
        return verdict(words <= limit, f"{counted(words, 'word')}; at most {limit:,} are allowed", words=words)
