"""Scores of stored or fresh answers: refusals, agreement, metrics, summaries. No model is asked but the judge."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, TypeVar

from evaluation.judge.claims.table import ClaimTable
from evaluation.judge.claims.tables import ClaimTables
from evaluation.judge.judge import Judge
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
    claims = ClaimTables(judge, parts) if judge else None
    context = MetricContext(spec, refusals, embed, use_context=use_context, judge=judge, claims=claims, reads=reads)
    questions = _questions([agreeing, *units], samples, context) if judge else []
    total = len(questions) + sum(_blocks(unit, len(samples)) for unit in (agreeing, *units)) + 2
    yield Progress(STEP, 0, total)
    if judge:
        asked = yield from _asked(questions, total)
        context = replace(context, asked=asked)
    done = len(questions) + 1
    agreement = yield from _scored_all({AGREEMENT: agreeing}, samples, context, done, total)
    context = replace(context, agreement=agreement[AGREEMENT])
    done += _blocks(agreeing, len(samples))
    scored = yield from _scored_all(dict(zip(others, units, strict=True)), samples, context, done, total)
    scored[spec.agreement] = agreement[AGREEMENT]
    scores = {name: scored[name] for name in names}
    yield Progress(STEP, total - 1, total)
    tables = [claims.made_for(sample) if claims else None for sample in samples]
    return ScoredSamples(samples, refusals, scores, summarise(samples, scores, spec), tables)


@dataclass(frozen=True, slots=True)
class _Question:
    """What a metric wants to know of the judge about one sample."""

    metric: str
    sample: int
    ask: Callable[[], Coroutine[Any, Any, Any]]


def _questions(units: Sequence[Metric], samples: Sequence[Sample], context: MetricContext) -> list[_Question]:
    """Return what all metrics want to know about all samples, what takes the longest chains of calls first."""
    judged = {unit.key: unit for unit in units if isinstance(unit, JudgedMetric)}.values()
    return [
        _Question(unit.key, id(sample), partial(unit.ask, sample, context.only([position])))
        for unit in sorted(judged, key=lambda unit: not unit.claim_parts)
        for position, sample in enumerate(samples)
        if not unit.why_null(sample, context)
    ]


def _asked(questions: Sequence[_Question], total: int) -> Steps[dict[str, dict[int, Any]]]:
    """Ask the judge everything at once; return its replies by metric and sample. Raises ProviderError."""
    found: dict[str, dict[int, Any]] = {question.metric: {} for question in questions}
    stride = max(1, len(questions) // MOST_STEPS)
    with closing(as_completed_blocking([question.ask() for question in questions])) as replies:
        for done, (position, reply) in enumerate(replies, 1):
            question = questions[position]
            found[question.metric][question.sample] = reply
            if done % stride == 0:
                yield Progress(STEP, done, total)
    return found


def _scored_all(
    units: Mapping[str, Metric], samples: Sequence[Sample], context: MetricContext, done: int, total: int
) -> Steps[dict[str, list[Score]]]:
    """Score each block with all metrics before the next: they share what they make of its texts."""
    scores: dict[str, list[Score]] = {name: [] for name in units}
    for size in sorted({_block(unit) for unit in units.values()}, reverse=True):
        alike = [(name, unit) for name, unit in units.items() if _block(unit) == size]
        for start in range(0, len(samples), size):
            part = samples[start : start + size]
            own = context.only(range(start, start + len(part)))
            for name, unit in alike:
                yield Progress(STEP, done, total)
                scores[name] += unit.score_many(part, own)
                done += 1
    return scores


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
