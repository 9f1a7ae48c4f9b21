"""Shared by all tests: no network, a fresh data folder where asked for, commands."""

from __future__ import annotations

import ipaddress
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from tests.commands import call_command_line
from tests.fake_openai.fixture import fake_openai, fake_openai_server  # noqa: F401 - fixtures

# A loaded machine is slow, not wrong: no example fails for the time it takes.
hypothesis_settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
hypothesis_settings.load_profile("untimed")

CommandRunner = Callable[..., subprocess.CompletedProcess[str]]


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


def _is_local(host: str) -> bool:
    if host in ("localhost", ""):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, settings: Any) -> Path:
    """Return the data folder of this test, empty at its start; the code under test uses it too."""
    folder = tmp_path / "data"
    folder.mkdir()
    settings.DATA_DIR = folder
    settings.MEDIA_ROOT = folder / "files"
    return folder


@pytest.fixture
def manage(data_dir: Path, transactional_db: None) -> CommandRunner:
    """Return a function that runs a command line, in this process, and returns its exit status and what it wrote."""
    return call_command_line
