"""What a configuration gave the model, measured the same way for all: tokens of context, evidence cut by borders."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from evaluation.models import Evidence, Question, Run
from evaluation.queries.stored_answers import passage_texts
from rag_pipeline.errors import PipelineError
from rag_pipeline.queries.documents import corpus_snapshot
from rag_pipeline.services.indexes import open_embedder, open_index
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from rag_pipeline.types import Span

Starts = Mapping[int, npt.NDArray[np.signedinteger[Any]]]


def sweep_facts(*, run: Run, spec: PipelineSpec, eval_embedding: str) -> dict[str, Any]:
    """Return the facts of a run whose questions were asked.

    `context_tokens`: mean tokens of context a question, counted by the tokenizer of the scoring embedding, whatever
    embedding retrieves; None where it cannot count. `border_cut`: share of the evidence spans that no chunk holds
    whole; None without chunks. `contexts`: a digest of what was retrieved, the same for the same rankings.
    """
    answers = list(run.answers.filter(error="").order_by("question_id", "repeat"))
    spans = [[Span.from_json(each) for each in answer.contexts] for answer in answers]
    texts = corpus_snapshot(corpus=run.corpus, until=run.created).texts | passage_texts(answers)
    return {
        "context_tokens": _mean_tokens(texts, spans, eval_embedding),
        "border_cut": border_cut(run, spec),
        "contexts": hashlib.sha256(repr(spans).encode()).hexdigest()[:16],
    }


def _mean_tokens(texts: Mapping[int, str], spans: Sequence[Sequence[Span]], embedding: str) -> float | None:
    documents = {span.document_id for each in spans for span in each}
    try:
        starts = _token_starts(texts, documents, embedding)
    except PipelineError:  # a provider's tokenizer that is not known here
        return None
    return sum(_tokens(span, starts) for each in spans for span in each) / len(spans) if spans else None


def _token_starts(texts: Mapping[int, str], documents: Iterable[int], embedding: str) -> Starts:
    embedder = open_embedder(embedding)
    return {each: np.asarray(embedder.token_offsets(texts[each]))[:, 0] for each in documents if each in texts}


def _tokens(span: Span, starts: Starts) -> int:
    if span.document_id not in starts:
        return 0
    first, last = np.searchsorted(starts[span.document_id], (span.start, span.end))
    return int(last - first)


def border_cut(run: Run, spec: PipelineSpec) -> float | None:
    """Return the share of the evidence of a run's questions that lies in no chunk whole, 0..1."""
    if not spec.needs_chunks:
        return None
    asked = Question.objects.filter(answers__run=run).exclude(kind=Question.Kind.OUT_OF_SCOPE)
    evidence = set(Evidence.objects.filter(question__in=asked).values_list("document_id", "start", "end"))
    if not evidence:
        return None
    index = open_index(corpus=run.corpus, spec=spec, until=run.created)
    rows = index.spans
    if index.parents is not None:
        rows = np.unique(np.column_stack([rows[:, :1], index.parents]), axis=0)
    return sum(not _holds(rows, *each) for each in evidence) / len(evidence)


def _holds(rows: npt.NDArray[Any], document: int, start: int, end: int) -> bool:
    return bool(np.any((rows[:, 0] == document) & (rows[:, 1] <= start) & (rows[:, 2] >= end)))
