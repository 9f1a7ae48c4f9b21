"""What does background work: a handler for each kind of task, imported when the first task of its kind is done."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import ClassVar

from django.apps import apps

from rag_pipeline.errors import PipelineError
from rag_pipeline.models import BackgroundTask
from rag_pipeline.types import Progress


@dataclass(frozen=True, slots=True)
class UnitsDone:
    """Units have ended together; those `failed` too are counted among the failures, without stopping the task."""

    keys: Sequence[str]
    failed: Sequence[str] = ()


class TaskHandler(ABC):
    """What one kind of task does. A new instance is made for every block of units."""

    kind: ClassVar[str]
    stages: tuple[str, ...]
    block: ClassVar[dict[str, int]] = {}
    """Units claimed at once, by stage; 1 unless given."""
    labels: Mapping[str, str] = {}
    """What a stage does, in the user's words."""

    def __init__(self, task: BackgroundTask) -> None:
        self.task = task

    def block_size(self, stage: str) -> int:
        """Return how many units of a stage are done at once."""
        return self.block.get(stage, 1)

    def plan(self, stage: str) -> list[str]:
        """Return the keys of the units of a stage: one, unless given.

        Called once, inside the transaction that begins the stage.
        """
        return [stage]

    @abstractmethod
    def work(self, stage: str, keys: Sequence[str]) -> Iterator[UnitsDone | Progress]:
        """Do these units, skipping what is already stored. Raises PipelineError to end the task as failed."""

    def finish(self) -> None:  # noqa: B027 - most kinds have nothing left to do
        """Called after the last stage, by one worker; again only when that one died in the middle."""


_handlers: dict[str, type[TaskHandler]] = {}


def handler(cls: type[TaskHandler]) -> type[TaskHandler]:
    """Class decorator: register a handler under its `kind`."""
    _handlers[cls.kind] = cls
    return cls


def handler_for(task: BackgroundTask) -> TaskHandler:
    """Return a handler of the task's kind. Raises PipelineError for an unknown kind."""
    if task.kind not in _handlers:
        module = _modules().get(task.kind)
        if module is None:
            raise PipelineError(f"This version of the workbench does not know the work “{task.kind}”.")
        import_module(module)
    return _handlers[task.kind](task)


@cache
def _modules() -> dict[str, str]:
    """Return by kind the module that does it: every app names its own in `services/background_work.py`.

    It is imported when the first task of the kind is done: who evaluates a run needs neither sweeps nor tuning.
    """
    known: dict[str, str] = {}
    for app in apps.get_app_configs():
        name = f"{app.name}.services.background_work"
        if find_spec(f"{app.name}.services") and find_spec(name):
            known |= import_module(name).HANDLERS
    return known
