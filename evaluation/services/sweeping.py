"""The background work of a sweep: configuration after configuration, each an ordinary run, or a race of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from typing import Any

from evaluation.experiments.guided import Places, next_trial, number_of, places_of
from evaluation.experiments.options import SweepSpec
from evaluation.experiments.race import dropped
from evaluation.experiments.space import Configuration, in_order_of_work
from evaluation.models import Sweep
from evaluation.queries.differences import ScoredRun, difference_terms, load_scores
from evaluation.queries.runs import rows_of
from evaluation.queries.sweep_table import sweep_table
from evaluation.queries.sweeps import (
    DROPPED,
    FRESH,
    HOLDOUT,
    KEPT,
    TRIALS,
    configuration_runs,
    configurations_of,
    fresh_testset,
    mean_of,
    own_configurations,
    planned_looks,
    score_of,
)
from evaluation.services.fresh_pairs import WRITE, start_fresh
from evaluation.services.sweep_changes import EXTRA
from evaluation.services.sweep_runs import SweepRuns
from evaluation.services.sweep_state import AFTER, change_state
from evaluation.services.sweeps import CONFIRM
from evaluation.statistics.intervals import Floats
from evaluation.statistics.paired import contributions
from rag_pipeline.background.handlers import TaskHandler, UnitsDone, handler
from rag_pipeline.errors import ConfigError, PipelineError
from rag_pipeline.models import BackgroundTask
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from rag_pipeline.types import Progress

_LOOK, _DROP, _TRIAL = "look", "drop", "trial"
_LABELS = {
    CONFIRM: "Confirming on holdout",
    WRITE: "Writing fresh pairs",
    FRESH: "Confirming with fresh pairs",
    _TRIAL: "Trying configurations",
}
_PASSED = "passed"
"""In a guided sweep's state: the numbers of what cannot work, or is a configuration that was tried already."""
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
        if self.spec.guided:
            self._set_stages([_TRIAL])
            return
        ends = planned_looks(self.sweep)
        stages = [part for end in ends[:-1] for part in (f"{_LOOK}:{end}", f"{_DROP}:{end}")]
        self._set_stages([*stages, f"{_LOOK}:{ends[-1]}"])

    def _set_stages(self, stages: list[str]) -> None:
        options = self.spec.options
        asked = [*([CONFIRM] if options.confirm else []), *([WRITE, FRESH] if options.fresh_pairs else [])]
        self.stages = tuple(dict.fromkeys([*stages, *asked, *self.sweep.state.get(AFTER, [])]))
        self.labels = {stage: _label(stage, whole=stage == stages[-1]) for stage in self.stages}

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
        if kind == _TRIAL:
            tried = min(self.spec.options.trials, math.prod(self.spec.sizes))
            return [str(number) for number in range(1, tried + 1)]
        if kind in (CONFIRM, FRESH):
            return [_RECOMMENDED, _BASELINE]
        if kind == WRITE:
            return [WRITE]
        gone = self.sweep.state.get(DROPPED, {})
        chosen = [each for number, each in self.configurations.items() if str(number) not in gone]
        if kind == EXTRA:
            kept = self.sweep.state.get(KEPT, [])
            chosen = [each for each in chosen if each.of is not None or each.number in kept]
        return [str(each.number) for each in in_order_of_work(chosen)]  # each index is built once

    def block_size(self, stage: str) -> int:
        """Retrieval alone is quick; and of a model as many configurations are asked at once as keep it busy."""
        if stage.partition(":")[0] not in (_LOOK, EXTRA):
            return 1
        if self.spec.options.retrieval_only:
            return _QUICK
        return max(1, min(_TOGETHER, _CALLS_AT_ONCE // max(1, int(self.sweep.plan["questions"]))))

    def work(self, stage: str, keys: Sequence[str]) -> Iterator[UnitsDone | Progress]:
        """Do a unit: a configuration up to a look, the dropping at its end, a run on holdout."""
        kind, _, end = stage.partition(":")
        if kind in (_LOOK, EXTRA):
            last = kind == EXTRA or stage == [each for each in self.stages if each.startswith(_LOOK)][-1]
            yield from self._advance([self.configurations[int(key)] for key in keys], None if last else int(end))
            return
        if kind == _TRIAL:
            for key in keys:
                yield from self._try(key)
            return
        for key in keys:
            yield UnitsDone([key], [] if self._do(kind, key, end) else [key])

    def _do(self, kind: str, key: str, end: str) -> bool:
        """Do what is no configuration; False where it failed."""
        if kind == _DROP:
            return self._drop(int(end))
        if kind == WRITE:
            return self._write()
        return self._confirm(key) if kind == CONFIRM else self._confirm_afresh(key)

    def _advance(self, configurations: Sequence[Configuration], look: int | None) -> Iterator[UnitsDone | Progress]:
        """Have configurations answer the first `look` pairs, or all."""
        run, limit = self.spec.run, look if look is not None else self.spec.run.limit
        gone = self.runs.gone()
        if stopped := [str(each.number) for each in configurations if str(each.number) in gone]:
            yield UnitsDone(stopped)
        configurations = [each for each in configurations if str(each.number) not in gone]
        self.runs.take([each.spec for each in configurations], run.split)
        runs = {
            each.number: self.runs.run(each.spec, f"{self.sweep} · {each.label}", split=run.split, limit=limit)
            for each in configurations
        }
        asking = [runs[each.number] for each in configurations if not each.spec.is_builtin_reader]
        if not self.spec.options.retrieval_only and (len(asking) > 1 or self.spec.options.budget_usd):
            yield from self.runs.ask_together([each for each in asking if each.sweep_id == self.sweep.pk], limit)
        for number, each in runs.items():
            good = self.runs.is_stopped(each) or self.runs.finish(each, limit) or self.runs.is_stopped(each)
            self.runs.budget.check()
            yield UnitsDone([str(number)], [] if good else [str(number)])

    def _try(self, key: str) -> Iterator[UnitsDone | Progress]:
        """Run the next configuration that the scores so far lead to; what cannot work, or is one of them, is passed."""
        while key not in self.sweep.state.get(TRIALS, {}):
            number = self._next_number()
            if number is None:
                yield UnitsDone([key])
                return
            change_state(self.sweep, partial(_note_trial, key=key, number=number, good=self._is_new(number)))
        configuration = self.spec.trial(self.sweep.state[TRIALS][key])
        for step in self._advance([configuration], None):
            yield UnitsDone([key], [key] if step.failed else []) if isinstance(step, UnitsDone) else step

    def _is_new(self, number: int) -> bool:
        known = {each.spec.fingerprint for each in configurations_of(self.sweep)}
        try:
            return self.spec.trial(number).spec.fingerprint not in known
        except ConfigError:
            return False

    def _next_number(self) -> int | None:
        """Return the number of what is tried next; None where all was tried."""
        state, sizes = self.sweep.state, self.spec.sizes
        rows = {row.run.pipeline_fingerprint: row for row in rows_of(configuration_runs(self.sweep))}
        score = score_of(rows.values(), retrieval_only=self.spec.options.retrieval_only)
        tried: dict[Places, float | None] = {places_of(each - 1, sizes) or (): None for each in state.get(_PASSED, [])}
        for each in own_configurations(self.sweep):
            row = rows.get(each.spec.fingerprint)
            tried[places_of(each.number - 1, sizes) or ()] = mean_of(row, score) if row else None
        found = next_trial(sizes, tried, trials=self.spec.options.trials)
        return None if found is None else number_of(found, sizes) + 1

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
        kept = map(str, self.sweep.state.get(KEPT, []))
        found = {key: {"pairs": pairs, "p": gone[key]} for key in gone.keys() - set(kept)}
        change_state(self.sweep, lambda state: state.setdefault(DROPPED, {}).update(found))
        return True

    def _confirm(self, which: str) -> bool:
        """Ask the recommended configuration, or the settings without the sweep, on holdout."""
        number = self.sweep.state.get("recommended") or sweep_table(self.sweep).recommendation.number
        if number is None:
            raise PipelineError("No configuration could be scored, so there is nothing to confirm.")
        if "recommended" not in self.sweep.state:
            change_state(self.sweep, lambda state: state.update(recommended=number))
        pipeline = self._to_confirm(number, which)
        if pipeline is None:
            return True
        self.runs.take([pipeline], HOLDOUT)
        name = f"{self.sweep} · {which} settings on holdout"
        return self.runs.finish(self.runs.run(pipeline, name, split=HOLDOUT, limit=None), None)

    def _to_confirm(self, number: int, which: str) -> PipelineSpec | None:
        """Return the configuration with a number, or the settings without the sweep; None where these are the same."""
        pipeline = self.configurations[number].spec
        if which == _RECOMMENDED:
            return pipeline
        current = PipelineSpec.create(self.spec.base, drop_unread=True)
        return None if current.fingerprint == pipeline.fingerprint else current

    def _write(self) -> bool:
        """Write fresh pairs for the configuration that is recommended now, or was when they were asked for."""
        asked = self.sweep.state.get(FRESH, {})
        number = asked.get("number") or sweep_table(self.sweep).recommendation.number
        if number is None:
            raise PipelineError("No configuration could be scored, so there is nothing to confirm.")
        pairs = asked.get("pairs", self.spec.options.fresh_pairs)
        return self.runs.write(start_fresh(sweep=self.sweep, pairs=pairs, number=number))

    def _confirm_afresh(self, which: str) -> bool:
        """Ask the recommended configuration, or the settings without the sweep, the fresh pairs."""
        testset = fresh_testset(self.sweep)
        if testset is None or not testset.questions.exists():
            return True  # that they could not be written was said
        pipeline = self._to_confirm(self.sweep.state[FRESH]["number"], which)
        if pipeline is None:
            return True
        name = f"{self.sweep} · {which} settings on fresh pairs"
        return self.runs.finish(self.runs.run(pipeline, name, split="all", limit=None, testset=testset), None)


def _note_trial(state: dict[str, Any], *, key: str, number: int, good: bool) -> None:
    """Write down what a trial tries, or that a combination is passed over."""
    if good:
        state.setdefault(TRIALS, {})[key] = number
    else:
        state.setdefault(_PASSED, []).append(number)


def _label(stage: str, *, whole: bool) -> str:
    """Return what a stage does, in the user's words."""
    kind, _, end = stage.partition(":")
    if kind in _LABELS:
        return _LABELS[kind]
    if kind == EXTRA:
        return "Running what was kept or cloned"
    if kind == _DROP:
        return f"Comparing after {end} pairs"
    return "Running configurations" if whole else f"Racing over the first {end} pairs"


def _changes(leader: ScoredRun, other: ScoredRun, score: str) -> Floats | None:
    terms = difference_terms(leader, other, score)
    return contributions(terms) if terms else None
