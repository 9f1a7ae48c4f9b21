"""Rules: an answer has no more than so many sentences."""

from __future__ import annotations

from pydantic import Field

from evaluation.metrics.base import MetricContext, metrics
from evaluation.metrics.rule import Rule, verdict
from evaluation.metrics.worked import WorkedExample
from evaluation.types import Sample, Score
from rag_pipeline.english.sentences import split_sentences
from rag_pipeline.english.wording import counted
from rag_pipeline.registry import UnitOptions


class MaxSentencesOptions(UnitOptions):
    """How many."""

    limit: int = Field(3, ge=1, le=10_000, title="Most sentences", description="The most sentences an answer may have.")


@metrics.register
class MaxSentences(Rule):
    """Sentences, headings and list items with a letter or digit in them."""

    key = "max_sentences"
    label = "At most so many sentences"
    help = "Whether the answer has no more sentences than the limit; a list item or heading counts as one."
    formula = "1 if sentences of the answer ≤ limit, else 0"
    source = "Own definition; sentences as the built-in reader splits them, also where all letters are small"
    worked = WorkedExample(
        1.0,
        "Two sentences (the stops in e.g. and 3.5 end none), and the limit is 2: kept.",
        question="How long is it?",
        answer="It is long, e.g. 3.5 m. Nobody measured it since.",
        options={"limit": 2},
    )
    Options = MaxSentencesOptions
    options: MaxSentencesOptions

    def score(self, sample: Sample, context: MetricContext) -> Score:
        """Return 1 up to the limit, 0 above."""
        found = split_sentences(sample.trace.answer, without_capitals=True)
        sentences = sum(any(character.isalnum() for character in each.text) for each in found)
        limit = self.options.limit
        reason = f"{counted(sentences, 'sentence')}; at most {limit:,} are allowed"
        return verdict(sentences <= limit, reason, sentences=sentences)
