"""What a person changes in a sweep on its way: a dropped configuration is kept, one is stopped, one is cloned."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from evaluation.experiments.options import SweepSpec
from evaluation.experiments.space import Configuration, clone, same_as
from evaluation.models import Sweep
from evaluation.queries.sweeps import CLONES, DROPPED, KEPT, configurations_of, run_of
from evaluation.services.sweep_state import AFTER, change_state, then
from evaluation.services.sweeps import read_grid
from rag_pipeline.background import tasks as background
from rag_pipeline.errors import ConfigError
from rag_pipeline.llm.preflight import check_model
from rag_pipeline.models import BackgroundTask
from rag_pipeline.services.pipelines import check_parts

EXTRA = "extra"
"""The stage of a sweep that brings what was kept or cloned to its end; with its number, `extra:2`."""
_ENDED = (BackgroundTask.State.DONE, BackgroundTask.State.FAILED)


def keep_configuration(*, sweep: Sweep, number: int) -> None:
    """Let a configuration that was dropped or stopped go on to the end, whatever the race says. Raises ConfigError."""
    if str(number) not in sweep.state.get(DROPPED, {}):
        raise ConfigError(f"{_configuration(sweep, number).label} was not dropped: there is nothing to keep.")

    def keep(state: dict[str, Any]) -> None:
        state[DROPPED].pop(str(number), None)
        state.setdefault(KEPT, []).append(number)

    change_state(sweep, keep)
    _go_on(sweep)


def stop_configuration(*, sweep: Sweep, number: int) -> None:
    """Have no more asked for a configuration; what it has answered stays. Raises ConfigError where it has ended."""
    found = _configuration(sweep, number)
    gone = sweep.state.get(DROPPED, {})
    run = run_of(sweep, found.spec.fingerprint)
    if str(number) in gone or sweep.task is None or _ended(run):
        raise ConfigError(f"{found.label} has ended already: there is nothing to stop.")
    if len(gone) + 1 >= len(configurations_of(sweep)):
        raise ConfigError("This is the only configuration left. Pause the sweep instead.")
    entry = {"pairs": 0, "stopped": True, "run": run.pk if run else None}
    change_state(sweep, lambda state: state.setdefault(DROPPED, {}).update({str(number): entry}))
    if run is not None and run.task is not None and run.task.active:
        background.request_cancel(run.task)


def clone_configuration(*, sweep: Sweep, number: int, changes: Mapping[str, str]) -> Configuration:
    """Add a configuration with some settings changed, and run it; `changes`: one value each, as in a grid.

    Raises ConfigError where a change is none, or what comes of it cannot work or is there already.
    """
    values = read_grid(changes)
    for name, each in values.items():
        if len(each) > 1:
            raise ConfigError(f"A clone takes one value for {name}; these are {len(each)}. Sweep them instead.", name)
    if not values:
        raise ConfigError("Say what to change, such as top_k=8.")
    spec, there = SweepSpec.from_json(sweep.spec), configurations_of(sweep)
    original = _configuration(sweep, number)
    taken = math.prod(spec.sizes) + len(sweep.state.get(CLONES, []))
    made = clone(spec.space, original, {name: each[0] for name, each in values.items()}, taken + 1)
    if twin := same_as(spec.space, made.spec, there):
        raise ConfigError(f"With that it would be the same as {twin.label}, which is in this sweep already.")
    check_parts(made.spec)
    if not spec.options.retrieval_only:
        check_model(made.spec.core.llm)
    stored = [[name, {"label": each[0].label, "settings": dict(each[0].settings)}] for name, each in values.items()]
    added = {"number": made.number, "of": number, "changes": stored}
    change_state(sweep, lambda state: state.setdefault(CLONES, []).append(added))
    _go_on(sweep)
    return made


def _configuration(sweep: Sweep, number: int) -> Configuration:
    found = next((each for each in configurations_of(sweep) if each.number == number), None)
    if found is None:
        raise ConfigError(f"{sweep} has no configuration {number}.")
    return found


def _ended(run: Any) -> bool:
    if run is None:
        return False
    if run.task is None:  # retrieval alone is done at once
        return bool(run.scorings.exists())
    return run.task.state in _ENDED


def _go_on(sweep: Sweep) -> None:
    """Bring what is left to its end after all that the sweep has to do; one that is done begins again for that."""
    then(sweep, f"{EXTRA}:{len(sweep.state.get(AFTER, []))}")
    if sweep.task is not None:
        sweep.task.refresh_from_db()
        if sweep.task.state == BackgroundTask.State.DONE:
            background.resume(sweep.task)
