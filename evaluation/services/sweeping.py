"""The background work of a sweep: configuration after configuration, each an ordinary run, or a race of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from evaluation.experiments.options import SweepSpec
from evaluation.experiments.race import dropped
from evaluation.experiments.space import Configuration, in_order_of_work
from evaluation.models import Sweep
from evaluation.queries.differences import ScoredRun, difference_terms, load_scores
from evaluation.queries.runs import rows_of
from evaluation.queries.sweep_table import sweep_table
from evaluation.queries.sweeps import (
    HOLDOUT,
    configuration_runs,
    configurations_of,
    mean_of,
    planned_looks,
    score_of,
)
from evaluation.services.sweep_runs import SweepRuns
from evaluation.services.sweep_state import change_state
from evaluation.statistics.intervals import Floats
from evaluation.statistics.paired import contributions
from rag_pipeline.background.tasks import TaskHandler, UnitsDone, handler
from rag_pipeline.errors import PipelineError
from rag_pipeline.models import BackgroundTask
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from rag_pipeline.types import Progress

_LOOK, _DROP, _CONFIRM = "look", "drop", "confirm"
_RECOMMENDED, _BASELINE = "recommended", "present"
_DONE = BackgroundTask.State.DONE
_QUICK, _TOGETHER = 8, 16
"""Configurations done as one: of retrieval alone, and of a model, which has `_CALLS_AT_ONCE` calls at least to do."""
_CALLS_AT_ONCE = 1200


@handler
class RunSweep(TaskHandler):
    """Makes the runs of a sweep. A stage `look:N` asks the first N pairs of all that are left, `drop:N` lets some go.

    A unit is the number of a configuration; one that fails, fails alone.
    """

    kind = "sweep"

    def __init__(self, task: BackgroundTask) -> None:
        super().__init__(task)
        ends = planned_looks(self.sweep)
        stages = [part for end in ends[:-1] for part in (f"{_LOOK}:{end}", f"{_DROP}:{end}")]
        confirming = self.spec.options.confirm or "recommended" in self.sweep.state
        self.stages = (*stages, f"{_LOOK}:{ends[-1]}", *([_CONFIRM] if confirming else []))
        self.labels = {
            stage: _label(stage, whole=len(ends) == 1 or stage == f"{_LOOK}:{ends[-1]}") for stage in self.stages
        }

    @cached_property
    def sweep(self) -> Sweep:
        """The sweep that is being made."""
        return Sweep.objects.select_related("corpus", "testset").get(pk=self.task.payload["sweep"])

    @cached_property
    def spec(self) -> SweepSpec:
        """What it tries."""
        return SweepSpec.from_json(self.sweep.spec)

    @cached_property
    def runs(self) -> SweepRuns:
        """Its runs."""
        return SweepRuns(self.sweep, self.spec, self.task)

    @cached_property
    def configurations(self) -> dict[int, Configuration]:
        """What it runs, by number."""
        return {each.number: each for each in configurations_of(self.sweep)}

    def plan(self, stage: str) -> list[str]:
        """Return the configurations that are left, or what else the stage does."""
        kind = stage.partition(":")[0]
        if kind == _DROP:
            return [_DROP]
        if kind == _CONFIRM:
            return [_RECOMMENDED, _BASELINE]
        gone = set(self.sweep.state.get("dropped", {}))
        ordered = in_order_of_work(list(self.configurations.values()))  # each index is built once
        return [str(each.number) for each in ordered if str(each.number) not in gone]

    def block_size(self, stage: str) -> int:
        """Retrieval alone is quick; and of a model as many configurations are asked at once as keep it busy."""
        if not stage.startswith(_LOOK):
            return 1
        if self.spec.options.retrieval_only:
            return _QUICK
        return max(1, min(_TOGETHER, _CALLS_AT_ONCE // max(1, int(self.sweep.plan["questions"]))))

    def work(self, stage: str, keys: Sequence[str]) -> Iterator[UnitsDone | Progress]:
        """Do a unit: a configuration up to a look, the dropping at its end, a run on holdout."""
        kind, _, end = stage.partition(":")
        if kind == _LOOK:
            last = stage == [each for each in self.stages if each.startswith(_LOOK)][-1]
            yield from self._advance([self.configurations[int(key)] for key in keys], None if last else int(end))
            return
        for key in keys:
            good = self._confirm(key) if kind == _CONFIRM else self._drop(int(end))
            yield UnitsDone([key], [] if good else [key])

    def _advance(self, configurations: Sequence[Configuration], look: int | None) -> Iterator[UnitsDone | Progress]:
        """Have configurations answer the first `look` pairs, or all."""
        run, limit = self.spec.run, look if look is not None else self.spec.run.limit
        self.runs.take([each.spec for each in configurations], run.split)
        runs = {
            each.number: self.runs.run(each.spec, f"{self.sweep} · {each.label}", split=run.split, limit=limit)
            for each in configurations
        }
        asking = [runs[each.number] for each in configurations if not each.spec.is_builtin_reader]
        if not self.spec.options.retrieval_only and (len(asking) > 1 or self.spec.options.budget_usd):
            yield from self.runs.ask_together([each for each in asking if each.sweep_id == self.sweep.pk], limit)
        for number, each in runs.items():
            good = self.runs.finish(each, limit)
            self.runs.budget.check()
            yield UnitsDone([str(number)], [] if good else [str(number)])

    def _drop(self, pairs: int) -> bool:
        """Let go of what is clearly behind the leader after so many pairs."""
        fingerprints = {
            self.configurations[number].spec.fingerprint: str(number) for number in map(int, self.plan(_LOOK))
        }
        runs = [run for run in configuration_runs(self.sweep) if run.pipeline_fingerprint in fingerprints]
        rows = {fingerprints[row.run.pipeline_fingerprint]: row for row in rows_of(runs) if row.state == _DONE}
        score = score_of(rows.values(), retrieval_only=self.spec.options.retrieval_only)
        means = {key: mean for key, row in rows.items() if (mean := mean_of(row, score)) is not None}
        if len(means) < 2:
            return True
        scored = {key: load_scores(rows[key].run) for key in means}

        def changes(leader: str, other: str) -> Floats | None:
            return _changes(scored[leader], scored[other], score)

        gone = dropped(means, changes, len(planned_looks(self.sweep)))
        found = {key: {"pairs": pairs, "p": p} for key, p in gone.items()}
        change_state(self.sweep, lambda state: state.setdefault("dropped", {}).update(found))
        return True

    def _confirm(self, which: str) -> bool:
        """Ask the recommended configuration, or the settings without the sweep, on holdout."""
        number = self.sweep.state.get("recommended") or sweep_table(self.sweep).recommendation.number
        if number is None:
            raise PipelineError("No configuration could be scored, so there is nothing to confirm.")
        if "recommended" not in self.sweep.state:
            change_state(self.sweep, lambda state: state.update(recommended=number))
        pipeline = self.configurations[number].spec
        if which == _BASELINE:
            present = PipelineSpec.create(self.spec.base, drop_unread=True)
            if present.fingerprint == pipeline.fingerprint:
                return True
            pipeline = present
        self.runs.take([pipeline], HOLDOUT)
        name = f"{self.sweep} · {which} settings on holdout"
        return self.runs.finish(self.runs.run(pipeline, name, split=HOLDOUT, limit=None), None)


def _label(stage: str, *, whole: bool) -> str:
    """Return what a stage does, in the user's words."""
    kind, _, end = stage.partition(":")
    if kind == _CONFIRM:
        return "Confirming on holdout"
    if kind == _DROP:
        return f"Comparing after {end} pairs"
    return "Running configurations" if whole else f"Racing over the first {end} pairs"


def _changes(leader: ScoredRun, other: ScoredRun, score: str) -> Floats | None:
    terms = difference_terms(leader, other, score)
    return contributions(terms) if terms else None
