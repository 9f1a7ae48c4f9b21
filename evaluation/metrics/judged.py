"""Metrics that ask a judge: a coroutine over one sample, and what is made of its replies."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from evaluation.metrics.base import Metric, MetricContext
from evaluation.types import Sample, Score
from rag_pipeline.llm.loop_thread import gather_blocking

if TYPE_CHECKING:
    from evaluation.judge.judge import Judge

IN_ITS_LANGUAGE = "the judge is told to read and write in the language of a text that is not English"
"""What the last revision brought to everything that a judge says."""


class JudgedMetric(Metric):
    """Write `ask`, and `read` or, where a whole block is cheaper (embeddings), `read_block`.

    A scoring asks for all rows of all such metrics at once and hands over what came in `MetricContext.asked`.
    """

    revision = 2
    changes = IN_ITS_LANGUAGE
    cannot_see = "what its judge does not see"
    people = "that of its judge, which manage.py judge_check measures on marked claims"

    @abstractmethod
    async def ask(self, sample: Sample, context: MetricContext) -> Any:
        """Return what the judge says of one sample; `context` holds its refusal alone. Raises ProviderError."""

    def read(self, sample: Sample, found: Any) -> Score:
        """Return the score that the judge's word gives."""
        raise NotImplementedError(f"{type(self).__name__} has neither read nor read_block")

    def read_block(self, samples: Sequence[Sample], found: Sequence[Any], context: MetricContext) -> list[Score]:
        """Return one score per sample."""
        return [self.read(sample, each) for sample, each in zip(samples, found, strict=True)]

    @property
    def reads_blocks(self) -> bool:
        """Whether there is more to do than to look at the replies: embedding, for all rows at once."""
        return type(self).read_block is not JudgedMetric.read_block

    def score_block(self, samples: Sequence[Sample], context: MetricContext) -> list[Score]:
        """Score what the scoring has asked for already, or ask now."""
        asked = context.asked.get(self.key)
        if asked is not None:
            found = [asked[id(sample)] for sample in samples]
        else:
            found = gather_blocking(
                [self.ask(sample, context.only([position])) for position, sample in enumerate(samples)]
            )
        return self.read_block(samples, found, context)


def judge_of(context: MetricContext) -> Judge:
    """Return the judge of a scoring; a metric that needs one is not asked to score without."""
    assert context.judge is not None, "a metric that asks a judge must have “judge” in its needs"
    return context.judge
