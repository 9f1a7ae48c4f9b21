"""The background work of a run: index, answers, scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property

from django.db import transaction

from evaluation.models import Answer, Question, Run
from evaluation.queries.stored_answers import PASSAGES
from evaluation.services.contexts import contexts_of
from evaluation.services.retrieving import retrieve_run
from evaluation.services.reuse import take_over_answers
from evaluation.services.runs import questions_of
from evaluation.services.scoring import score_run_in_steps
from evaluation.spec import EvaluationSpec
from rag_pipeline.background.tasks import TaskHandler, UnitsDone, handler
from rag_pipeline.errors import ProviderError
from rag_pipeline.pipeline.runner import run_block
from rag_pipeline.services.indexes import build_index
from rag_pipeline.services.pipelines import open_pipeline
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from rag_pipeline.types import Progress, Query, Trace

_ASKED_AT_ONCE = 512
_HOPELESS = 20
"""Failed questions in a row after which a run stops: the server is down, and every other question would wait for it."""


@handler
class EvaluateRun(TaskHandler):
    """Builds the index, asks every question, scores the answers. A unit of `answer` is `question id:repeat`."""

    kind = "evaluate"
    stages = ("index", "answer", "score")
    block = {"answer": 64}
    labels = {"index": "Preparing the index", "answer": "Answering", "score": "Scoring"}

    @cached_property
    def run(self) -> Run:
        """The run that is being made."""
        return Run.objects.select_related("corpus", "testset", "contexts_from").get(pk=self.task.payload["run"])

    @cached_property
    def spec(self) -> PipelineSpec:
        """The run's own copy of the settings."""
        return PipelineSpec.create(self.run.pipeline, retrieves=not self.run.contexts_origin)

    def block_size(self, stage: str) -> int:
        """A model is asked as many questions at once as its gate lets through; the reader is kept to short steps."""
        return _ASKED_AT_ONCE if stage == "answer" and not self.spec.is_builtin_reader else super().block_size(stage)

    def plan(self, stage: str) -> list[str]:
        """Index, scoring and retrieval alone are one unit each; answering has one a question and repeat."""
        if stage != "answer" or self.run.retrieval_only:
            return [stage]
        questions = questions_of(self.run)
        return [f"{question.pk}:{repeat}" for repeat in range(self.run.repeat) for question in questions]

    def work(self, stage: str, keys: Sequence[str]) -> Iterator[UnitsDone | Progress]:
        """Do a block of one stage."""
        if stage == "index":
            yield from self._index()
            yield UnitsDone(keys)
        elif stage == "answer" and self.run.retrieval_only:
            asked = [question.pk for question in questions_of(self.run)]
            take_over_answers(run=self.run, wanted=[(question, 0) for question in asked])
            yield from retrieve_run(run=self.run, spec=self.spec, questions=asked)
            yield UnitsDone(keys)
        elif stage == "answer":
            yield from self._answer(keys)
        else:
            self._refuse_silence()
            yield from score_run_in_steps(run=self.run, spec=EvaluationSpec.create(self.run.evaluation))
            yield UnitsDone(keys)

    def _index(self) -> Iterator[Progress]:
        if not self.spec.needs_chunks or self.run.contexts_origin:
            return
        chunks = yield from build_index(corpus=self.run.corpus, spec=self.spec, until=self.run.created)
        Run.objects.filter(pk=self.run.pk).update(chunks=chunks)

    def _answer(self, keys: Sequence[str]) -> Iterator[UnitsDone]:
        units = {key: (int(key.partition(":")[0]), int(key.partition(":")[2])) for key in keys}
        if self.run.sweep_id is not None:
            take_over_answers(run=self.run, wanted=list(units.values()))
        stored = set(self.run.answers.filter(error="").values_list("question_id", "repeat"))
        if there := [key for key in keys if units[key] in stored]:
            yield UnitsDone(there)
        open_ones = [key for key in keys if units[key] not in stored]
        if not open_ones:
            return
        pipeline = open_pipeline(
            corpus=self.run.corpus,
            spec=self.spec,
            until=self.run.created,
            with_evidence=True,
            retrieves=not self.run.contexts_origin,
        )
        queries = self._queries([units[key] for key in open_ones])
        failed_in_a_row = 0
        for batch in run_block(pipeline, queries, afresh=self.run.afresh):
            ended = {open_ones[position]: trace for position, trace in batch if not trace.permanent}
            self._store({units[key]: trace for key, trace in ended.items()})
            yield UnitsDone(list(ended), [key for key, trace in ended.items() if trace.error])
            for _, trace in batch:
                if trace.permanent:
                    raise ProviderError(trace.error, permanent=True)
                failed_in_a_row = failed_in_a_row + 1 if trace.error else 0
                if failed_in_a_row == _HOPELESS:
                    raise ProviderError(f"{_HOPELESS} questions in a row failed, so the run was stopped. {trace.error}")

    def _queries(self, wanted: Sequence[tuple[int, int]]) -> list[Query]:
        """Return questions, by (id, repeat), with their gold evidence, and with their contexts where another run gives
        them.
        """
        keys = [key for key, _ in wanted]
        questions = Question.objects.prefetch_related("evidence").in_bulk(keys)
        given = contexts_of(run=self.run, questions=keys)
        return [
            Query(
                questions[key].text,
                tuple(each.span for each in questions[key].evidence.all()),
                None if given is None else given[key].hits,
                repeat,
                () if given is None else given[key].passages,
            )
            for key, repeat in wanted
        ]

    def _refuse_silence(self) -> None:
        """A run without a single answer has nothing to score. Raises ProviderError with the reason."""
        if self.run.answers.exists() and not self.run.answers.filter(error="").exists():
            first = self.run.answers.all()[0]
            raise ProviderError(f"No question could be answered. {first.error}")

    def _store(self, traces: Mapping[tuple[int, int], Trace]) -> None:
        """Store answers by (question, repeat), in one transaction; one that is there stays, unless it was a failure."""
        questions = {question for question, _ in traces}
        with transaction.atomic():
            for failure in self.run.answers.filter(question__in=questions).exclude(error=""):
                if trace := traces.get((failure.question_id, failure.repeat)):
                    Answer.objects.filter(pk=failure.pk).update(**answer_fields(trace))
            rows = [
                Answer(run=self.run, question_id=question, repeat=repeat, **answer_fields(trace))
                for (question, repeat), trace in traces.items()
            ]
            Answer.objects.bulk_create(rows, ignore_conflicts=True)
            notes = dict.fromkeys(note for trace in traces.values() for note in trace.notes)
            if fresh := [note for note in notes if note not in self.run.notes]:
                self.run.notes = [*self.run.notes, *fresh]
                self.run.save(update_fields=["notes"])


def answer_fields(trace: Trace) -> dict[str, object]:
    """Return a trace as the columns of `Answer`; only the texts of contexts that stand in no document are copied."""
    return {
        "text": trace.answer,
        "contexts": [context.as_json() for context in trace.contexts],
        "prompt": trace.prompt,
        "latency_s": trace.latency_s,
        "ttft_s": trace.ttft_s,
        "prompt_tokens": trace.usage.prompt_tokens,
        "completion_tokens": trace.usage.completion_tokens,
        "cost_usd": trace.usage.cost_usd,
        "error": trace.error,
        "details": trace.details | retrieval_details(trace),
    }


def retrieval_details(trace: Trace) -> dict[str, object]:
    """Return what was searched for where that is not the question, the candidates where steps followed, and what
    retrieval took.
    """
    details: dict[str, object] = {}
    if trace.searched_for:
        details["queries"] = list(trace.searched_for)
    if len(trace.steps) > 1:
        details["steps"] = [step.as_json() for step in trace.steps]
    if trace.passages:
        details[PASSAGES] = [passage.as_json() for passage in trace.passages]
    if trace.retrieval_s is not None:
        details["retrieval"] = {"seconds": round(trace.retrieval_s, 4), **asdict(trace.retrieval_usage)}
    return details
