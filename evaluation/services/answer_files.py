"""Answers of other systems: taking a file, scoring it in the background, scoring it again, deleting it.

`scores/<id>/` of the data folder holds answers.jsonl (the objects as they came), a file in each format that scored
answers are written in (scored.jsonl and summary.json are those that `manage.py score` writes), details.jsonl (each
row's refusal, and its scores' reasons and details) and columns.json (the values by metric).
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence

from django.db import transaction

from evaluation.exchange.base import AnswersWriter
from evaluation.exchange.rag_tasks import Answered, json_line
from evaluation.exchange.reading import read_answers
from evaluation.metrics.base import metrics
from evaluation.models import ANSWERS, COLUMNS, DETAILS, AnswerFile
from evaluation.scoring.answered import ScoredAnswers, score_answered
from evaluation.scoring.scoring import Steps
from evaluation.services.files import write_file
from evaluation.services.judging import check_judge, open_judge
from evaluation.spec import EvaluationSpec
from rag_pipeline.background.handlers import TaskHandler, UnitsDone, handler
from rag_pipeline.background.tasks import enqueue
from rag_pipeline.embedders.base import check_embedding
from rag_pipeline.errors import ConfigError, InUseError, ProviderError
from rag_pipeline.services.indexes import open_embedder
from rag_pipeline.types import Progress


def score_answers(
    *, answered: Answered, spec: EvaluationSpec, refusal: str, names: Sequence[str] | None, lenient: bool = False
) -> Steps[ScoredAnswers]:
    """Score the objects of a file, yielding progress; `names` None means all metrics. Raises PipelineError.

    `lenient`: a judge that fails leaves its scores empty, and the result's `failure` says so.
    """
    check_judge(spec)
    embedder = open_embedder(spec.eval_embedding)
    judge = open_judge(spec, lenient=lenient)
    return score_answered(
        answered, spec, refusal, embedder.embed_passages, names=names, judge=judge, reads=embedder.reads
    )


def add_answer_file(
    *, name: str, data: bytes, spec: EvaluationSpec, names: Sequence[str], refusal: str, inline: bool = False
) -> AnswerFile:
    """Keep a file of answers and queue its scoring. Raises ConfigError naming the lines that do not fit."""
    _check(spec, names)
    answered = read_answers((name, data))
    with transaction.atomic():
        file = AnswerFile.objects.create(
            name=name[:200] or "answers",
            spec=spec.model_dump(mode="json"),
            metrics=list(names),
            refusal=refusal,
            rows=len(answered),
        )
        write_file(file.folder / ANSWERS, "".join(json_line(task) for task, _ in answered).encode())
        _queue(file, inline)
    return file


def score_file_again(
    *, file: AnswerFile, spec: EvaluationSpec, names: Sequence[str], refusal: str, inline: bool = False
) -> None:
    """Queue another scoring; what there is stays until it has ended. Raises ConfigError while one works."""
    _check(spec, names)
    with transaction.atomic():
        held = AnswerFile.objects.select_for_update().get(pk=file.pk)
        earlier = held.task
        if earlier is not None and earlier.active:
            raise ConfigError(f"“{held}” is being scored already. Wait until that has ended, or cancel it.")
        held.spec, held.metrics, held.refusal = spec.model_dump(mode="json"), list(names), refusal
        held.save(update_fields=["spec", "metrics", "refusal"])
        _queue(held, inline)
        if earlier is not None:
            earlier.delete()


def delete_answer_file(*, file: AnswerFile) -> None:
    """Delete a file with its scores. Raises InUseError while it is being scored."""
    task = file.task
    if task is not None and task.active:
        raise InUseError(f"“{file}” is being scored. Cancel that first.")
    folder = file.folder
    file.delete()
    if task is not None:
        task.delete()
    shutil.rmtree(folder, ignore_errors=True)


@handler
class ScoreFile(TaskHandler):
    """One unit: the scores appear whole or not at all, and the earlier ones stay until then."""

    kind = "score_file"
    stages = ("score",)
    labels = {"score": "Scoring"}

    def work(self, stage: str, keys: Sequence[str]) -> Iterator[UnitsDone | Progress]:
        """Score with the settings that were asked for. Raises PipelineError.

        When the judge fails in a file's first scoring, what needs none is kept first.
        """
        file = AnswerFile.objects.get(task=self.task)
        answered = read_answers((ANSWERS, (file.folder / ANSWERS).read_bytes()))
        scored = yield from score_answers(
            answered=answered,
            spec=EvaluationSpec.create(file.spec),
            refusal=file.refusal,
            names=file.metrics,
            lenient=not file.summary,
        )
        _keep(file, scored)
        if scored.failure:
            raise ProviderError(scored.failure)
        yield UnitsDone(keys)


def _queue(file: AnswerFile, inline: bool) -> None:
    file.task = enqueue(ScoreFile.kind, {"file": file.pk}, inline=inline)
    file.save(update_fields=["task"])


def _check(spec: EvaluationSpec, names: Sequence[str]) -> None:
    """Raise ConfigError where it is known beforehand that a file cannot be scored so."""
    if not names:
        raise ConfigError("Tick at least one metric.", "metrics")
    check_embedding(spec.eval_embedding, "eval_embedding")
    check_judge(spec)
    judged = [metrics.get(name, "metrics").label for name in names if "judge" in metrics.get(name, "metrics").needs]
    if judged and not spec.judge:
        verb = "needs" if len(judged) == 1 else "need"
        raise ConfigError(f"{', '.join(judged)} {verb} a judge. Give one, such as openai:gpt-4.1-mini.", "judge")


def _keep(file: AnswerFile, scored: ScoredAnswers) -> None:
    """Write the files, each whole, then say in the row that they are there."""
    for unit in AnswersWriter.units():
        write_file(file.folder / unit.filename, unit().write(scored))
    write_file(file.folder / DETAILS, "".join(scored.details()).encode())
    write_file(file.folder / COLUMNS, json.dumps(scored.columns()).encode())
    AnswerFile.objects.filter(pk=file.pk).update(summary=scored.summary())
