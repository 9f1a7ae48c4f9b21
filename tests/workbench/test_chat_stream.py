"""The chat's stream, against a real server process: what comes comes at once, and who leaves ends the work."""

from __future__ import annotations

import json
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

import httpx
import pytest

from tests.commands import ROOT, command_environment
from tests.fake_openai import Behaviour, FakeOpenAI
from tests.serving import wait_for

SLOW = Behaviour(hangs_after=3, reply="Champollion did so in Paris in the year 1822.")


def ask(site: httpx.Client, question: str) -> AbstractContextManager[httpx.Response]:
    """Post a message to the stream."""
    token = re.search(r'csrfmiddlewaretoken" value="([^"]+)"', site.get("/chat/").text)
    assert token is not None
    form = {"csrfmiddlewaretoken": token[1], "message": question, "use_context": "on"}
    return site.stream("POST", "/chat/stream/", data=form)


def events(response: httpx.Response) -> Iterator[tuple[str, str]]:
    """Yield (name, text) of each event as it arrives."""
    name = ""
    for line in response.iter_lines():
        if line.startswith("event: "):
            name = line[7:]
        elif line.startswith("data: "):
            yield name, json.loads(line[6:])


@pytest.fixture(scope="module")
def data(tmp_path_factory, finished) -> Path:
    """A copy of the finished data folder, its run put away: with that the chat would be held."""
    folder = shutil.copytree(finished, tmp_path_factory.mktemp("chat"), dirs_exist_ok=True)
    with change(folder) as database:
        database.execute("UPDATE evaluation_run SET archived = 1")
    return folder


@pytest.fixture(scope="module")
def server() -> Iterator[FakeOpenAI]:
    """A model server of our own."""
    with FakeOpenAI() as fake:
        yield fake


@pytest.fixture(scope="module")
def site(data: Path, server: FakeOpenAI) -> Iterator[httpx.Client]:
    """A visitor of the website under uvicorn."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    environment = command_environment(data) | {"OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": "sk-test"}
    arguments = ["--fd", str(listener.fileno()), "--timeout-keep-alive", "600", "--log-level", "error"]
    process = subprocess.Popen(
        [sys.executable, "-m", "uvicorn", "workbench.asgi:application", *arguments],
        cwd=ROOT,
        env=environment,
        pass_fds=[listener.fileno()],
    )
    listener.close()  # it is the server's; who connects before the server is up waits
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=600) as visitor:
            yield visitor
    finally:
        process.terminate()
        process.wait(300)


def prefer(data: Path, **settings: str) -> None:
    """Save preferred pipeline settings from outside the server."""
    row = (json.dumps({"pipeline": settings}),)
    with change(data) as database:
        database.execute("DELETE FROM workbench_preferences")
        database.execute('INSERT INTO workbench_preferences (id, "values", saved) VALUES (1, ?, datetime())', row)


@contextmanager
def change(data: Path) -> Iterator[sqlite3.Connection]:
    """Open the database of a data folder."""
    with closing(sqlite3.connect(data / "workbench.sqlite3", timeout=300)) as database, database:
        yield database


def test_the_builtin_reader_streams_stages_the_answer_and_the_finished_message(site, data):
    prefer(data, llm="builtin:extractive")
    with ask(site, "On which river does Warsaw stand?") as response:
        assert response.headers["Content-Type"] == "text/event-stream"
        came = list(events(response))
    assert came[0] == ("stage", "Loading the model and the index")
    assert "Vistula" in "".join(text for name, text in came if name == "piece")
    name, message = came[-1]
    assert name == "done"
    assert "Vistula" in message
    assert "not a refusal" in message
    assert message in site.get("/chat/").text


def test_words_come_while_the_model_still_writes(site, data, server):
    prefer(data, llm="openai:gpt-4.1-mini")
    server.next(SLOW)
    with ask(site, "Who announced it?") as response:
        assert next(text for name, text in events(response) if name == "piece")


def test_who_leaves_ends_the_work_and_keeps_what_came(site, data, server):
    prefer(data, llm="openai:gpt-4.1-mini")
    server.next(SLOW)
    with ask(site, "Who read them first?") as response:
        first = next(text for name, text in events(response) if name == "piece")

    def said() -> str:
        return site.get("/chat/").text.partition("Who read them first?")[2]

    wait_for(lambda: "Stopped before the answer was finished." in said())
    assert first.strip() in said()


def test_an_error_of_the_provider_ends_the_stream_with_its_words(site, data, server):
    prefer(data, llm="openai:gpt-4.1-mini")
    server.next(Behaviour.rejected_key())
    with ask(site, "Who?") as response:
        name, message = list(events(response))[-1]
    assert name == "done"
    assert "rejected the key" in message


def test_a_bad_message_returns_the_form_with_words(site):
    with ask(site, " ") as response:
        assert response.status_code == 422
        assert "Type a question first." in response.read().decode()
