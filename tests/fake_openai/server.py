"""The fake server: uvicorn in a thread on a free port, its script and its memory of what was asked."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any, Self

import uvicorn

from tests.fake_openai.app import make_app
from tests.fake_openai.behaviour import Behaviour
from tests.fake_openai.crowd import Crowd
from tests.fake_openai.writing import form_name


@dataclass(frozen=True)
class Recorded:
    """A request as it came in."""

    path: str
    body: dict[str, Any]
    headers: dict[str, str]
    at: float = field(default_factory=time.monotonic)


@dataclass
class Flight:
    """How many requests are being answered now, and how many were at most."""

    now: int = 0
    most: int = 0

    def __enter__(self) -> Self:
        self.now += 1
        self.most = max(self.most, self.now)
        return self

    def __exit__(self, *exc: object) -> None:
        self.now -= 1


class FakeOpenAI:
    """Start with `with FakeOpenAI() as server`; point OPENAI_BASE_URL at `server.base_url`.

    `script` holds the behaviours of the next requests, in order; when it is empty the rules of `when`, then `always`.
    `rejects` are parameters that the model does not take; `models` the only names it knows (empty: any);
    `key` the only key it takes (empty: any). `dimension` is the length of its embeddings, `longest_input`
    the characters that it embeds at once (0: any).
    """

    def __init__(self, port: int = 0, delay_s: float = 0.0) -> None:
        self._app_port = port
        self._server: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None
        self._delay_s = delay_s
        self.dimension = 64
        self.crowd = Crowd()
        self.generation = 0
        self.reset()

    def reset(self) -> None:
        """Forget requests and scripts."""
        self.script: deque[Behaviour] = deque()
        self.always = Behaviour(delay_s=self._delay_s)
        self.rules: list[tuple[str, Behaviour]] = []
        self.forms: dict[str, deque[str]] = {}
        self.rejects: set[str] = set()
        self.models: set[str] = set()
        self.key = ""
        self.longest_input = 0
        self.requests: list[Recorded] = []
        self.flight = Flight()  # a new one: what of the old is still in flight does not count here any more
        self.connections: set[tuple[str, int]] = set()

    def start_over(self) -> None:
        """Forget all, and do not count requests with an earlier key either: a test before this one sent them late."""
        self.reset()
        self.generation += 1

    def next(self, *behaviours: Behaviour) -> None:
        """Treat the next requests like this, one after the other."""
        self.script.extend(behaviours)

    def when(self, words: str, behaviour: Behaviour) -> None:
        """Treat every chat request whose prompt holds these words like this; the rule that was made last counts."""
        self.rules.insert(0, (words, behaviour))

    def fills(self, form: str, *replies: str | dict[str, Any]) -> None:
        """Answer the next requests for a form with these, in order."""
        texts = [reply if isinstance(reply, str) else json.dumps(reply) for reply in replies]
        self.forms.setdefault(form, deque()).extend(texts)

    def asked_for(self, form: str) -> list[str]:
        """Return the prompts that asked for a form, in order."""
        prompts = [(body, str(body["messages"][0]["content"])) for body in self.bodies()]
        return [prompt for body, prompt in prompts if form_name(body, prompt) == form]

    def bodies(self, path: str = "/v1/chat/completions") -> list[dict[str, Any]]:
        """Return what was asked of one endpoint, in order."""
        return [request.body for request in self.requests if request.path == path]

    @property
    def in_flight(self) -> int:
        """How many requests are being answered now."""
        return self.flight.now

    @property
    def most_in_flight(self) -> int:
        """How many were at most since the last reset."""
        return self.flight.most

    @property
    def own_key(self) -> str:
        """The key of this generation."""
        return f"sk-generation-{self.generation}"

    @property
    def port(self) -> int:
        assert self._server is not None
        return int(self._server.servers[0].sockets[0].getsockname()[1])

    @property
    def base_url(self) -> str:
        """What OPENAI_BASE_URL is set to."""
        return f"http://127.0.0.1:{self.port}/v1"

    def start(self) -> Self:
        """Serve in a thread; return when the port is open."""
        config = uvicorn.Config(
            make_app(self),
            host="127.0.0.1",
            port=self._app_port,
            log_level="critical",
            lifespan="off",
            ws="none",
            timeout_keep_alive=600,  # a client that was held up finds its connection as it left it
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        deadline = time.monotonic() + 120
        while not self._server.started:
            if time.monotonic() > deadline or not self._thread.is_alive():
                raise RuntimeError("the fake server did not start")
            time.sleep(0.01)
        return self

    def stop(self) -> None:
        """End at once, also requests that hang."""
        assert self._server is not None
        assert self._thread is not None
        self._server.should_exit = True
        self._server.force_exit = True
        self._thread.join(timeout=60)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *exc: object) -> None:
        self.stop()
