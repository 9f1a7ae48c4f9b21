"""The sample of the first start: a real document with its shipped test set, and two runs of different chunk size."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from django.db import transaction

from evaluation.generator_spec import GeneratorSpec
from evaluation.models import Answer, Question, Run, TestSet
from evaluation.services.imports import import_testset
from evaluation.services.runs import start_run
from evaluation.spec import EvaluationSpec, RunOptions
from rag_pipeline.background.handlers import TaskHandler, UnitsDone, handler
from rag_pipeline.background.tasks import enqueue, run_inline
from rag_pipeline.errors import PipelineError
from rag_pipeline.models import BackgroundTask, Corpus
from rag_pipeline.services.corpora import get_or_create_corpus, import_documents
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from rag_pipeline.types import Progress

FOLDER = Path(__file__).resolve().parent.parent / "sample"
QUESTIONS, REPORT = FOLDER / "questions.csv", FOLDER / "questions.json"
"""The test set of the sample, and the report of its writing: written by `python -m tests.sample_questions`."""
CORPUS = "Sample: Warsaw"
TESTSET = "Sample questions"
CHUNK_SIZES = (300, 1000)


def sample_files() -> list[Path]:
    """Return the shipped documents; NOTICE says where they come from."""
    return sorted(FOLDER.glob("*.txt"))


def queue_sample() -> BackgroundTask | None:
    """Queue the sample on the very first start; None when it was made before, or the user has documents already.

    The task's row is the memory of it: a sample that the user deleted does not come back.
    """
    if not sample_files():
        return None
    with transaction.atomic():
        if Corpus.objects.exists() or BackgroundTask.objects.filter(kind=LoadSample.kind).exists():
            return None
        return enqueue(LoadSample.kind, {})


def loading_sample() -> BackgroundTask | None:
    """Return the sample's task while it is all that there is to look at: it works, and the user has no documents."""
    task = BackgroundTask.objects.filter(kind=LoadSample.kind).first()
    if task is None or not task.active or Corpus.objects.exclude(name=CORPUS).exists():
        return None
    return task


@dataclass(frozen=True, slots=True)
class SampleAnswer:
    """A question of the sample and its answer; empty where it has none yet."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class SampleSoFar:
    """How far the sample is: `answered` of `questions`, those of every run counted, and the `latest` of them."""

    questions: int
    answered: int
    latest: list[SampleAnswer]


def sample_so_far(count: int = 6) -> SampleSoFar:
    """Return the answers that came last; before the first of them, the questions that come first."""
    asked = Question.objects.filter(testset__corpus__name=CORPUS, testset__name=TESTSET)
    answers = Answer.objects.filter(question__in=asked)
    found = answers.order_by("-id").values_list("question__text", "text")[:count]
    latest = [SampleAnswer(question, text) for question, text in found]
    first = [SampleAnswer(text, "") for text in asked.values_list("text", flat=True)[:count]]
    return SampleSoFar(asked.count() * len(CHUNK_SIZES), answers.count(), latest or first)


def shipped_testset(corpus: Corpus) -> TestSet:
    """Store the shipped questions: what the built-in writer writes about the sample document, as a test makes sure."""
    with transaction.atomic():
        testset = import_testset(corpus=corpus, name=TESTSET, file=(QUESTIONS.name, QUESTIONS.read_bytes()))
        testset.generator = GeneratorSpec().model_dump()
        testset.report = json.loads(REPORT.read_text(encoding="utf-8"))
        testset.save(update_fields=["generator", "report"])
    return testset


@handler
class LoadSample(TaskHandler):
    """Its units are done in order by one worker; each goes on where a stopped worker left it."""

    kind = "sample"
    stages = ("sample",)
    block = {"sample": 1 + len(CHUNK_SIZES)}
    labels = {"sample": "Reading the sample document"}

    @cached_property
    def corpus(self) -> Corpus:
        """The sample's corpus with its document."""
        corpus = get_or_create_corpus(name=CORPUS)
        import_documents(corpus=corpus, files=((path.name, path.read_bytes()) for path in sample_files()))
        return corpus

    def plan(self, stage: str) -> list[str]:
        """The test set, then a run for each chunk size."""
        return ["questions", *(str(size) for size in CHUNK_SIZES)]

    def work(self, stage: str, keys: Sequence[str]) -> Iterator[UnitsDone | Progress]:
        """Do the units in order."""
        for key in keys:
            if key == "questions":
                self.testset()
            else:
                self._finish(self.run(int(key)).task)
            yield UnitsDone([key])

    def testset(self) -> TestSet:
        """Return the sample's test set, stored when absent."""
        return self.corpus.testsets.filter(name=TESTSET).first() or shipped_testset(self.corpus)

    def run(self, chunk_size: int) -> Run:
        """Return the sample's run of a chunk size, begun when absent."""
        name = f"Sample, chunks of {chunk_size} characters"
        there = self.corpus.runs.filter(name=name).first()
        return there or start_run(
            corpus=self.corpus,
            testset=self.testset(),
            spec=PipelineSpec.create({"chunk_size": chunk_size}),
            evaluation=EvaluationSpec(),
            options=RunOptions(),
            name=name,
            inline=True,
        )

    def _finish(self, task: BackgroundTask | None) -> None:
        """Do the task here and now, showing its steps as ours. Raises PipelineError when it fails."""
        if task is None:
            return
        ended = run_inline(task, self._show)
        if ended.state != BackgroundTask.State.DONE:
            raise PipelineError(ended.error or "The sample was cancelled.")

    def _show(self, now: BackgroundTask) -> None:
        """Our units are not alike: their pace tells nothing of the time left, that of the run's step does."""
        BackgroundTask.objects.filter(pk=self.task.pk).update(step=now.step, step_ends=now.step_ends)
