"""Long work in the background: rows are the truth, units are claimed by a conditional UPDATE, anything can resume.

A handler names its stages. When a stage begins, `plan` gives its unit keys; workers claim blocks of units and call
`work`, which yields `UnitsDone` for finished units and `Progress` in between. After the last unit the next stage is
planned; after the last stage `finish` is called. A worker that dies leaves leases that expire: another goes on.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from datetime import timedelta

from django.db import transaction
from django.db.models import F, Min
from django.utils import timezone

from rag_pipeline.background.handlers import TaskHandler, UnitsDone, handler_for
from rag_pipeline.background.leases import claim, holding, release_dead
from rag_pipeline.background.liveness import beating, note_worker, process_name, tolerating_faults
from rag_pipeline.background.storage_problems import DATABASE_AWAY, storage_problem
from rag_pipeline.errors import PipelineError
from rag_pipeline.interruption import WorkInterruptedError, interruptible, raise_if_interrupted
from rag_pipeline.llm.gate import calls_at_once
from rag_pipeline.models import BackgroundTask, WorkerHeartbeat, WorkUnit
from rag_pipeline.types import Progress

logger = logging.getLogger(__name__)

ALIVE = timedelta(seconds=20)
IDLE_S = 0.4
AFTER_FAULT_S = 3.0
_FINISH = "(finish)"
"""Stage and key of the unit that stands for a handler's `finish`, so that one worker alone calls it."""

State = BackgroundTask.State
UnitState = WorkUnit.State
OnProgress = Callable[[BackgroundTask], None]


def enqueue(kind: str, payload: dict[str, object], *, inline: bool = False) -> BackgroundTask:
    """Store a task; `inline` keeps it for this process (`run_inline`) as long as the process lives."""
    return BackgroundTask.objects.create(kind=kind, payload=payload, owner=process_name() if inline else "")


def failed(kind: str, payload: dict[str, object], error: str) -> BackgroundTask:
    """Store work that was tried at once, without a task, and failed: it can be resumed like any other."""
    now = timezone.now()
    return BackgroundTask.objects.create(
        kind=kind, payload=payload, state=State.FAILED, error=error, created=now, started=now, finished=now
    )


def request_cancel(task: BackgroundTask) -> None:
    """Ask a task to stop; one that has not begun, or whose workers are gone, stops at once."""
    BackgroundTask.objects.filter(pk=task.pk).update(cancel_requested=True)
    if not task.units.filter(state=UnitState.LEASED, lease_until__gt=timezone.now()).exists():
        _end(task, State.CANCELLED)


def resume(task: BackgroundTask) -> None:
    """Let an ended task go on at the first stage that left something open; units that failed are tried again."""
    with transaction.atomic():
        stages = task.units.values("stage").annotate(first=Min("pk")).order_by("first").values_list("stage", flat=True)
        reached = list(stages.exclude(stage=_FINISH))
        unfinished = set(task.units.exclude(state=UnitState.DONE).values_list("stage", flat=True))
        stage = next((each for each in reached if each in unfinished), reached[-1] if reached else "")
        # What comes after worked on less than there will be: it is planned anew.
        task.units.filter(stage__in=[*reached[reached.index(stage) + 1 :], _FINISH] if stage else [_FINISH]).delete()
        task.units.exclude(state=UnitState.DONE).update(state=UnitState.WAITING, attempts=0, lease_until=None)
        BackgroundTask.objects.filter(pk=task.pk).exclude(state__in=(State.QUEUED, State.RUNNING)).update(
            state=State.RUNNING if stage else State.QUEUED,
            stage=stage,
            done=0,
            total=0,
            step_started=timezone.now(),
            failures=0,
            error="",
            cancel_requested=False,
            finished=None,
            owner="",
        )
        task.count_units(stage)
        BackgroundTask.objects.filter(pk=task.pk).update(step_from=F("done"), step_ends=None)


def worker_alive() -> bool:
    """True when some worker process was seen lately."""
    return WorkerHeartbeat.objects.filter(seen__gt=timezone.now() - ALIVE).exists()


def abandoned(task: BackgroundTask) -> bool:
    """True when a task is open and nobody is there to work on it: its process died, and no worker runs."""
    release_dead()
    task.refresh_from_db()
    return task.active and not (task.owner or worker_alive() or task.units.filter(state=UnitState.LEASED).exists())


def run_inline(task: BackgroundTask, on_progress: OnProgress | None = None) -> BackgroundTask:
    """Work on one task in this process until it ends; return it fresh. A Ctrl-C cancels it.

    Inside the work of another task: raises WorkInterruptedError when that one is to stop.
    """
    BackgroundTask.objects.filter(pk=task.pk).update(owner=process_name())
    try:
        while True:
            raise_if_interrupted()
            task.refresh_from_db()
            if not task.active:
                return task
            if on_progress and task.step:
                on_progress(task)  # a stage has begun: its name is there before its first result
            if not _advance(task, on_progress):
                time.sleep(IDLE_S)
    except KeyboardInterrupt:
        _end(task, State.CANCELLED)
        raise


def run_worker(stop: threading.Event) -> None:
    """Work on all tasks until `stop` is set."""
    name = process_name()
    with beating(lambda: note_worker(name)):
        try:
            while not stop.is_set():
                _look_for_work(stop)
        finally:
            with tolerating_faults():
                WorkerHeartbeat.objects.filter(name=name).delete()


def _look_for_work(stop: threading.Event) -> None:
    """Move every open task on by one step. A database that is away or full is waited for: nothing is given up."""
    worked = False
    with tolerating_faults() as fault:
        release_dead()
        for task in _open_tasks():
            worked = (not stop.is_set() and _advance(task, stop=stop)) or worked
    if fault:
        stop.wait(AFTER_FAULT_S)
    elif not worked:
        stop.wait(IDLE_S)


def _open_tasks() -> list[BackgroundTask]:
    return list(BackgroundTask.objects.filter(state__in=(State.QUEUED, State.RUNNING), owner=""))


def _advance(task: BackgroundTask, on_progress: OnProgress | None = None, stop: threading.Event | None = None) -> bool:
    """Do one block of one task, or move it to its next stage. Return False when others hold all its units."""
    task.refresh_from_db()
    if not task.active:
        return False
    if task.cancel_requested:
        _end(task, State.CANCELLED)
        return True
    try:
        return _advance_checked(task, on_progress, stop)
    except PipelineError as error:
        logger.info("task %s failed: %s", task.pk, error)
        _end(task, State.FAILED, str(error))
    except DATABASE_AWAY:
        raise  # the database itself: there is nowhere to write down what happened
    except Exception as error:
        known = storage_problem(error)
        if not known:
            logger.exception("task %s (%s) broke", task.pk, task.kind)
        _end(task, State.FAILED, known or "Something went wrong that should not. The worker's log has the details.")
    return True


def _advance_checked(task: BackgroundTask, on_progress: OnProgress | None, stop: threading.Event | None) -> bool:
    work = handler_for(task)
    if task.state == State.QUEUED:
        return _begin_stage(task, work, work.stages[0])
    units = claim(task, work.block_size(task.stage), task.stage)
    if units:
        _do_block(task, work, units, on_progress, stop)
        return True
    if task.units.filter(stage=task.stage, state__in=(UnitState.WAITING, UnitState.LEASED)).exists():
        return False
    position = work.stages.index(task.stage) + 1
    if position < len(work.stages):
        return _begin_stage(task, work, work.stages[position])
    return _finish(task, work)


def _finish(task: BackgroundTask, work: TaskHandler) -> bool:
    """End the task after its last stage; False when another worker is at it."""
    WorkUnit.objects.bulk_create([WorkUnit(task=task, stage=_FINISH, key=_FINISH)], ignore_conflicts=True)
    units = claim(task, 1, _FINISH)
    if not units:
        return False
    with holding(task, units):
        work.finish()
        WorkUnit.objects.filter(pk=units[0].pk).update(state=UnitState.DONE, lease_until=None)
    _end(task, State.DONE)
    return True


def _begin_stage(task: BackgroundTask, work: TaskHandler, stage: str) -> bool:
    """Move the task on and store the stage's units in one transaction, so that only one worker does it."""
    now = timezone.now()
    with transaction.atomic():
        moved = BackgroundTask.objects.filter(pk=task.pk, state=task.state, stage=task.stage).update(
            state=State.RUNNING,
            stage=stage,
            step=work.labels.get(stage, stage.capitalize()),
            done=0,
            total=0,
            step_started=now,
            step_from=0,
            step_ends=None,
            started=task.started or now,
            heartbeat=now,
        )
        if moved:
            keys = work.plan(stage)
            WorkUnit.objects.bulk_create(
                [WorkUnit(task=task, stage=stage, key=key) for key in keys], ignore_conflicts=True
            )
            task.count_units(stage)
    return True


def _do_block(
    task: BackgroundTask,
    work: TaskHandler,
    units: Sequence[WorkUnit],
    on_progress: OnProgress | None,
    stop: threading.Event | None,
) -> None:
    by_key = {unit.key: unit for unit in units}
    watch = _Watch(task, stop)
    moved = _Movement()
    with holding(task, units) as held, interruptible(watch.interrupted):
        steps = work.work(task.stage, list(by_key))
        try:
            for step in steps:
                _note(task, by_key, step)
                if moved.first_seen_in(step):
                    # Not stuck, however often it was stopped. 1, not 0: being given back takes one off.
                    held.update(attempts=1)
                if on_progress:
                    task.refresh_from_db()
                    on_progress(task)
                raise_if_interrupted()
        except WorkInterruptedError:
            steps.close()  # type: ignore[attr-defined]  # a generator: ends calls in flight
            if watch.cancelled:
                _end(task, State.CANCELLED)
            return
        held.update(state=UnitState.DONE, lease_until=None)


def _note(task: BackgroundTask, by_key: dict[str, WorkUnit], step: UnitsDone | Progress) -> None:
    """Store what a handler reported, and how many calls the models take at once meanwhile."""
    if (calls := calls_at_once()) != task.calls:
        task.calls = calls
        BackgroundTask.objects.filter(pk=task.pk).update(calls=calls)
    if isinstance(step, Progress):
        task.count(step=step.step, done=step.done, total=step.total)
        return
    ended = WorkUnit.objects.filter(pk__in=[by_key[key].pk for key in step.keys])
    ended.update(state=UnitState.DONE, lease_until=None)
    if step.failed:
        failed = WorkUnit.objects.filter(pk__in=[by_key[key].pk for key in step.failed])
        failed.update(state=UnitState.FAILED)
    BackgroundTask.objects.filter(pk=task.pk).update(
        failures=task.units.filter(state=UnitState.FAILED).count(), heartbeat=timezone.now()
    )
    task.count_units(task.stage)


def _end(task: BackgroundTask, state: str, error: str = "") -> None:
    """End a task once; a task that has ended stays as it is."""
    BackgroundTask.objects.filter(pk=task.pk, state__in=(State.QUEUED, State.RUNNING)).update(
        state=state, error=error, finished=timezone.now()
    )


class _Pace:
    """Says when it is time again; the first time at once."""

    def __init__(self, every_s: float) -> None:
        self._every_s, self._next = every_s, 0.0

    def due(self) -> bool:
        """Return whether it is time, and begin to wait anew if it is."""
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + self._every_s
        return True


class _Movement:
    """Notices the first step of a block after which something more is done than before."""

    def __init__(self) -> None:
        self._start: int | None = None
        self._seen = False

    def first_seen_in(self, step: UnitsDone | Progress) -> bool:
        if self._seen:
            return False
        if isinstance(step, UnitsDone):
            self._seen = True
        elif self._start is None or step.done < self._start:
            self._start = step.done
        else:
            self._seen = step.done > self._start
        return self._seen


class _Watch:
    """Asks the database at most three times a second whether the task was cancelled or ended elsewhere."""

    def __init__(self, task: BackgroundTask, stop: threading.Event | None) -> None:
        self._pk, self._stop = task.pk, stop
        self._pace = _Pace(0.33)
        self.cancelled = False

    def interrupted(self) -> bool:
        if not self.cancelled and self._pace.due():
            row = BackgroundTask.objects.filter(pk=self._pk).values("cancel_requested", "state").first()
            self.cancelled = row is None or row["cancel_requested"] or row["state"] != State.RUNNING
        return self.cancelled or (self._stop is not None and self._stop.is_set())
