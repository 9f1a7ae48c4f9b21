"""Background work: stages, resuming, cancelling, dead workers, failures."""

from __future__ import annotations

import errno
import threading
import time
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import ClassVar

import pytest
from django.db import InterfaceError, OperationalError, connection
from django.utils import timezone

from rag_pipeline.background import leases
from rag_pipeline.background import tasks as background
from rag_pipeline.background.handlers import TaskHandler, UnitsDone, handler
from rag_pipeline.background.liveness import process_name
from rag_pipeline.background.tasks import enqueue, request_cancel, run_inline
from rag_pipeline.errors import PipelineError
from rag_pipeline.models import BackgroundTask, WorkerHeartbeat, WorkUnit
from rag_pipeline.types import Progress

pytestmark = pytest.mark.django_db(transaction=True)
DEAD_PID = 2**22 + 1  # above the largest pid of Linux


@handler
class Counting(TaskHandler):
    """Writes down what it is asked to do; units called `bad` fail, a unit called `stop` raises."""

    kind = "test-counting"
    stages = ("prepare", "count")
    block = {"count": 2}
    worked: ClassVar[list[str]] = []
    finished: ClassVar[int] = 0

    def plan(self, stage: str) -> list[str]:
        return ["ready"] if stage == "prepare" else list(self.task.payload["keys"])

    def work(self, stage: str, keys: Sequence[str]) -> Iterator[UnitsDone | Progress]:
        for key in keys:
            if key == "stop":
                raise PipelineError("The key was rejected. Set another.")
            if key == "cancel":
                request_cancel(self.task)
                yield Progress("cancelling", 0, 0)
            if key == "fault":
                raise ZeroDivisionError
            Counting.worked.append(key)
            yield UnitsDone([key], [key] if key == "bad" else [])

    def finish(self) -> None:
        Counting.finished += 1


@handler
class Slow(TaskHandler):
    """One unit of several steps that a test stops in the middle; goes on from what `made` holds."""

    kind = "test-slow"
    stages = ("only",)
    made: ClassVar[int] = 0
    finishing: ClassVar[int] = 0

    def plan(self, stage: str) -> list[str]:
        return ["only"]

    def work(self, stage: str, keys: Sequence[str]) -> Iterator[UnitsDone | Progress]:
        yield Progress("making", Slow.made, 6)
        while Slow.made < 6:
            if self.task.payload.get("moves", True):
                Slow.made += 1
            yield Progress("making", Slow.made, 6)
        yield UnitsDone(["only"])

    def finish(self) -> None:
        Slow.finishing += 1
        time.sleep(0.3)


@pytest.fixture(autouse=True)
def forget() -> None:
    Counting.worked.clear()
    Counting.finished = 0
    Slow.made = Slow.finishing = 0


def test_does_every_unit_once_and_finishes_once():
    task = run_inline(enqueue("test-counting", {"keys": ["a", "b", "c"]}))
    assert task.state == BackgroundTask.State.DONE
    assert Counting.worked == ["ready", "a", "b", "c"]
    assert Counting.finished == 1
    assert (task.done, task.total, task.failures) == (3, 3, 0)
    assert task.started is not None
    assert task.finished is not None


def test_counts_a_failed_unit_and_goes_on():
    task = run_inline(enqueue("test-counting", {"keys": ["a", "bad", "c"]}))
    assert task.state == BackgroundTask.State.DONE
    assert (task.done, task.failures) == (3, 1)


def test_an_expected_failure_ends_the_task_with_its_words_and_can_be_resumed():
    task = run_inline(enqueue("test-counting", {"keys": ["a", "stop", "c"]}))
    assert task.state == BackgroundTask.State.FAILED
    assert task.error == "The key was rejected. Set another."
    WorkUnit.objects.filter(key="stop").update(key="mended")
    background.resume(task)
    assert run_inline(task).state == BackgroundTask.State.DONE
    assert Counting.worked == ["ready", "a", "mended", "c"]


def test_a_fault_ends_its_task_without_showing_a_traceback(logged):
    task = run_inline(enqueue("test-counting", {"keys": ["fault"]}))
    assert task.state == BackgroundTask.State.FAILED
    assert "ZeroDivisionError" not in task.error
    assert "ZeroDivisionError" in logged.getvalue()


def test_an_unknown_kind_fails_in_words():
    task = run_inline(enqueue("from-the-future", {}))
    assert "from-the-future" in task.error


def test_cancelling_ends_the_work_and_keeps_what_is_done():
    task = run_inline(enqueue("test-counting", {"keys": ["a", "cancel", "c", "d"]}))
    assert task.state == BackgroundTask.State.CANCELLED
    assert "d" not in Counting.worked
    assert Counting.finished == 0


def test_cancelling_a_waiting_task_ends_it_at_once():
    task = enqueue("test-counting", {"keys": ["a"]})
    request_cancel(task)
    task.refresh_from_db()
    assert task.state == BackgroundTask.State.CANCELLED


def test_goes_on_where_a_dead_process_stopped():
    task = enqueue("test-counting", {"keys": ["a", "b"]})
    leased_to_the_dead(task, "a")
    leases.release_dead()
    assert run_inline(task).state == BackgroundTask.State.DONE
    assert Counting.worked == ["a", "b"]


def test_leaves_alone_what_a_living_process_holds():
    task = enqueue("test-counting", {"keys": ["a", "b"]})
    held = leased_to_the_dead(task, "a")
    WorkUnit.objects.filter(pk=held.pk).update(worker=f"{process_name()}:x")
    leases.release_dead()
    held.refresh_from_db()
    assert held.state == WorkUnit.State.LEASED


def test_an_expired_lease_of_another_machine_is_taken_over():
    task = enqueue("test-counting", {"keys": ["a", "b"]})
    held = leased_to_the_dead(task, "a")
    past = timezone.now() - timedelta(seconds=1)
    WorkUnit.objects.filter(pk=held.pk).update(worker="elsewhere:1:x", lease_until=past)
    assert run_inline(task).state == BackgroundTask.State.DONE
    assert sorted(Counting.worked) == ["a", "b"]


def test_gives_up_on_a_unit_that_keeps_killing_workers():
    task = enqueue("test-counting", {"keys": ["a", "b"]})
    held = leased_to_the_dead(task, "a")
    WorkUnit.objects.filter(pk=held.pk).update(attempts=leases.MAX_ATTEMPTS)
    leases.release_dead()
    assert "three times" in run_inline(task).error


def test_resuming_tries_failed_units_again_and_plans_later_stages_anew():
    task = run_inline(enqueue("test-counting", {"keys": ["a", "bad", "c"]}))
    WorkUnit.objects.filter(key="bad").update(key="mended")
    background.resume(task)
    task.refresh_from_db()
    assert (task.state, task.stage, task.done, task.total, task.failures) == ("running", "count", 2, 3, 0)
    assert run_inline(task).state == BackgroundTask.State.DONE
    assert Counting.worked == ["ready", "a", "bad", "c", "mended"]
    assert Counting.finished == 2  # what comes at the end is made from all of it


def test_a_stage_after_the_resumed_one_is_done_again():
    task = run_inline(enqueue("test-counting", {"keys": ["a"]}))
    task.units.filter(stage="prepare").update(state=WorkUnit.State.FAILED)
    background.resume(task)
    assert run_inline(task).state == BackgroundTask.State.DONE
    assert Counting.worked == ["ready", "a", "ready", "a"]


def test_the_time_left_counts_down_between_two_reports_and_then_keeps_silent():
    task = BackgroundTask(state="running", done=10, total=40)
    assert task.seconds_left is None
    task.step_ends = timezone.now() + timedelta(seconds=60)
    assert 0 < task.seconds_left <= 60
    task.step_ends = timezone.now() - timedelta(seconds=1)
    assert task.seconds_left is None
    task.state, task.step_ends = "done", timezone.now() + timedelta(seconds=60)
    assert task.seconds_left is None


def test_a_new_count_starts_the_clock_of_the_estimate():
    task = enqueue("test-counting", {})
    task.count(step="Embedding", done=0, total=300)
    task.count(step="Embedding", done=100, total=300)
    task.refresh_from_db()
    began = task.step_started
    assert (task.done, task.total, task.step_from) == (100, 300, 0)
    assert task.step_ends > began
    task.count(step="Writing", done=20, total=30)
    task.refresh_from_db()
    assert (task.done, task.total, task.step_from, task.step_ends) == (20, 30, 20, None)
    assert task.step_started > began


def test_a_stage_begins_and_goes_on_with_a_clock_of_its_own():
    task = run_inline(enqueue("test-counting", {"keys": ["a", "bad", "c"]}))
    assert task.step_from == 0
    assert task.step_started > task.units.first().task.started
    ended = task.finished
    background.resume(task)
    task.refresh_from_db()
    assert (task.done, task.step_from) == (2, 2)
    assert task.step_started > ended


class StopAfter(threading.Event):
    """A worker's stop that is asked for so many times before it is set."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self._left = times

    def is_set(self) -> bool:
        self._left -= 1
        return self._left < 0

    def wait(self, timeout: float | None = None) -> bool:
        """Return at once: nobody gives an idle worker of a test more work."""
        return False


@pytest.mark.parametrize("moves", [True, False])
def test_a_worker_stopped_in_order_many_times_is_no_reason_to_give_up(moves):
    task = enqueue("test-slow", {"moves": moves})
    for _ in range(leases.MAX_ATTEMPTS + 2):
        background.run_worker(StopAfter(6))
    task.refresh_from_db()
    assert task.error == ""
    assert task.active or moves


def test_a_worker_killed_many_times_goes_on_while_something_gets_done():
    task = enqueue("test-slow", {})
    background.run_worker(StopAfter(5))
    unit = WorkUnit.objects.get(task=task)
    assert unit.state == WorkUnit.State.WAITING
    WorkUnit.objects.filter(pk=unit.pk).update(attempts=leases.MAX_ATTEMPTS - 1)
    background.run_worker(StopAfter(4))
    unit.refresh_from_db()
    assert unit.attempts == 0


def test_two_workers_end_a_task_once():
    stop = threading.Event()
    task = enqueue("test-slow", {})
    workers = [in_thread(stop), in_thread(stop)]
    wait_for(lambda: BackgroundTask.objects.get(pk=task.pk).state == BackgroundTask.State.DONE)
    stop.set()
    for worker in workers:
        worker.join()
    assert Slow.finishing == 1


def test_a_lease_that_another_took_over_is_not_given_back():
    task = enqueue("test-counting", {"keys": ["a", "b"]})
    held = leased_to_the_dead(task, "a")
    (unit,) = WorkUnit.objects.filter(pk=held.pk)
    with leases.holding(task, [unit]):
        WorkUnit.objects.filter(pk=held.pk).update(worker="elsewhere:1:later")
    held.refresh_from_db()
    assert (held.state, held.worker) == (WorkUnit.State.LEASED, "elsewhere:1:later")


def test_a_database_that_is_away_is_waited_for(monkeypatch, logged):
    monkeypatch.setattr(background, "AFTER_FAULT_S", 0.05)
    task = enqueue("test-counting", {"keys": ["a"]})
    real, faults = background.claim, [OperationalError("server closed the connection"), InterfaceError("closed")]

    def claim(*arguments):
        if faults:
            raise faults.pop()
        return real(*arguments)

    monkeypatch.setattr(background, "claim", claim)
    stop = threading.Event()
    worker = in_thread(stop)
    wait_for(lambda: BackgroundTask.objects.get(pk=task.pk).state == BackgroundTask.State.DONE)
    stop.set()
    worker.join()
    assert Counting.worked == ["ready", "a"]
    assert "server closed the connection" in logged.getvalue()
    assert "Traceback" not in logged.getvalue()


def test_a_full_disk_ends_the_task_with_the_mend(monkeypatch):
    def full(self, stage, keys):
        raise OSError(errno.ENOSPC, "No space left on device", "eval.csv")

    monkeypatch.setattr(Counting, "work", full)
    error = run_inline(enqueue("test-counting", {"keys": ["a"]})).error
    assert "full" in error
    assert "Make room" in error


def test_the_task_of_a_command_that_died_on_another_machine_is_taken_over():
    task = enqueue("test-counting", {"keys": ["a"]})
    long_ago = timezone.now() - 2 * leases.LEASE
    BackgroundTask.objects.filter(pk=task.pk).update(owner="elsewhere:1", created=long_ago)
    leases.release_dead()
    task.refresh_from_db()
    assert task.owner == ""


def test_a_worker_leaves_the_task_of_a_command_to_it_and_takes_a_dead_command_s():
    own = enqueue("test-counting", {"keys": ["own"]}, inline=True)
    orphan = enqueue("test-counting", {"keys": ["orphan"]}, inline=True)
    host = process_name().partition(":")[0]
    BackgroundTask.objects.filter(pk=orphan.pk).update(owner=f"{host}:{DEAD_PID}")
    stop = threading.Event()
    worker = in_thread(stop)
    wait_for(lambda: BackgroundTask.objects.get(pk=orphan.pk).state == BackgroundTask.State.DONE)
    assert background.worker_alive()
    stop.set()
    worker.join()
    own.refresh_from_db()
    assert own.state == BackgroundTask.State.QUEUED
    assert not WorkerHeartbeat.objects.exists()


def leased_to_the_dead(task: BackgroundTask, key: str) -> WorkUnit:
    """Bring a task to its second stage with one unit held by a process that is gone."""
    BackgroundTask.objects.filter(pk=task.pk).update(state="running", stage="count", started=timezone.now())
    for each in task.payload["keys"]:
        WorkUnit.objects.create(task=task, stage="count", key=each)
    unit = WorkUnit.objects.get(task=task, key=key)
    host = process_name().partition(":")[0]
    unit.state, unit.worker = WorkUnit.State.LEASED, f"{host}:{DEAD_PID}:claim"
    unit.lease_until = timezone.now() + timedelta(minutes=1)
    unit.save()
    return unit


def in_thread(stop: threading.Event) -> threading.Thread:
    """Start a worker that closes its own connection at its end, as a process would."""

    def work() -> None:
        try:
            background.run_worker(stop)
        finally:
            connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    return thread


def wait_for(condition, seconds: float = 300) -> None:
    ended = threading.Event()
    for _ in range(int(seconds / 0.05)):
        if condition():
            return
        ended.wait(0.05)
    raise AssertionError("did not happen in time")


def test_work_of_a_kind_that_this_version_does_not_know_fails_with_a_message() -> None:
    task = run_inline(enqueue("alchemy", {}, inline=True))
    assert task.state == BackgroundTask.State.FAILED
    assert task.error == "This version of the workbench does not know the work “alchemy”."
