"""The budget of a sweep: what it has spent since it was started or went on, and pausing it when that is enough."""

from __future__ import annotations

import time

from django.db.models import Sum

from evaluation.experiments.options import SweepSpec
from evaluation.experiments.pace import Pace
from evaluation.models import Answer, Scoring, Sweep
from evaluation.queries.stored_answers import KEPT
from evaluation.services.sweep_state import change_state
from rag_pipeline.background.tasks import request_cancel
from rag_pipeline.interruption import WorkInterruptedError
from rag_pipeline.models import BackgroundTask

PAUSED = "paused"
"""In a sweep's state: why it paused by itself."""
_LOOK_S = 1.0
_UNMEASURED, _MOST = 32, 512
"""Questions asked at once under a budget: of a model whose price is not known, and at most."""


class Budget:
    """Pauses `task` when its sweep has spent its dollars or minutes; going on grants the same again.

    Minutes are those of work, counted from here on and added to what was counted before.
    """

    def __init__(self, sweep: Sweep, spec: SweepSpec, task: BackgroundTask) -> None:
        self._sweep, self._task = sweep, task
        self._dollars, self._minutes = spec.options.budget_usd, spec.options.budget_minutes
        self._since = self._looked = time.monotonic()

    def questions_left(self, pace: Pace) -> int | None:
        """Return how many questions may be asked before it is time to look again; None without a budget.

        What is in flight when a sweep pauses is paid for and lost: so no more is asked at once than there is money for.
        """
        if self._dollars is None and self._minutes is None:
            return None
        if self._dollars is None or not pace.cost_usd:
            return _UNMEASURED
        left = self._dollars - spent_usd(self._sweep) + self._sweep.state.get("granted_usd", 0.0)
        return max(1, min(_MOST, int(left / pace.cost_usd)))

    def check(self) -> None:
        """Stop the sweep where enough is spent; looks once a second at most. Raises WorkInterruptedError."""
        now = time.monotonic()
        if (self._dollars is None and self._minutes is None) or now - self._looked < _LOOK_S:
            return
        self.look()

    def look(self) -> None:
        """Look now. Raises WorkInterruptedError."""
        self._looked = time.monotonic()
        worked, self._since = self._looked - self._since, self._looked
        change_state(self._sweep, lambda state: state.update(worked_s=state.get("worked_s", 0.0) + worked))
        if reason := self._spent():
            change_state(self._sweep, lambda state: state.update({PAUSED: reason}))
            request_cancel(self._task)
            raise WorkInterruptedError

    def _spent(self) -> str:
        state = self._sweep.state
        minutes = (state.get("worked_s", 0.0) - state.get("granted_s", 0.0)) / 60
        if self._minutes is not None and minutes >= self._minutes:
            return f"The budget of {self._minutes:g} minutes is used up."
        if self._dollars is not None:
            dollars = spent_usd(self._sweep) - state.get("granted_usd", 0.0)
            if dollars >= self._dollars:
                return f"The budget of ${self._dollars:g} is spent (${dollars:.4g})."
        return ""


def spent_usd(sweep: Sweep) -> float:
    """Return what the answers and judges of a sweep cost so far, as far as prices are known."""
    answers = Answer.objects.filter(run__sweep=sweep).exclude(KEPT).aggregate(cost=Sum("cost_usd"))["cost"] or 0.0
    judged = Scoring.objects.filter(run__sweep=sweep).values_list("judging", flat=True)
    return float(answers) + sum(each.get("cost_usd") or 0.0 for each in judged)


def grant_again(sweep: Sweep) -> None:
    """Let a sweep that goes on spend its budget once more."""
    spent = spent_usd(sweep)

    def grant(state: dict[str, object]) -> None:
        state.pop(PAUSED, None)
        state.update(granted_usd=spent, granted_s=state.get("worked_s", 0.0))

    change_state(sweep, grant)
