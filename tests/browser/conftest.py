"""Chromium, a real server with its worker, and a page that reports its own errors."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect

from tests.browser.chromium import find_chromium
from tests.browser.forms import sample_run
from tests.browser.imported import import_and_evaluate
from tests.browser.waiting import PATIENCE_S
from tests.fake_openai import FakeOpenAI
from tests.serving import Served, wait_for

NO_PROBLEM = (
    "status of 422",  # how a form comes back with what is wrong in it
    "htmx:afterRequest",  # htmx calls a request that a later one replaced an error
    "htmx:sendAbort",
)
expect.set_options(timeout=1000 * PATIENCE_S)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder needs a browser, and nobody comes before the first visitor."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
    items.sort(key=lambda item: item.path.name != "test_first_start.py")


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Use the system's Chromium; as root, in a container, it only starts without its sandbox."""
    path = find_chromium()
    assert path, "There is no Chromium: run scripts/ensure-chromium, or name one with WORKBENCH_CHROMIUM."
    start = {"executable_path": path, "args": ["--no-sandbox"], "timeout": 1000 * PATIENCE_S}
    return browser_type_launch_args | start


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    """Return the size of a usual laptop window."""
    return browser_context_args | {"viewport": {"width": 1440, "height": 900}}


class Bench:
    """The served workbench; `restart` keeps data folder and address."""

    def __init__(self, data: Path, environment: Mapping[str, str]) -> None:
        self.data = data
        self._environment = environment
        self.server = Served(data, 0, environment)
        wait_for(lambda: self.server.health()[0] == 200)

    @property
    def url(self) -> str:
        """Its address."""
        return self.server.url

    def restart(self) -> None:
        """Stop as Ctrl-C does and start again."""
        port = self.server.port
        assert self.server.stop() == 0
        wait_for(lambda: self._starts_at(port))  # a connection of another program may have the port for a moment
        wait_for(lambda: self.server.health()[0] == 200)

    def _starts_at(self, port: int) -> bool:
        self.server = Served(self.data, port, self._environment)
        return bool(self.server.url)


@pytest.fixture(scope="session")
def models() -> Iterator[FakeOpenAI]:
    """Serve the models that the workbench can ask; a test that scripts one gives a rule of its own judge or prompt."""
    with FakeOpenAI() as models:
        yield models


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory, browser: Browser, models: FakeOpenAI) -> Iterator[Bench]:
    """Serve a fresh data folder for all browser tests, models at hand.

    Its sample is made while the first test looks: the browser has to be there before.
    """
    environment = {"OPENAI_BASE_URL": models.base_url, "OPENAI_API_KEY": "sk-of-the-browser-tests"}
    bench = Bench(tmp_path_factory.mktemp("bench") / "data", environment)
    try:
        yield bench
    finally:
        bench.server.stop()


@pytest.fixture(scope="session")
def sample(bench: Bench) -> Bench:
    """Wait until the sample of the first start is evaluated."""
    wait_for(lambda: len(list((bench.data / "runs").glob("*/eval.csv"))) >= 2, seconds=PATIENCE_S)
    return bench


@pytest.fixture(scope="session")
def base_url(bench: Bench) -> str:
    """Let `page.goto` take paths."""
    return bench.url


@pytest.fixture(autouse=True)
def workbench_as_preferred(bench: Bench) -> None:
    """Let the Workbench forget how an earlier test left it."""
    with closing(sqlite3.connect(bench.data / "workbench.sqlite3", timeout=60)) as database, database:
        database.execute("DELETE FROM workbench_workbenchstate")


@pytest.fixture
def page(page: Page) -> Iterator[Page]:
    """Fail a test whose page reported a script error or broke the Content-Security-Policy."""
    problems: list[str] = []

    def listen(message: ConsoleMessage) -> None:
        if message.type == "error" and not any(words in message.text for words in NO_PROBLEM):
            problems.append(f"{message.text} ({page.url})")

    page.on("console", listen)
    page.on("pageerror", lambda error: problems.append(f"{error} ({page.url})"))
    page.set_default_timeout(1000 * PATIENCE_S)
    yield page
    assert problems == []


@pytest.fixture(scope="session")
def imported(sample: Bench, browser: Browser) -> str:
    """Return the address of a run on an imported test set: imported and evaluated in the browser."""
    page = browser.new_page(base_url=sample.url, viewport={"width": 1440, "height": 900})
    page.set_default_timeout(1000 * PATIENCE_S)
    address = import_and_evaluate(page)
    page.close()
    return address


@pytest.fixture(scope="session")
def evaluated(sample: Bench, browser: Browser) -> str:
    """Return the address of a run of the sample."""
    page = browser.new_page(base_url=sample.url)
    address = sample_run(page)
    page.close()
    return address


@pytest.fixture(params=["evaluated", "imported"])
def run(request: pytest.FixtureRequest) -> str:
    """Return the address of a run: of the sample, and of an imported test set."""
    address: str = request.getfixturevalue(request.param)
    return address
