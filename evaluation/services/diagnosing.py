"""What failed, and where, in a scored run: the facts of retrieval from storage, ranks from the run's own index."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evaluation.metrics.context_matching import covered_positions, evidence_positions
from evaluation.models import Answer, Run
from evaluation.queries.stored_answers import passage_texts
from evaluation.scoring.diagnosis.decide import AnswerFacts, EvidenceFacts, decide, lost_score
from evaluation.scoring.diagnosis.journey import EvidenceSight, StageSight, journey
from evaluation.scoring.diagnosis.points import Diagnosis
from evaluation.scoring.diagnosis.ranks import EvidenceRank, evidence_rank, missing_pieces
from evaluation.scoring.scoring import ScoredSamples
from evaluation.spec import EvaluationSpec
from evaluation.types import Sample
from rag_pipeline.errors import PipelineError
from rag_pipeline.indexing.index_store import ChunkIndex
from rag_pipeline.pipeline.retrieval import Retrieval
from rag_pipeline.pipeline.step_table import stored_steps
from rag_pipeline.queries.documents import corpus_snapshot
from rag_pipeline.services.pipelines import open_ranking
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from rag_pipeline.types import Query, Span

DEPTHS = (100, 1_000, 10_000)
"""How far down the ranks are read, one after the other, until the evidence is found."""
_HITS = 200_000
"""Chunks that are ranked at once, over all questions: some 50 MB."""


@dataclass(frozen=True)
class _Sought:
    """An answer whose evidence did not reach the model, with what was searched for."""

    sample: Sample
    stages: Sequence[StageSight]
    in_corpus: float
    searched: tuple[str, ...]

    def among_retrieved(self, threshold: float) -> bool:
        return bool(self.stages) and self.stages[0].share >= threshold


def diagnose_run(
    *, run: Run, answers: Sequence[Answer], scored: ScoredSamples, spec: EvaluationSpec
) -> list[Diagnosis]:
    """Return the failure point of each answer, in order. No model is asked.

    Where the index cannot be opened any more, the rank of the evidence stays unknown and the reason says why.
    """
    rows = _rows(run, scored)
    lost = [place for place, row in enumerate(rows) if row.retrieval_lost(spec) and lost_score(row, spec)]
    evidence = _evidence(run, answers, scored.samples, lost, spec) if lost else {}
    return [
        decide(replace(row, evidence=evidence[place]) if place in evidence else row, spec)
        for place, row in enumerate(rows)
    ]


def _rows(run: Run, scored: ScoredSamples) -> list[AnswerFacts]:
    settings = run.pipeline
    reranked = settings.get("reranker", "none") != "none"
    limited_by = "rerank_candidates" if reranked else "top_k"
    return [
        AnswerFacts(
            sample=sample,
            scores={name: column[place] for name, column in scored.scores.items()},
            refusal=scored.refusals[place],
            use_context=settings.get("use_context", True),
            limit=int(settings.get(limited_by) or 0),
            limited_by=limited_by,
            max_tokens=int(settings.get("max_tokens") or 0),
        )
        for place, sample in enumerate(scored.samples)
    ]


def _evidence(
    run: Run, answers: Sequence[Answer], samples: Sequence[Sample], lost: Sequence[int], spec: EvaluationSpec
) -> dict[int, EvidenceFacts]:
    """Return the facts of retrieval of the answers at the places `lost`."""
    texts = corpus_snapshot(corpus=run.corpus, until=_asked(run)).texts | passage_texts(answers)
    details = _details(run, [answers[place] for place in lost])
    top_k, threshold = int(run.pipeline.get("top_k") or 0), spec.failure_context
    sought = {}
    for place in lost:
        sample, own = samples[place], details[answers[place].pk]
        sight = EvidenceSight(sample, texts, threshold)
        searched = tuple(own.get("queries") or (sample.trace.question,))
        sought[place] = _Sought(sample, journey(sight, stored_steps(own), top_k), _share_in(sample, texts), searched)
    deeper = {
        answers[place].question_id: each
        for place, each in sought.items()
        if each.in_corpus >= threshold and not each.among_retrieved(threshold)
    }
    ranks, note = _ranks(run, deeper, texts, threshold)
    return {
        place: EvidenceFacts(each.in_corpus, each.stages, ranks.get(answers[place].question_id), note)
        for place, each in sought.items()
    }


def _asked(run: Run) -> dt.datetime:
    """Return when the corpus was as the run's contexts saw it."""
    return run.contexts_from.created if run.contexts_from is not None else run.created


def _details(run: Run, answers: Sequence[Answer]) -> dict[int, dict[str, Any]]:
    """Return by answer what retrieval noted: on the run whose contexts were given, where that is another."""
    if run.contexts_from is None:
        return {answer.pk: answer.details for answer in answers}
    questions = [answer.question_id for answer in answers]
    found = Answer.objects.filter(run=run.contexts_from, question__in=questions).order_by("-repeat")
    noted = dict(found.values_list("question_id", "details"))  # the first repeat, last here, is the one kept
    return {answer.pk: noted.get(answer.question_id, {}) for answer in answers}


def _share_in(sample: Sample, texts: Mapping[int, str]) -> float:
    """Return the share of the evidence's characters that stand in the documents, or in a repeat there."""
    wanted = evidence_positions(sample)
    there: set[tuple[int, int]] = set()
    for span, text in zip(sample.evidence, sample.evidence_texts, strict=True):
        if span.end <= len(texts.get(span.document_id, "")) or any(text in other for other in texts.values()):
            there.update((span.document_id, at) for at in range(span.start, span.end))
    return len(there & wanted) / len(wanted) if wanted else 1.0


def _ranks(
    run: Run, sought: Mapping[int, _Sought], texts: Mapping[int, str], threshold: float
) -> tuple[dict[int, EvidenceRank], str]:
    """Return by question where its evidence lies in the run's own ranking, and why that is not known."""
    if not sought:
        return {}, ""
    try:
        spec = PipelineSpec.create(run.pipeline, retrieves=False)
        ranking = open_ranking(corpus=run.corpus, spec=spec, until=_asked(run))
        found: dict[int, EvidenceRank] = {}
        left, chunks = list(sought), len(ranking.retriever.index)
        for depth in DEPTHS:
            size = max(1, _HITS // depth)
            for start in range(0, len(left), size):
                block = {key: sought[key] for key in left[start : start + size]}
                found |= _ranked(ranking, block, depth, texts, threshold)
            left = [key for key in left if not found[key].found and depth < chunks]
    except PipelineError as error:
        return {}, str(error)
    return found, ""


def _ranked(
    ranking: Retrieval, sought: Mapping[int, _Sought], depth: int, texts: Mapping[int, str], threshold: float
) -> dict[int, EvidenceRank]:
    """Look for the evidence of some questions among the first `depth` chunks. Raises ProviderError."""
    holds = _holder(ranking.retriever.index)
    queries = [Query(each.sample.trace.question, each.sample.evidence) for each in sought.values()]
    hits = ranking.ranked(queries, [each.searched for each in sought.values()], depth)
    found = {}
    for (key, each), own in zip(sought.items(), hits, strict=True):
        covered = covered_positions(each.sample, evidence_positions(each.sample))
        missing = missing_pieces(each.sample, covered, threshold)
        found[key] = evidence_rank(each.sample, missing, own, texts, holds, threshold)
    return found


def _holder(index: ChunkIndex) -> Callable[[Span], bool]:
    """Return whether a span lies whole in a chunk of the index, or in what the model gets for one."""
    documents = index.spans[:, 0]
    edges = index.spans[:, 1:] if index.parents is None else index.parents

    def holds(span: Span) -> bool:
        inside = (documents == span.document_id) & (edges[:, 0] <= span.start) & (edges[:, 1] >= span.end)
        return bool(inside.any())

    return holds
