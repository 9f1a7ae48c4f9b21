"""output.csv and eval.csv: the same bytes on disk, on the pages and from the commands."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from django.conf import settings

from evaluation.exchange.csv_cells import to_csv
from evaluation.models import Answer, Evidence, MetricScore, Question, Run, TestSet
from evaluation.spec import HEADLINE
from rag_pipeline.models import Document

TESTSET_COLUMNS = (
    "question_id", "pair_id", "kind", "transformation", "error", "question", "reference_answer", "document", "start",
    "end", "context", "split", "reference_answers", "spans", "metadata",
)  # fmt: skip
RUN_COLUMNS = (
    "question_id", "pair_id", "kind", "transformation", "error", "question", "reference_answer", "answer", "refused",
    "contexts", "contexts_id", "context_spans", *HEADLINE, "failure_point", "latency_s", "ttft_s", "prompt_tokens",
    "completion_tokens", "cost_usd", "error_message", "metadata",
)  # fmt: skip


def testset_csv(*, testset: TestSet) -> bytes:
    """Return output.csv: the questions that a run would ask, so without the rejected ones."""
    questions = (
        testset.questions.exclude(status=Question.Status.REJECTED)
        .prefetch_related("evidence")
        .order_by("position", "id")
    )
    documents = Document.objects.filter(evidence__question__testset=testset).distinct()
    by_id = {document.pk: document for document in documents.only("name", "text")}
    return to_csv(TESTSET_COLUMNS, (_testset_row(question, by_id) for question in questions))


def run_csv(*, run: Run) -> bytes:
    """Return eval.csv: one row an answer, with the scores of the current scoring."""
    further = further_metrics(run)
    added = tuple(name for name in further if name not in RUN_COLUMNS)  # latency and the like have their column anyway
    return to_csv((*RUN_COLUMNS, *added), _run_rows(run, added))


def write_testset_file(*, testset: TestSet) -> Path:
    """Write testsets/<id>/output.csv into the data folder and return its path."""
    return write_file(
        Path(settings.DATA_DIR) / "testsets" / str(testset.pk) / "output.csv", testset_csv(testset=testset)
    )


def write_run_file(*, run: Run) -> Path:
    """Write runs/<id>/eval.csv into the data folder and return its path."""
    return write_file(Path(settings.DATA_DIR) / "runs" / str(run.pk) / "eval.csv", run_csv(run=run))


def _testset_row(question: Question, documents: dict[int, Document]) -> list[Any]:
    evidence = list(question.evidence.all())
    first = evidence[0] if evidence else None
    return [
        question.question_id,
        question.pair_id,
        question.kind,
        question.transformation,
        question.error,
        question.text,
        question.reference,
        documents[first.document_id].name if first else None,
        first.start if first else None,
        first.end if first else None,
        documents[first.document_id].text[first.start : first.end] if first else None,
        question.split,
        question.reference_answers,
        [_span(each, documents) for each in evidence],
        _ordered(question.metadata),
    ]


def _span(evidence: Evidence, documents: dict[int, Document]) -> dict[str, Any]:
    return {"document": documents[evidence.document_id].name, "start": evidence.start, "end": evidence.end}


def further_metrics(run: Run) -> tuple[str, ...]:
    """Return the metrics beside the five that the current scoring holds, in the order they were asked for."""
    scoring = run.current_scoring
    return tuple(scoring.spec.get("metrics", ())) if scoring else ()


def _run_rows(run: Run, further: Sequence[str]) -> Iterator[list[Any]]:
    answers = list(
        Answer.objects.filter(run=run)
        .select_related("question")
        .order_by("question__position", "question_id", "repeat")
    )
    wanted = {context["document_id"] for answer in answers for context in answer.contexts}
    texts = dict(Document.objects.filter(pk__in=wanted).values_list("pk", "text"))
    scores: dict[int, dict[str, float | None]] = {}
    stored = MetricScore.objects.filter(scoring__run=run, scoring__current=True)
    for answer_id, metric, value in stored.values_list("answer_id", "metric", "value"):
        scores.setdefault(answer_id, {})[metric] = value
    for answer in answers:
        own = scores.get(answer.pk, {})
        yield [*_run_row(answer, own, texts), *(own.get(name) for name in further)]


def _run_row(answer: Answer, scores: dict[str, float | None], texts: dict[int, str]) -> list[Any]:
    question = answer.question
    refused, point = scores.get("refused"), scores.get("failure_point")
    spans = [{name: context[name] for name in ("document", "start", "end")} for context in answer.contexts]
    return [
        question.question_id,
        question.pair_id,
        question.kind,
        question.transformation,
        question.error,
        question.text,
        question.reference,
        answer.text,
        None if refused is None else bool(refused),
        [texts.get(each["document_id"], "")[each["start"] : each["end"]] for each in answer.contexts],
        [f"{span['document']}:{span['start']}-{span['end']}" for span in spans],
        spans,
        *(scores.get(name) for name in HEADLINE),
        None if point is None else int(point),
        answer.latency_s,
        answer.ttft_s,
        answer.prompt_tokens,
        answer.completion_tokens,
        answer.cost_usd,
        answer.error,
        _ordered(question.metadata),
    ]


def _ordered(metadata: dict[str, Any]) -> dict[str, Any]:
    """Return the same with its keys in alphabetical order: not every database keeps the order they came in."""
    ordered: dict[str, Any] = json.loads(json.dumps(metadata, sort_keys=True))
    return ordered


def write_file(path: Path, data: bytes) -> Path:
    """Write a file so that a reader sees the old one or the new one, never half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        file.write(data)
    os.chmod(file.name, 0o644)
    os.replace(file.name, path)
    return path
