"""Shared by all tests: no network, a fresh data folder where asked for, commands."""

from __future__ import annotations

import gc
import io
import ipaddress
import logging
import os
import socket
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from django.core.management.commands import flush
from django.template.base import Template
from django.test.signals import template_rendered
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from xdist.scheduler import LoadFileScheduling

from rag_pipeline import runtime
from tests.commands import call_command_line
from tests.fake_openai.fixture import fake_openai, fake_openai_server  # noqa: F401 - fixtures
from tests.finished import finished_folder
from tests.made_once import MadeOnce

# A loaded machine is slow, not wrong: no example fails for the time it takes. The same examples in every run: what
# fails has to do with a change of the code. `pytest --hypothesis-profile search` looks for further ones.
UNTIMED: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
hypothesis_settings.register_profile("repeatable", **UNTIMED, max_examples=50, derandomize=True, database=None)
hypothesis_settings.register_profile("search", **UNTIMED, max_examples=1000)
hypothesis_settings.load_profile("repeatable")

LOADING_FOR_SECONDS = (
    "bench/reader_training/",
    "evaluation/management/test_score_robustness.py",
    "evaluation/management/test_sweep_command.py",
    "evaluation/metrics/",
    "evaluation/question_writers/",
    "evaluation/refusal/",
    "evaluation/services/test_completing.py",
    "evaluation/services/test_fresh_pairs.py",
    "evaluation/services/test_run_as_file.py",
    "evaluation/services/test_tuning.py",
    "evaluation/statistics/",
    "rag_pipeline/embedders/test_any_local_model.py",
    "rag_pipeline/embedders/test_local.py",
    "rag_pipeline/english/",
    "rag_pipeline/indexing/test_late_vectors.py",
    "rag_pipeline/llm/test_local_chat.py",
    "rag_pipeline/local_models/",
    "rag_pipeline/rerankers/test_cross_encoder.py",
    "rag_pipeline/retrievers/",
    "workbench/test_commands.py",
    "workbench/test_sample.py",
    "workbench/test_score.py",
    "workbench/test_sweeps.py",
    "workbench/test_tuning.py",
)
"""Tests that load torch, scipy, scikit-learn (as TextBlob does) or spaCy: all together less than half of the time."""

CommandRunner = Callable[..., subprocess.CompletedProcess[str]]
Beginning = Callable[..., None]


class OneLoads(LoadFileScheduling):
    """Gives the tests of a file to one process, and all those that load for seconds to the same one."""

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        return "loading" if file.removeprefix("tests/").startswith(LOADING_FOR_SECONDS) else file


def pytest_collection_finish() -> None:
    """Leave what importing and collecting made out of every later garbage collection, and collect less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 50, 1000)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> OneLoads | None:
    """Tell xdist which tests stay together."""
    return OneLoads(config, log) if config.getoption("dist") == "loadfile" else None


@pytest.fixture(scope="session", autouse=True)
def no_network() -> Iterator[None]:
    """Let a test reach only this machine: a call that leaves it fails at once and says so."""
    connect = socket.socket.connect

    def local_only(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not _is_local(address[0]):
            raise OSError(f"tests use no network (tried {address[0]}:{address[1]})")
        connect(self, address)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", local_only)
        yield


@pytest.fixture(scope="session", autouse=True)
def content_types_left_out() -> Iterator[None]:
    """Let a database that was emptied after a test be empty: nobody reads the content types Django would put in."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flush, "emit_post_migrate_signal", lambda *given, **named: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def whole_pages_recorded(django_test_environment: None) -> Iterator[None]:
    """Have the test client keep the context of each page, not that of hundreds of included templates as well."""

    def render(self: Template, context: Any) -> Any:
        if context.template is self:
            template_rendered.send(sender=self, template=self, context=context)
        return self.nodelist.render(context)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Template, "_render", render)
        yield


def _is_local(host: str) -> bool:
    if host in ("localhost", ""):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@pytest.fixture(scope="session")
def data_dirs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return the data folders of this process, named by number: names of pytest's own get slow by the thousands."""
    base = tmp_path_factory.mktemp("data")
    return (base / str(number) for number in count(1))


@pytest.fixture(autouse=True)
def data_dir(data_dirs: Iterator[Path], settings: Any) -> Path:
    """Return the data folder of this test, empty at its start; the code under test uses it too."""
    folder = next(data_dirs)
    folder.mkdir()
    settings.DATA_DIR = folder
    settings.MEDIA_ROOT = folder / "files"
    return folder


@pytest.fixture
def logged() -> Iterator[io.StringIO]:
    """Return what is logged during the test, with tracebacks; pytest's own plugin adds 0.6 ms to every test."""
    text = io.StringIO()
    handler = logging.StreamHandler(text)
    logging.getLogger().addHandler(handler)
    yield text
    logging.getLogger().removeHandler(handler)


@pytest.fixture(scope="session")
def made_so_far(tmp_path_factory: pytest.TempPathFactory) -> MadeOnce:
    """Return what tests of this process began with."""
    return MadeOnce(tmp_path_factory.mktemp("made"))


@pytest.fixture
def begin_with(made_so_far: MadeOnce, data_dir: Path) -> Beginning:
    """Return a function that calls another, or puts back what that has made for an earlier test."""
    return partial(made_so_far.begin, data_dir)


@pytest.fixture(autouse=True)
def kept_replies(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep no model replies in tests without a database."""
    with_database = request.node.get_closest_marker("django_db") or "transactional_db" in request.fixturenames
    if not (with_database or "db" in request.fixturenames):
        monkeypatch.setattr(runtime, "_replies", None)


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the finished data folder of tests/finished.py, for reading."""
    own = tmp_path_factory.getbasetemp()
    return finished_folder(own.parent if "PYTEST_XDIST_WORKER" in os.environ else own)


@pytest.fixture
def manage(data_dir: Path, transactional_db: None) -> CommandRunner:
    """Return a function that runs a command line, in this process, and returns its exit status and what it wrote."""
    return call_command_line
