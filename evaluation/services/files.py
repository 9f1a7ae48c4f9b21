"""Test sets and runs as files: the same bytes on disk, on the pages and from the commands."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from django.conf import settings

from evaluation.exchange.base import RunResults, RunWriter, TestSetWriter
from evaluation.exchange.formats.eval_csv import EvalCsv
from evaluation.exchange.formats.output_csv import OutputCsv
from evaluation.models import Answer, MetricScore, Question, Run, TestSet
from evaluation.queries.stored_answers import documents_of, make_samples, passage_texts, sample_of, stored_answers
from evaluation.services.stored_questions import draft_of, with_documents
from evaluation.types import Sample
from rag_pipeline.models import Document
from rag_pipeline.queries.documents import document_texts


def export_testset(*, testset: TestSet, writer: type[TestSetWriter] = OutputCsv) -> bytes:
    """Return a test set as a file: the questions that a run would ask, so without the rejected ones."""
    asked = testset.questions.exclude(status=Question.Status.REJECTED).order_by("position", "id")
    questions = list(with_documents(asked))
    names = {each.document_id: each.document.name for question in questions for each in question.evidence.all()}
    return writer().write(map(draft_of, questions), names)


def export_run(*, run: Run, writer: type[RunWriter] = EvalCsv) -> bytes:
    """Return a run as a file: one row an answer, with the scores of the current scoring."""
    return writer().write(_results(run, with_evidence=writer.with_evidence))


def write_testset_file(*, testset: TestSet) -> Path:
    """Write testsets/<id>/output.csv into the data folder and return its path."""
    folder = Path(settings.DATA_DIR) / "testsets" / str(testset.pk)
    return write_file(folder / OutputCsv.filename, export_testset(testset=testset))


def write_run_file(*, run: Run) -> Path:
    """Write runs/<id>/eval.csv into the data folder and return its path."""
    return write_results(run=run, results=_results(run, with_evidence=EvalCsv.with_evidence))


def write_scored(*, run: Run, answers: Sequence[Answer], rows: Iterable[MetricScore], metrics: Sequence[str]) -> Path:
    """Write runs/<id>/eval.csv from all answers of a run, in their order, and the rows of scores just made for them."""
    values = ((row.answer_id, row.metric, None if row.value is None else float(row.value)) for row in rows)
    return write_results(run=run, results=_joined(run, answers, _without_evidence(answers), values, tuple(metrics)))


def write_results(*, run: Run, results: RunResults) -> Path:
    """Write runs/<id>/eval.csv from answers and scores that are at hand."""
    folder = Path(settings.DATA_DIR) / "runs" / str(run.pk)
    return write_file(folder / EvalCsv.filename, EvalCsv().write(results))


def further_metrics(run: Run) -> tuple[str, ...]:
    """Return the metrics beside the five that the current scoring holds, in the order they were asked for."""
    scoring = run.current_scoring
    return tuple(scoring.spec.get("metrics", ())) if scoring else ()


def _results(run: Run, *, with_evidence: bool) -> RunResults:
    if with_evidence:
        answers, samples = _with_evidence(run)
    else:
        answers = list(
            Answer.objects.filter(run=run)
            .select_related("question")
            .order_by("question__position", "question_id", "repeat")
        )
        samples = _without_evidence(answers)
    stored = MetricScore.objects.filter(scoring__run=run, scoring__current=True)
    return _joined(run, answers, samples, stored.values_list("answer_id", "metric", "value"), further_metrics(run))


def _without_evidence(answers: Sequence[Answer]) -> list[Sample]:
    texts = document_texts(set().union(*(documents_of(answer) for answer in answers))) | passage_texts(answers)
    return [sample_of(answer, texts) for answer in answers]


def _joined(
    run: Run,
    answers: Sequence[Answer],
    samples: Sequence[Sample],
    values: Iterable[tuple[int, str, float | None]],
    metrics: tuple[str, ...],
) -> RunResults:
    """Return the answers, each with its scores out of `values`: answer, metric, value."""
    scores: dict[int, dict[str, float | None]] = {}
    for answer_id, metric, value in values:
        scores.setdefault(answer_id, {})[metric] = value
    scored = [(sample, scores.get(answer.pk, {})) for answer, sample in zip(answers, samples, strict=True)]
    return RunResults(scored, metrics, run.pipeline.get("use_context", True))


def _with_evidence(run: Run) -> tuple[list[Answer], list[Sample]]:
    answers = stored_answers(run=run)
    pointed = {each.document_id for answer in answers for each in answer.question.evidence.all()}
    names = dict(Document.objects.filter(pk__in=pointed).values_list("pk", "name"))
    return answers, [replace(sample, document_names=names) for sample in make_samples(run=run, answers=answers)]


def write_file(path: Path, data: bytes) -> Path:
    """Write a file so that a reader sees the old one or the new one, never half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        file.write(data)
    os.chmod(file.name, 0o644)
    os.replace(file.name, path)
    return path
