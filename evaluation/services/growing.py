"""A test set against growing parts of its corpus: retrieval alone, all evidence kept, each ranking searched once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.experiments.growth import (
    SEEDS,
    SHARES,
    CorpusPart,
    Growth,
    first_within,
    growth,
    holding,
    order_of_arrival,
    parts_of,
)
from evaluation.experiments.options import RETRIEVAL_METRICS
from evaluation.models import Question, TestSet
from evaluation.scoring.retrieval import BY_EVIDENCE, score_retrieval
from evaluation.scoring.summaries import cluster_of
from evaluation.services.retrieving import retrieved_samples
from evaluation.services.runs import check_askable, sweep_questions
from evaluation.spec import EvaluationSpec, RunOptions
from evaluation.statistics.intervals import Cluster, Floats
from rag_pipeline.errors import ConfigError
from rag_pipeline.models import Corpus
from rag_pipeline.pipeline.retrieval import Retrieval, Retrieved
from rag_pipeline.retrievers.base import Retriever, retrievers
from rag_pipeline.retrievers.fusion import fuse
from rag_pipeline.retrievers.hybrid import DEPTH
from rag_pipeline.services.pipelines import open_retrieval
from rag_pipeline.settings.core import NONE
from rag_pipeline.settings.parts import PARTS
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from rag_pipeline.types import Hit, Query, Span

SCORES = (BY_EVIDENCE, *RETRIEVAL_METRICS[:2])
"""Context matching, hit rate and MRR."""
_HITS = 200_000
"""Hits that are held at once: some 50 MB."""
_DEEPER = 4
Arrival = Mapping[Span, int]


@dataclass(frozen=True, slots=True)
class GrowthTable:
    """Scores by name over the parts of a corpus, of which `evidence` chunks are in every part."""

    parts: tuple[CorpusPart, ...]
    scores: Mapping[str, Growth]
    questions: int
    evidence: int
    seeds: int = SEEDS


def check_growable(*, corpus: Corpus, testset: TestSet, spec: PipelineSpec, run: RunOptions) -> list[Question]:
    """Return the questions that are asked. Raises ConfigError where rankings of parts cannot be read off the whole."""
    check_askable(corpus, testset, run)
    core, unit = spec.core, retrievers.get(spec.core.retriever, "retriever")
    steps = {part.field: getattr(core, part.field) != NONE for part in PARTS if part.choice.optional}
    steps |= {"context_budget": core.context_budget > 0, "use_context": not core.use_context}
    steps |= {"retriever": unit.needs_evidence or not unit.repeatable or unit.to_the_end is not Retriever.to_the_end}
    if name := next((name for name, given in steps.items() if given), ""):
        raise ConfigError(
            f"How the corpus grows is shown for what dense, bm25 or hybrid find alone, not with {name}="
            f"{getattr(core, name)}. Leave that setting out.",
            name,
        )
    questions = sweep_questions(testset=testset, options=run, retrieval_only=True)
    if not questions:
        raise ConfigError("Retrieval alone is scored by evidence, and no question here has any.", "testset")
    return questions


def grow(*, corpus: Corpus, testset: TestSet, spec: PipelineSpec, run: RunOptions) -> GrowthTable:
    """Score retrieval over growing parts of a corpus; nothing is stored, no model answers.

    The parts but the whole are drawn several times, and each question's scores averaged over the draws. Words keep the
    weight that BM25 gives them over the whole corpus. Raises ConfigError, ProviderError.
    """
    questions = check_growable(corpus=corpus, testset=testset, spec=spec, run=run)
    retrieval = open_retrieval(corpus=corpus, spec=spec)
    if retrieval.parent_of is not None:
        raise ConfigError("Chunks that stand for larger ones cannot be left out by themselves. Choose another chunker.")
    chunks = [Span(*row) for row in retrieval.retriever.index.spans.tolist()]
    evidence = holding(chunks, [one for each in questions for one in each.evidence_spans])
    parts = parts_of(len(set(chunks)), len(evidence))
    draws = [
        (at, order_of_arrival(chunks, evidence, seed))
        for seed in range(SEEDS)
        for at, part in enumerate(parts)
        if seed == 0 or part.share < SHARES[-1]
    ]
    found = _found(retrieval, questions, [(parts[at], arrival) for at, arrival in draws])
    sums, clusters = _scored(retrieval, questions, spec, [at for at, _ in draws], found)
    return GrowthTable(tuple(parts), _growths(parts, sums, clusters), len(questions), len(evidence))


def _found(
    retrieval: Retrieval, questions: Sequence[Question], draws: Sequence[tuple[CorpusPart, Arrival]]
) -> list[list[list[Hit]]]:
    """Return by draw and question the hits within that part."""
    found: list[list[list[Hit]]] = [[] for _ in draws]
    ranked = retrieval.retriever.fused_of()
    wanted = retrieval.top_k if len(ranked) == 1 else max(DEPTH, retrieval.top_k)
    depth = min(len(retrieval.retriever.index), int(_DEEPER * wanted / SHARES[0]))
    block = max(1, _HITS // max(1, depth))
    for start in range(0, len(questions), block):
        queries = [Query(each.text) for each in questions[start : start + block]]
        columns = [_within(retriever, queries, draws, wanted, depth) for retriever, _ in ranked]
        weights = [weight for _, weight in ranked]
        for at in range(len(draws)):
            for each in zip(*(column[at] for column in columns), strict=True):
                found[at].append(each[0] if len(each) == 1 else fuse(each, retrieval.top_k, weights))
    return found


def _within(
    retriever: Retriever, queries: Sequence[Query], draws: Sequence[tuple[CorpusPart, Arrival]], wanted: int, depth: int
) -> list[list[list[Hit]]]:
    """Return by draw and question the first hits of a retriever; looks further down where a part is short of them."""
    rankings = retriever.retrieve_many(queries, depth)
    found = [[first_within(hits, arrival, part, wanted) for hits in rankings] for part, arrival in draws]
    size = len(retriever.index)
    short = any(
        len(hits) < wanted and len(ranking) == depth
        for column in found
        for hits, ranking in zip(column, rankings, strict=True)
    )
    if short and depth < size:
        return _within(retriever, queries, draws, wanted, min(size, _DEEPER * depth))
    return found


def _scored(
    retrieval: Retrieval,
    questions: Sequence[Question],
    spec: PipelineSpec,
    places: Sequence[int],
    found: Sequence[Sequence[Sequence[Hit]]],
) -> tuple[dict[str, Floats], list[Cluster]]:
    """Return each score by question and part, averaged over the draws of a part, NaN where there is none."""
    evaluation = EvaluationSpec().model_copy(update={"metrics": SCORES[1:]})
    draws = {at: places.count(at) for at in places}
    means = {name: np.zeros((len(questions), len(draws))) for name in SCORES}
    clusters: list[Cluster] = []
    for at, column in zip(places, found, strict=True):
        retrieved = [Retrieved(hits=tuple(hits)) for hits in column]
        samples = retrieved_samples(questions, retrieved, retrieval.documents, spec)
        clusters = [cluster_of(sample) for sample in samples]
        for name, scores in score_retrieval(samples, evaluation).scores.items():
            values = [np.nan if score.value is None else score.value for score in scores]
            means[name][:, at] += np.array(values) / draws[at]
    return means, clusters


def _growths(
    parts: Sequence[CorpusPart], means: Mapping[str, Floats], clusters: Sequence[Cluster]
) -> dict[str, Growth]:
    """Return how each score grows, over the questions that have it. Raises ConfigError where none has."""
    found = {}
    for name, values in means.items():
        kept = [at for at, row in enumerate(values) if np.isfinite(row).all()]
        if not kept:
            raise ConfigError("No question could be scored: their evidence is only white space.", "testset")
        found[name] = growth(parts, values[kept], [clusters[at] for at in kept])
    return found
