"""The background work of a run: index, answers, scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from evaluation.models import Run
from evaluation.services.answering import RunAnswers
from evaluation.services.retrieving import retrieve_run
from evaluation.services.runs import questions_of
from evaluation.services.scoring import score_run_in_steps
from evaluation.spec import EvaluationSpec
from rag_pipeline.background.handlers import TaskHandler, UnitsDone, handler
from rag_pipeline.errors import ProviderError
from rag_pipeline.pipeline.runner import run_block
from rag_pipeline.services.indexes import build_index
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from rag_pipeline.types import Progress

_ASKED_AT_ONCE = 512
_HOPELESS = 20
"""Failed questions in a row after which a run stops: the server is down, and every other question would wait for it."""


@handler
class EvaluateRun(TaskHandler):
    """Builds the index, asks every question, scores the answers. A unit of `answer` is `question id:repeat`."""

    kind = "evaluate"
    block = {"answer": 64}
    labels = {"index": "Preparing the index", "answer": "Answering", "score": "Scoring", "retrieve": "Retrieving"}

    @property
    def stages(self) -> tuple[str, ...]:  # type: ignore[override]
        """Retrieval alone has nothing to answer."""
        return ("retrieve",) if self.run.retrieval_only else ("index", "answer", "score")

    @cached_property
    def run(self) -> Run:
        """The run that is being made."""
        return Run.objects.select_related("corpus", "testset", "contexts_from").get(pk=self.task.payload["run"])

    @cached_property
    def answers(self) -> RunAnswers:
        """What it has answered."""
        return RunAnswers(self.run)

    @property
    def spec(self) -> PipelineSpec:
        """The run's own copy of the settings."""
        return self.answers.spec

    def block_size(self, stage: str) -> int:
        """A model is asked as many questions at once as its gate lets through; the reader is kept to short steps."""
        return _ASKED_AT_ONCE if stage == "answer" and not self.spec.is_builtin_reader else super().block_size(stage)

    def plan(self, stage: str) -> list[str]:
        """Index, scoring and retrieval alone are one unit each; answering has one a question and repeat."""
        if stage != "answer":
            return [stage]
        questions = questions_of(self.run)
        return [f"{question.pk}:{repeat}" for repeat in range(self.run.repeat) for question in questions]

    def work(self, stage: str, keys: Sequence[str]) -> Iterator[UnitsDone | Progress]:
        """Do a block of one stage."""
        if stage == "index":
            yield from self._index()
            yield UnitsDone(keys)
        elif stage == "retrieve":
            retrieve_run(run=self.run, spec=self.spec, questions=questions_of(self.run))
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
        missing = set(self.answers.missing(list(units.values())))
        if there := [key for key in keys if units[key] not in missing]:
            yield UnitsDone(there)
        open_ones = [key for key in keys if units[key] in missing]
        if not open_ones:
            return
        queries = self.answers.queries([units[key] for key in open_ones])
        failed_in_a_row = 0
        for batch in run_block(self.answers.pipeline(), queries, afresh=self.run.afresh):
            ended = {open_ones[position]: trace for position, trace in batch if not trace.permanent}
            self.answers.store({units[key]: trace for key, trace in ended.items()})
            yield UnitsDone(list(ended), [key for key, trace in ended.items() if trace.error])
            for _, trace in batch:
                if trace.permanent:
                    raise ProviderError(trace.error, permanent=True)
                failed_in_a_row = failed_in_a_row + 1 if trace.error else 0
                if failed_in_a_row == _HOPELESS:
                    raise ProviderError(f"{_HOPELESS} questions in a row failed, so the run was stopped. {trace.error}")

    def _refuse_silence(self) -> None:
        """A run without a single answer has nothing to score. Raises ProviderError with the reason."""
        if self.run.answers.exists() and not self.run.answers.filter(error="").exists():
            first = self.run.answers.all()[0]
            raise ProviderError(f"No question could be answered. {first.error}")
