"""Scores of stored or fresh answers: refusals, agreement, metrics, summaries. No model is asked but the judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Coroutine, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, TypeVar

from evaluation.metrics.base import Metric, MetricContext, make_metric
from evaluation.metrics.judged import JudgedMetric
from evaluation.refusal.detection import RefusalDetector
from evaluation.scoring.summaries import Summaries, summarise
from evaluation.spec import HEADLINE, EvaluationSpec
from evaluation.types import Refusal, Sample, Score, Summary
from rag_pipeline.embedders.base import Embed
from rag_pipeline.llm.loop_thread import as_completed_blocking
from rag_pipeline.local_models.scripts import Reads, reads_all
from rag_pipeline.types import Progress

if TYPE_CHECKING:
    from evaluation.judge.claims.table import ClaimTable
    from evaluation.judge.claims.tables import ClaimTables
    from evaluation.judge.judge import Judge

Result = TypeVar("Result")
Steps = Generator[Progress, None, Result]
"""Work that yields how far it is, and returns what it comes to."""

STEP, AGREEMENT = "Scoring", "agreement"

MOST_STEPS = 100
"""How often progress is reported, at most, while a judge is asked."""
MODEL_BLOCK = 64
"""Rows that a metric with a model of its own, or a server, scores at once."""
BLOCK = 250
"""Rows that any other metric scores at once: enough for batches of its embedding, and memory stays bounded."""

_TEXTS_KEPT = 4096
"""Texts of which it is remembered whether the model reads them: each is asked about by several metrics."""


@dataclass(frozen=True)
class ScoredSamples:
    """Answers with their scores. `refusals[i]` and `scores[metric][i]` belong to `samples[i]`.

    `claims[i]` is the claim table of `samples[i]`, None where no metric read one.
    """

    samples: Sequence[Sample]
    refusals: Sequence[Refusal]
    scores: dict[str, list[Score]]
    summaries: Summaries
    claims: Sequence[ClaimTable | None]

    def summary(self, metric: str, group: str = "") -> Summary:
        """Return a metric's summary over the run or one of its groups. Raises KeyError."""
        return self.summaries[metric, group]


def score_samples(
    samples: Sequence[Sample],
    spec: EvaluationSpec,
    refusal: str,
    embed: Embed,
    *,
    use_context: bool = True,
    names: Sequence[str] = HEADLINE,
    judge: Judge | None = None,
    reads: Reads = reads_all,
) -> Steps[ScoredSamples]:
    """Score answers with the metrics called `names`, yielding progress; `finished` does it all at once.

    `refusal` is the sentence with which the bot should decline; `judge` is asked by the metrics that need one;
    `reads` tells whether the model behind `embed` knows a text's script.
    Raises ProviderError when it cannot be asked at all.
    """
    reads = lru_cache(maxsize=_TEXTS_KEPT)(reads)
    agreeing = make_metric(spec.agreement, spec)
    others = [name for name in names if name != spec.agreement]
    units = [make_metric(name, spec) for name in others]
    refusals = RefusalDetector(embed, spec, refusal, reads).classify_many([sample.trace.answer for sample in samples])
    parts = {part for unit in (agreeing, *units) for part in unit.claim_parts}
    claims = _claim_tables(judge, parts) if judge else None
    context = MetricContext(spec, refusals, embed, use_context=use_context, judge=judge, claims=claims, reads=reads)
    asking = {unit.key: unit for unit in (agreeing, *units) if judge and isinstance(unit, JudgedMetric)}
    questions = _questions(asking.values(), samples, context)
    total = len(questions) + sum(_blocks(unit, len(samples)) for unit in (agreeing, *units)) + 2
    yield Progress(STEP, 0, total)
    judged = yield from _judged(asking, questions, samples, context, total)
    done = len(questions) + 1
    agreement = yield from _scored_all({AGREEMENT: agreeing}, judged, samples, context, done, total)
    context = replace(context, agreement=agreement[AGREEMENT])
    done += _blocks(agreeing, len(samples))
    scored = yield from _scored_all(dict(zip(others, units, strict=True)), judged, samples, context, done, total)
    scored[spec.agreement] = agreement[AGREEMENT]
    scores = {name: scored[name] for name in names}
    yield Progress(STEP, total - 1, total)
    tables = [claims.made_for(sample) if claims else None for sample in samples]
    return ScoredSamples(samples, refusals, scores, summarise(samples, scores, spec), tables)


def _claim_tables(judge: Judge, parts: Collection[str]) -> ClaimTables:
    from evaluation.judge.claims.tables import ClaimTables  # what asks a model is loaded where one is asked

    return ClaimTables(judge, parts)


@dataclass(frozen=True, slots=True)
class _Question:
    """What a metric wants to know of the judge about one sample."""

    metric: str
    sample: int
    ask: Callable[[], Coroutine[Any, Any, Any]]


def _questions(units: Iterable[JudgedMetric], samples: Sequence[Sample], context: MetricContext) -> list[_Question]:
    """Return what all metrics want to know about all samples, what takes the longest chains of calls first.

    Then comes what needs embedding when its replies are there, which is done while others are awaited.
    """
    return [
        _Question(unit.key, id(sample), partial(unit.ask, sample, context.only([position])))
        for unit in sorted(units, key=lambda unit: (not unit.claim_parts, not unit.reads_blocks))
        for position, sample in enumerate(samples)
        if not unit.why_null(sample, context)
    ]


def _judged(
    units: Mapping[str, JudgedMetric],
    questions: Sequence[_Question],
    samples: Sequence[Sample],
    context: MetricContext,
    total: int,
) -> Steps[dict[str, list[Score]]]:
    """Ask the judge everything at once; return the scores by metric. Raises ProviderError.

    What a metric makes of its replies, embedding above all, is worked out while those of others are awaited; in a
    thread, for this one is needed by whoever looks up or keeps a reply.
    """
    found: dict[str, dict[int, Any]] = {metric: {} for metric in units}
    context = replace(context, asked=found)
    awaited = Counter(question.metric for question in questions)
    read: dict[str, list[Future[list[Score]]]] = {}
    stride = max(1, len(questions) // MOST_STEPS)
    reader = ThreadPoolExecutor(1)
    try:
        with closing(as_completed_blocking([question.ask() for question in questions])) as replies:
            for done, (position, reply) in enumerate(replies, 1):
                question = questions[position]
                found[question.metric][question.sample] = reply
                awaited[question.metric] -= 1
                if not awaited[question.metric]:
                    unit = units[question.metric]
                    blocks = _cut(samples, context, _block(unit))
                    read[question.metric] = [reader.submit(unit.score_many, *block) for block in blocks]
                if done % stride == 0:
                    yield Progress(STEP, done, total)
        return {metric: [score for block in scored for score in block.result()] for metric, scored in read.items()}
    finally:
        reader.shutdown(cancel_futures=True)


def _scored_all(
    units: Mapping[str, Metric],
    judged: Mapping[str, list[Score]],
    samples: Sequence[Sample],
    context: MetricContext,
    done: int,
    total: int,
) -> Steps[dict[str, list[Score]]]:
    """Score each block with all metrics before the next: they share what they make of its texts.

    `judged`: scores that are there already.
    """
    scores: dict[str, list[Score]] = {name: list(judged.get(unit.key, ())) for name, unit in units.items()}
    for size in sorted({_block(unit) for unit in units.values()}, reverse=True):
        alike = [(name, unit) for name, unit in units.items() if _block(unit) == size]
        for part, own in _cut(samples, context, size):
            for name, unit in alike:
                yield Progress(STEP, done, total)
                if unit.key not in judged:
                    scores[name] += unit.score_many(part, own)
                done += 1
    return scores


def _cut(
    samples: Sequence[Sample], context: MetricContext, size: int
) -> Iterator[tuple[Sequence[Sample], MetricContext]]:
    for start in range(0, len(samples), size):
        part = samples[start : start + size]
        yield part, context.only(range(start, start + len(part)))


def _blocks(unit: Metric, rows: int) -> int:
    return -(-rows // _block(unit))


def _block(unit: Metric) -> int:
    return MODEL_BLOCK if unit.needs & {"weights", "server"} else BLOCK


def finished(steps: Steps[Result]) -> Result:
    """Do all steps at once and return what they come to."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            result: Result = stop.value
            return result
