"""A model that the hub does not give is told after one question to the hub, with the reason."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from rag_pipeline.embedders.local import LocalEmbedder
from rag_pipeline.errors import ConfigError
from rag_pipeline.local_models import hub as model_hub
from rag_pipeline.rerankers.cross_encoder import CrossEncoderReranker
from tests.tiny_bert import HIDDEN, make_tiny_bert

ANSWERS = {
    "someone/gated": (403, {"X-Error-Code": "GatedRepo"}),
    "someone/absent": (404, {"X-Error-Code": "RepoNotFound"}),
    "someone/broken": (503, {}),
}


class Hub(ThreadingHTTPServer):
    """A hub that has every model but those of ANSWERS, and remembers what it was asked of someone's models."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[str] = []
        self.url = f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        if "someone/" in self.path:  # the library also asks for lists of its own, once in a process
            self.server.asked.append(self.path)
        status, headers = ANSWERS.get(self.path.removeprefix("/api/models/"), (200, {}))
        body = b'{"id": "someone/model", "siblings": []}'
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_HEAD(self):
        self.do_GET()

    def log_message(self, *arguments):
        pass


@pytest.fixture
def hub(tmp_path, monkeypatch) -> Iterator[Hub]:
    """A hub on this machine, reached by real HTTP, and an empty cache."""
    from huggingface_hub import constants

    with Hub() as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        monkeypatch.setattr(model_hub, "_TIMEOUT_S", 120.0)
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
        monkeypatch.setattr(constants, "ENDPOINT", server.url)
        yield server
        server.shutdown()


@pytest.fixture
def closed_hub(hub, monkeypatch):
    """An address at which nothing listens."""
    from huggingface_hub import constants

    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # taken, so that nobody else comes to listen there
        monkeypatch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:{closed.getsockname()[1]}")
        yield


@pytest.mark.parametrize(
    "name, reason",
    [
        ("someone/model", ""),
        ("someone/absent", "is not known to the hub: choose another"),
        ("someone/gated", "is given by the hub only to those who asked for it (HF_TOKEN): choose another"),
        ("someone/broken", model_hub.UNREACHABLE),
        ("no such name!", "is no name of a model, such as google/flan-t5-small: choose another"),
    ],
)
def test_the_hub_is_asked_once_and_its_answer_told(hub, name, reason):
    assert model_hub.why_not_given(name) == reason
    assert len(hub.asked) == (" " not in name)


def test_a_hub_that_is_not_there_or_not_to_be_asked_is_told(closed_hub, monkeypatch):
    assert model_hub.why_not_given("someone/model") == model_hub.UNREACHABLE
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    assert model_hub.why_not_given("someone/model") == model_hub.OFFLINE


def embed(name):
    LocalEmbedder(name).embed_queries(["Who?"])


@pytest.mark.parametrize(
    "use, field, folder",
    [
        (embed, "embedding", r"give the folder of a sentence-transformers model \(local:PATH\) or the shipped"),
        (CrossEncoderReranker.load, "reranker", "give the folder of a sentence-transformers CrossEncoder"),
    ],
    ids=["embedding", "reranker"],
)
def test_embedding_and_reranker_say_it_after_one_question(hub, use, field, folder):
    mended = rf"“someone/broken” is not on this machine and the hub cannot be reached: connect it, or {folder}"
    with pytest.raises(ConfigError, match=mended) as caught:
        use("someone/broken")
    assert caught.value.field == field
    assert hub.asked == ["/api/models/someone/broken"]


def cached_folder(cache, name):
    """Return the folder of a model that the hub's cache is to hold."""
    kept = cache / f"models--{name.replace('/', '--')}"
    (kept / "refs").mkdir(parents=True)
    (kept / "refs" / "main").write_text("abc")
    return kept / "snapshots" / "abc"


@pytest.mark.parametrize("whole, given", [(True, True), (False, True), (False, False)])
def test_a_fetched_model_asks_the_hub_only_for_what_is_missing(hub, tmp_path, whole, given):
    name = "someone/model" if given else "someone/broken"
    folder = cached_folder(tmp_path, name)
    folder.mkdir(parents=True)
    for file in ("config.json", "model.safetensors"):
        (folder / file).write_text("{}")

    def read(place, local):
        if local and not whole:
            raise OSError("there is no tokenizer")
        return place, local

    if whole or given:
        assert model_hub.load(name, read, ConfigError) == (name, whole)
    else:
        with pytest.raises(OSError, match="no tokenizer"):
            model_hub.load(name, read, ConfigError)
    assert len(hub.asked) == (not whole)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_a_fetched_embedding_model_loads_without_the_hub(hub, tmp_path):
    make_tiny_bert(cached_folder(tmp_path, "someone/model"), ["Who found it?"])
    assert LocalEmbedder("someone/model").embed_queries(["Who?"]).shape == (1, HIDDEN)
    assert hub.asked == []
