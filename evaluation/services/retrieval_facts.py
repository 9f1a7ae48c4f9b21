"""What a run gave the model, measured the same way for all: tokens of context, evidence cut by borders."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from evaluation.models import Run
from evaluation.types import Sample
from rag_pipeline.errors import PipelineError
from rag_pipeline.queries.documents import corpus_snapshot
from rag_pipeline.services.indexes import open_embedder, open_index
from rag_pipeline.settings.pipeline_spec import PipelineSpec

Rows = npt.NDArray[np.int64]
"""Spans as rows: document, start, end."""


def retrieval_facts(*, run: Run, spec: PipelineSpec, samples: Sequence[Sample]) -> dict[str, Any]:
    """Return the facts of a run whose questions were asked.

    `context_tokens`: mean tokens of context a question, counted by the tokenizer of the scoring embedding, whatever
    embedding retrieves; None where it cannot count. `border_cut`: share of the evidence spans that no chunk holds
    whole; None without chunks. `contexts`: a digest of what was retrieved, the same for the same rankings.
    """
    asked = [each for each in samples if not each.trace.error]
    counts = [len(each.trace.contexts) for each in asked]
    given = _rows(context.span for each in asked for context in each.trace.contexts)
    digest = hashlib.sha256(np.asarray(counts, np.int64).tobytes() + given.tobytes())
    evidence = _rows({span for each in asked if each.answerable for span in each.evidence})
    return {
        "context_tokens": _mean_tokens(run, given, len(asked), _passages(asked)),
        "border_cut": _border_cut(run, spec, evidence) if len(evidence) and spec.needs_chunks else None,
        "contexts": digest.hexdigest()[:16],
    }


def _rows(spans: Any) -> Rows:
    return np.array([(each.document_id, each.start, each.end) for each in spans], np.int64).reshape(-1, 3)


def _passages(samples: Sequence[Sample]) -> dict[int, str]:
    """Return the texts that were given and stand in no document, by id."""
    return {each.id: each.text for sample in samples for each in sample.trace.passages}


def _mean_tokens(run: Run, given: Rows, questions: int, passages: Mapping[int, str]) -> float | None:
    snapshot = corpus_snapshot(corpus=run.corpus, until=run.created)
    total = 0
    try:
        for document in np.unique(given[:, 0]).tolist():
            edges = given[given[:, 0] == document, 1:]
            text = passages.get(document) or snapshot.texts.get(document, "")
            starts = _token_starts(run.evaluation["eval_embedding"], text)
            first, last = np.searchsorted(starts, edges.T)
            total += int((last - first).sum())
    except PipelineError:  # a provider's tokenizer that is not known here
        return None
    return total / questions if questions else None


@lru_cache(maxsize=64)
def _token_starts(embedding: str, text: str) -> npt.NDArray[np.int64]:
    return np.asarray(open_embedder(embedding).token_offsets(text), np.int64).reshape(-1, 2)[:, 0].copy()


def _border_cut(run: Run, spec: PipelineSpec, evidence: Rows) -> float:
    """Return the share of evidence spans that lie in no chunk whole, 0..1."""
    index = open_index(corpus=run.corpus, spec=spec, until=run.created)
    rows = index.spans
    if index.parents is not None:
        rows = np.unique(np.column_stack([rows[:, :1], index.parents]), axis=0)
    held = 0
    for document in np.unique(evidence[:, 0]).tolist():
        chunks = rows[rows[:, 0] == document, 1:]
        wanted = evidence[evidence[:, 0] == document, 1:]
        inside = (chunks[None, :, 0] <= wanted[:, None, 0]) & (chunks[None, :, 1] >= wanted[:, None, 1])
        held += int(inside.any(axis=1).sum())
    return 1 - held / len(evidence)
