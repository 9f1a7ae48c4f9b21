"""Who works on what: units are leased by a conditional UPDATE, leases of the dead are given back."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta

from django.db.models import F, Q, QuerySet
from django.utils import timezone

from rag_pipeline.background.liveness import beating, process_lives, process_name, tolerating_faults
from rag_pipeline.errors import PipelineError
from rag_pipeline.models import BackgroundTask, WorkUnit

LEASE = timedelta(seconds=60)
MAX_ATTEMPTS = 3

State = BackgroundTask.State
UnitState = WorkUnit.State


def claim(task: BackgroundTask, size: int, stage: str) -> list[WorkUnit]:
    """Lease up to `size` units of a stage. Raises PipelineError for a unit that keeps killing workers."""
    now = timezone.now()
    free = Q(state=UnitState.WAITING) | Q(state=UnitState.LEASED, lease_until__lt=now)
    stage_units = WorkUnit.objects.filter(task=task, stage=stage)
    ids = list(stage_units.filter(free).values_list("pk", flat=True)[:size])
    if not ids:
        return []
    name = f"{process_name()}:{uuid.uuid4().hex[:8]}"
    WorkUnit.objects.filter(free, pk__in=ids).update(
        state=UnitState.LEASED, worker=name, lease_until=now + LEASE, attempts=F("attempts") + 1
    )
    units = list(stage_units.filter(worker=name, state=UnitState.LEASED))
    if any(unit.attempts > MAX_ATTEMPTS for unit in units):
        raise PipelineError(
            "The worker stopped three times at the same place, perhaps for want of memory. "
            "See its log; try smaller documents or fewer questions."
        )
    return units


@contextmanager
def holding(task: BackgroundTask, units: Sequence[WorkUnit]) -> Iterator[QuerySet[WorkUnit]]:
    """Keep the lease of claimed units alive; give back, as if never tried, what is not done at the end."""
    held = WorkUnit.objects.filter(task=task, worker=units[0].worker, state=UnitState.LEASED)

    def extend() -> None:
        now = timezone.now()
        held.update(lease_until=now + LEASE)
        BackgroundTask.objects.filter(pk=task.pk).update(heartbeat=now)

    try:
        with beating(extend):
            yield held
    finally:
        with tolerating_faults():  # else the lease expires
            held.update(state=UnitState.WAITING, lease_until=None, attempts=F("attempts") - 1)


def release_dead() -> None:
    """Give back what dead processes of this machine hold, without waiting for their leases to expire."""
    leased = WorkUnit.objects.filter(state=UnitState.LEASED)
    for worker in set(leased.values_list("worker", flat=True)):
        if not process_lives(worker):
            leased.filter(worker=worker).update(state=UnitState.WAITING, lease_until=None)
    stale = timezone.now() - LEASE
    for task in BackgroundTask.objects.filter(state__in=(State.QUEUED, State.RUNNING)).exclude(owner=""):
        # A command beats all the time while it works; one on another machine can be judged by that alone.
        if not process_lives(task.owner) or (task.heartbeat or task.created) < stale:
            BackgroundTask.objects.filter(pk=task.pk, owner=task.owner).update(owner="")
