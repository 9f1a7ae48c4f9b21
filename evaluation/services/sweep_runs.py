"""The runs of a sweep: taken from earlier work where they are there, else made in this process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from django.db import transaction

from evaluation.experiments.options import SweepSpec
from evaluation.models import Question, Run, Sweep, TestSet
from evaluation.queries.stored_answers import make_samples, stored_answers
from evaluation.queries.sweeps import DROPPED, run_of
from evaluation.services.answering import Key, RunAnswers
from evaluation.services.paces import pace_of
from evaluation.services.retrieval_facts import retrieval_facts
from evaluation.services.retrieving import retrieve_run
from evaluation.services.reuse import runs_to_take
from evaluation.services.runs import questions_of
from evaluation.services.sweep_budget import Budget
from evaluation.services.sweeps import make_run
from rag_pipeline.background import tasks as background
from rag_pipeline.background.tasks import run_inline
from rag_pipeline.errors import PipelineError
from rag_pipeline.interruption import WorkInterruptedError
from rag_pipeline.models import BackgroundTask
from rag_pipeline.pipeline.pipeline import Pipeline
from rag_pipeline.pipeline.runner import run_blocks
from rag_pipeline.services.indexes import build_index
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from rag_pipeline.types import Progress, Trace

_ENDED = (BackgroundTask.State.FAILED, BackgroundTask.State.CANCELLED)
_ASKING = "Asking the model"


class SweepRuns:
    """Makes the runs of `sweep` as part of `task`."""

    def __init__(self, sweep: Sweep, spec: SweepSpec, task: BackgroundTask) -> None:
        self._sweep, self._spec, self._task = sweep, spec, task
        self._asked: dict[tuple[int, str, int | None], list[Question]] = {}
        self.budget = Budget(sweep, spec, task)

    def take(self, specs: Sequence[PipelineSpec], split: str) -> None:
        """Take earlier runs that are just what these settings would give. A race makes its own, look by look."""
        if self._spec.options.search == "race":
            return
        open_ones = [each.fingerprint for each in specs if run_of(self._sweep, each.fingerprint, split) is None]
        if open_ones:
            found = runs_to_take(sweep=self._sweep, spec=self._spec, fingerprints=open_ones, split=split)
            self._sweep.taken.add(*found.values())

    def run(
        self, pipeline: PipelineSpec, name: str, *, split: str, limit: int | None, testset: TestSet | None = None
    ) -> Run:
        """Return the run of some settings, stored, for the first `limit` pairs; of another test set where given."""
        testset = testset or self._sweep.testset
        run = run_of(self._sweep, pipeline.fingerprint, split, testset.pk)
        if run is None:
            run = make_run(self._sweep.corpus, testset, pipeline, self._spec, self._sweep, split=split)
            run.limit = limit
            run.name = name[:120]
            with transaction.atomic():
                run.save()
                if not run.retrieval_only:  # what is at work has a task that says so
                    run.task = background.enqueue("evaluate", {"run": run.pk}, inline=True)
                    run.save(update_fields=["task"])
        return run

    def gone(self) -> dict[str, Any]:
        """Return what was dropped or stopped by now, by number."""
        self._sweep.refresh_from_db(fields=["state"])
        found: dict[str, Any] = self._sweep.state.get(DROPPED, {})
        return found

    def is_stopped(self, run: Run) -> bool:
        """Tell whether a person has stopped a run by now."""
        return any(each.get("run") == run.pk for each in self.gone().values())

    def finish(self, run: Run, limit: int | None) -> bool:
        """Do what is left of a run for the first `limit` pairs; True when it was done.

        Raises WorkInterruptedError when the sweep is to stop: the run can go on then.
        """
        if run.sweep_id != self._sweep.pk:
            return True  # taken as it is
        done = self._retrieved(run, limit) if run.retrieval_only else self._evaluated(run, limit)
        if done and not run.facts:
            run.facts = self._facts(run)
            run.save(update_fields=["facts"])
        return done

    def _facts(self, run: Run) -> dict[str, object]:
        samples = make_samples(run=run, answers=stored_answers(run=run))
        return retrieval_facts(run=run, spec=PipelineSpec.create(run.pipeline), samples=samples)

    def _retrieved(self, run: Run, limit: int | None) -> bool:
        """Retrieve without a task of its own: that is quick, and stored as a whole. A failure leaves a task that says
        why.
        """
        before = run.task
        if before is None and run.limit == limit and run.scorings.exists():
            return True
        run.limit, run.task = limit, None
        try:
            retrieve_run(run=run, spec=PipelineSpec.create(run.pipeline), questions=self._questions(run))
        except PipelineError as error:
            run.task = background.failed("evaluate", {"run": run.pk}, str(error))
            run.save(update_fields=["limit", "task"])
        if before is not None:
            before.delete()
        return run.task is None

    def _questions(self, run: Run) -> list[Question]:
        """Return what a run asks; those of a sweep ask the same, and look once."""
        key = run.testset_id, run.split, run.limit
        if key not in self._asked:
            self._asked[key] = questions_of(run)
        return self._asked[key]

    def _evaluated(self, run: Run, limit: int | None) -> bool:
        task = run.task
        if task is not None and task.state in _ENDED:
            background.resume(task)
        elif task is None or (run.limit != limit and not task.active):
            run.limit, run.facts = limit, {}
            run.task = background.enqueue("evaluate", {"run": run.pk}, inline=True)
            run.save(update_fields=["limit", "facts", "task"])
            if task is not None:
                task.delete()
        assert run.task is not None
        return self._inline(run.task)

    def write(self, testset: TestSet) -> bool:
        """Write what is left of a test set; True when it is done. Raises WorkInterruptedError like `finish`."""
        assert testset.task is not None
        if testset.task.state in _ENDED:
            background.resume(testset.task)
        return self._inline(testset.task)

    def _inline(self, task: BackgroundTask) -> bool:
        """Do other work as part of the sweep's; what stops the sweep stops it too."""
        try:
            return run_inline(task, lambda _: self.budget.check()).state == BackgroundTask.State.DONE
        except WorkInterruptedError:
            self._task.refresh_from_db()
            if self._task.cancel_requested:
                background.request_cancel(task)
            raise

    def ask_together(self, runs: Sequence[Run], limit: int | None) -> Iterator[Progress]:
        """Ask for all that these runs lack at once, so that a slow model is waited for once and not run after run.

        What fails is left to the run itself, which says why.
        """
        waiting = [each for each in map(_Waiting, runs) if each.find_missing(limit)]
        total = sum(len(each.missing) for each in waiting)
        for each in waiting:
            yield from each.prepare()
        waiting = [each for each in waiting if each.pipeline is not None]
        done = 0
        yield Progress(_ASKING, 0, total)
        while waiting:
            part = self._portion(waiting)
            blocks = [(each.pipeline, each.answers.queries(keys)) for each, keys in part if each.pipeline]
            ended: set[int] = set()
            for batch in run_blocks(blocks, afresh=self._spec.run.afresh, ended=ended):
                for number, (each, keys) in enumerate(part):
                    each.store({keys[at]: trace for block, at, trace in batch if block == number})
                done += len(batch)
                yield Progress(_ASKING, done, total)
                stopped = {each.get("run") for each in self.gone().values()}
                ended.update(number for number, (each, _) in enumerate(part) if each.answers.run.pk in stopped)
            self.budget.check()
            waiting = [each for each in waiting if each.missing and not self.is_stopped(each.answers.run)]

    def _portion(self, waiting: Sequence[_Waiting]) -> list[tuple[_Waiting, list[Key]]]:
        """Take from what is missing as much as is asked at once: all of it, but under a budget what that allows."""
        left = self.budget.questions_left(pace_of(waiting[0].answers.spec.core.llm))
        taken = []
        for each in waiting:
            keys = each.missing[: len(each.missing) if left is None else left]
            each.missing = each.missing[len(keys) :]
            left = None if left is None else left - len(keys)
            if keys:
                taken.append((each, keys))
        return taken


class _Waiting:
    """A run that waits for its answers."""

    def __init__(self, run: Run) -> None:
        self.answers = RunAnswers(run)
        self.missing: list[Key] = []

    def find_missing(self, limit: int | None) -> bool:
        """Look for what it has not answered yet; False where that is nothing."""
        run = self.answers.run
        before, run.limit = run.limit, limit
        wanted = [(each.pk, repeat) for repeat in range(run.repeat) for each in questions_of(run)]
        run.limit = before
        self.missing = self.answers.missing(wanted)
        return bool(self.missing)

    def store(self, traces: Mapping[Key, Trace]) -> None:
        """Keep the good answers; what failed is asked again by the run itself, which says why."""
        if good := {key: trace for key, trace in traces.items() if not trace.error}:
            self.answers.store(good)

    def prepare(self) -> Iterator[Progress]:
        """Build its index."""
        run, spec = self.answers.run, self.answers.spec
        if spec.needs_chunks:
            try:
                yield from build_index(corpus=run.corpus, spec=spec, until=run.created)
            except PipelineError:
                return  # its own work will say so

    @cached_property
    def pipeline(self) -> Pipeline | None:
        """What answers; None where it cannot be opened."""
        try:
            return self.answers.pipeline()
        except PipelineError:
            return None
