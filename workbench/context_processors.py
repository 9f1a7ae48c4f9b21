"""What every page needs: navigation, the worker's state, the chosen theme."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from rag_pipeline.background.tasks import worker_alive
from rag_pipeline.models import BackgroundTask

PAGES = (
    ("Workbench", "workbench"),
    ("Documents", "documents"),
    ("Test sets", "testsets"),
    ("Sweeps", "sweeps"),
    ("Dashboard", "dashboard"),
    ("Compare", "compare"),
    ("Chat", "chat"),
    ("Metrics", "metrics"),
    ("Score", "score"),
)
THEMES = ("light", "dark")


@dataclass(frozen=True, slots=True)
class NavItem:
    """An entry of the navigation."""

    label: str
    url: str
    current: bool


@dataclass(frozen=True, slots=True)
class WorkerState:
    """Whether background work gets done: `ready`, `working` or `stopped`."""

    state: str
    label: str
    help: str


def worker_state() -> WorkerState:
    """Return the state of the worker, from its heartbeat and the tasks it has."""
    if not worker_alive():
        return WorkerState("stopped", "No worker", "Nothing runs in the background. Start a worker: manage.py worker")
    if BackgroundTask.objects.filter(state=BackgroundTask.State.RUNNING).exists():
        return WorkerState("working", "Working", "The worker is busy")
    return WorkerState("ready", "Ready", "The worker waits for work")


class Frame:
    """The frame around a page; asks the database only for what a template shows."""

    def __init__(self, request: HttpRequest) -> None:
        self._request = request

    @cached_property
    def pages(self) -> list[NavItem]:
        """Return the pages in the order of the work, the current one marked."""
        path = self._request.path
        path = path.replace(reverse("runs"), reverse("dashboard"), 1) if path.startswith(reverse("runs")) else path
        entries = [(label, reverse(name)) for label, name in PAGES]
        return [NavItem(label, url, path == url or (url != "/" and path.startswith(url))) for label, url in entries]

    @cached_property
    def worker(self) -> WorkerState:
        """Return the worker's state."""
        return worker_state()


def frame(request: HttpRequest) -> dict[str, Any]:
    """Add `frame` (navigation, worker) and `theme` (empty: follow the system)."""
    theme = request.COOKIES.get("theme", "")
    return {"frame": Frame(request), "theme": theme if theme in THEMES else ""}
