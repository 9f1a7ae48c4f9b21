"""What every page needs: navigation, the worker's state, the chosen theme."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse

from rag_pipeline.background.tasks import worker_alive
from rag_pipeline.models import BackgroundTask, Corpus
from workbench.services.current_settings import chosen_corpus

PAGES = (
    (("Workbench", "workbench"),),
    (("Documents", "documents"),),
    (("Test sets", "testsets"), ("Quiz", "quiz")),
    (("Dashboard", "dashboard"), ("Sweeps", "sweeps")),
    (("Compare", "compare"),),
    (("Chat", "chat"), ("Side by side", "side-by-side")),
    (("Metrics", "metrics"), ("Score", "score"), ("Calibration", "calibration")),
)
"""The entries of the navigation in the order of the work; those of several pages have a row of tabs."""
THEMES = ("light", "dark")


@dataclass(frozen=True, slots=True)
class NavItem:
    """An entry of the navigation, or one of the pages below it."""

    label: str
    url: str
    current: bool
    pages: tuple[NavItem, ...] = ()


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
    def entries(self) -> list[NavItem]:
        """Return the entries in the order of the work, with their pages; the current ones are marked."""
        path = _listed_at(self._request.path)
        entries = []
        for group in PAGES:
            pages = [(label, reverse(name)) for label, name in group]
            here = [url for _, url in pages if path == url or (path.startswith(url) and url != "/")]
            items = tuple(NavItem(label, url, url == max(here, key=len, default="")) for label, url in pages)
            entries.append(NavItem(items[0].label, items[0].url, any(item.current for item in items), items))
        return entries

    @cached_property
    def entry(self) -> NavItem:
        """Return the entry of the present page; of one that has none, the first."""
        return next((entry for entry in self.entries if entry.current), self.entries[0])

    @cached_property
    def corpus(self) -> Corpus | None:
        """Return the corpus that all pages start with."""
        return chosen_corpus()

    @cached_property
    def corpora(self) -> QuerySet[Corpus]:
        """Return the corpora to choose from."""
        return Corpus.objects.order_by("name")

    @cached_property
    def worker(self) -> WorkerState:
        """Return the worker's state."""
        return worker_state()


def _listed_at(path: str) -> str:
    """Return the address of the page that leads to a page which the navigation does not name; else its own."""
    if path.startswith(reverse("runs")):
        return reverse("calibration" if path.endswith(("/calibration/", "/marks/")) else "dashboard")
    return reverse("workbench") if path.startswith(reverse("prompts")) else path


def frame(request: HttpRequest) -> dict[str, Any]:
    """Add `frame` (navigation, worker) and `theme` (empty: follow the system)."""
    theme = request.COOKIES.get("theme", "")
    return {"frame": Frame(request), "theme": theme if theme in THEMES else ""}
