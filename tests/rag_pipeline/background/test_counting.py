"""Units that end at once are counted together, and none is left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from rag_pipeline.background import tasks as background
from rag_pipeline.background.tasks import TaskHandler, UnitDone, enqueue, handler, run_inline
from rag_pipeline.errors import PipelineError
from rag_pipeline.models import BackgroundTask
from rag_pipeline.types import Progress

pytestmark = pytest.mark.django_db(transaction=True)


@handler
class InOneBlock(TaskHandler):
    """A unit called `bad` fails, one called `stop` raises."""

    kind = "test-one-block"
    stages = ("count",)
    block = {"count": 100}

    def plan(self, stage: str) -> list[str]:
        return list(self.task.payload["keys"])

    def work(self, stage: str, keys: Sequence[str]) -> Iterator[UnitDone | Progress]:
        for key in keys:
            if key == "stop":
                raise PipelineError("The key was rejected. Set another.")
            if key == "cancel":
                background.request_cancel(self.task)
            yield UnitDone(key, failed=key == "bad")


@pytest.fixture(autouse=True)
def one_count_a_block(monkeypatch):
    """After the first unit of a block none is counted by itself."""
    monkeypatch.setattr(background, "COUNTED_EVERY_S", 1e9)


def test_units_that_end_at_once_are_counted_together():
    shown: list[tuple[int, int]] = []

    def show(now: BackgroundTask) -> None:
        shown.append((now.done, now.failures))

    task = run_inline(enqueue("test-one-block", {"keys": ["a", "bad", "c", "d"]}), show)
    assert list(dict.fromkeys(shown)) == [(0, 0), (1, 0), (4, 1)]
    assert (task.state, task.done, task.total, task.failures) == (BackgroundTask.State.DONE, 4, 4, 1)


@pytest.mark.parametrize("last, state, done", [("stop", "failed", 3), ("cancel", "cancelled", 4)])
def test_what_was_done_before_the_end_is_counted(last, state, done):
    task = run_inline(enqueue("test-one-block", {"keys": ["a", "b", "bad", last]}))
    assert (task.state, task.done, task.total, task.failures) == (state, done, 4, 1)
