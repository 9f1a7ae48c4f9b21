"""The answers of a run: what is missing, what they are asked with, and storing them as they come."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property

from django.db import transaction

from evaluation.models import Answer, Question, Run
from evaluation.queries.stored_answers import PASSAGES
from evaluation.services.contexts import contexts_of
from evaluation.services.reuse import take_over_answers
from rag_pipeline.pipeline.pipeline import Pipeline
from rag_pipeline.services.pipelines import open_pipeline
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from rag_pipeline.types import Query, Trace

Key = tuple[int, int]
"""Question and repeat."""


@dataclass(frozen=True)
class RunAnswers:
    """A run on its way to its answers."""

    run: Run

    @cached_property
    def spec(self) -> PipelineSpec:
        """The run's own copy of the settings."""
        return PipelineSpec.create(self.run.pipeline, retrieves=not self.run.contexts_origin)

    def missing(self, wanted: Sequence[Key]) -> list[Key]:
        """Return what is not answered yet; a run of a sweep takes from earlier runs what they have answered."""
        if self.run.sweep_id is not None:
            take_over_answers(run=self.run, wanted=wanted)
        stored = set(self.run.answers.filter(error="").values_list("question_id", "repeat"))
        return [key for key in wanted if key not in stored]

    def pipeline(self) -> Pipeline:
        """Return what answers, with its index open. Raises ConfigError, ProviderError."""
        return open_pipeline(
            corpus=self.run.corpus,
            spec=self.spec,
            until=self.run.created,
            with_evidence=True,
            retrieves=not self.run.contexts_origin,
        )

    def queries(self, wanted: Sequence[Key]) -> list[Query]:
        """Return questions with their gold evidence, and with their contexts where another run gives them."""
        keys = [key for key, _ in wanted]
        questions = Question.objects.prefetch_related("evidence").in_bulk(keys)
        given = contexts_of(run=self.run, questions=keys)
        return [
            Query(
                questions[key].text,
                questions[key].evidence_spans,
                None if given is None else given[key].hits,
                repeat,
                () if given is None else given[key].passages,
            )
            for key, repeat in wanted
        ]

    def store(self, traces: Mapping[Key, Trace]) -> None:
        """Store answers in one transaction; one that is there stays, unless it was a failure."""
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
            self._note(traces.values())

    def _note(self, traces: Collection[Trace]) -> None:
        notes = dict.fromkeys(note for trace in traces for note in trace.notes)
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
