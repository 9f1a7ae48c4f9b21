"""Pytest fixture: the fake server, forgetful between tests, and the environment that points at it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fake_openai.server import FakeOpenAI


@pytest.fixture(scope="session")
def fake_openai_server() -> Iterator[FakeOpenAI]:
    with FakeOpenAI() as server:
        yield server


@pytest.fixture
def fake_openai(fake_openai_server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> FakeOpenAI:
    """The server that OPENAI_BASE_URL points at, with an empty memory and script."""
    fake_openai_server.start_over()
    monkeypatch.setenv("OPENAI_BASE_URL", fake_openai_server.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", fake_openai_server.own_key)
    return fake_openai_server
