"""A small real HTTP server that speaks LanguageTool's /v2/check, for tests.

Fields as the server writes them: matches with offset and length in UTF-16 units, rule.id, rule.issueType; sentences as
sentenceRanges. It knows three mistakes and cuts sentences after a full stop, question or exclamation mark.
"""

from __future__ import annotations

import json
import re
import threading
from collections import deque
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs

_RULES = (
    ("IT_VBZ", "grammar", r"\bit were\b", "Use “was” with “it”."),
    ("MORFOLOGIK_RULE_EN_US", "misspelling", r"\bgrammer\b", "Possible spelling mistake found."),
    ("EN_VERY", "style", r"\bvery\b", "Consider a stronger word."),
)
_SENTENCE = re.compile(r"[^.!?。]+[.!?。]*\s*")


@dataclass
class Behaviour:
    """How a request is answered: a status other than 200 with `body` as plain text, or a body of another kind.

    `silent`: not at all, as long as the server runs.
    """

    status: int = 200
    body: str = ""
    silent: bool = False
    headers: dict[str, str] = field(default_factory=dict)


class FakeLanguageTool:
    """Start with `with FakeLanguageTool() as server`. `script`: the behaviours of the next requests.

    `tells_sentences`: False for an old server without sentenceRanges. `longest`: characters that it takes.
    """

    def __init__(self) -> None:
        self.script: deque[Behaviour] = deque()
        self.requests: list[dict[str, str]] = []
        self.tells_sentences = True
        self.incomplete = False
        self.longest = 20_000
        self._over = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())

    @property
    def url(self) -> str:
        """Address up to the version."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"])).decode()
                fields = {name: values[0] for name, values in parse_qs(body, keep_blank_values=True).items()}
                fake.requests.append({"path": self.path, **fields})
                how = fake.script.popleft() if fake.script else Behaviour()
                if how.silent:
                    fake._over.wait()
                    return
                status, reply = fake._answer(self.path, fields, how)
                self.send_response(status)
                for name, value in how.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(reply)))
                self.end_headers()
                self.wfile.write(reply)

            def log_message(self, *_: Any) -> None:
                return None

        return Handler

    def _answer(self, path: str, fields: dict[str, str], how: Behaviour) -> tuple[int, bytes]:
        if how.status != 200 or how.body:
            return how.status, how.body.encode()
        if path != "/v2/check":
            return 404, b"Error: Unknown path"
        if "text" not in fields or "language" not in fields:
            return 400, b"Error: Missing 'text' or 'language' parameter"
        if len(fields["text"]) > self.longest:
            return 413, f"Error: Your text exceeds the limit of {self.longest} characters".encode()
        return 200, json.dumps(self._check(fields["text"], fields)).encode()

    def _check(self, text: str, fields: dict[str, str]) -> dict[str, Any]:
        disabled = set(fields.get("disabledRules", "").split(","))
        matches = [
            {
                "message": message,
                "offset": units(text[: found.start()]),
                "length": units(found.group()),
                "sentence": next(each.group() for each in _SENTENCE.finditer(text) if found.start() < each.end()),
                "rule": {"id": rule, "issueType": kind, "category": {"id": "GRAMMAR", "name": "Grammar"}},
            }
            for rule, kind, pattern, message in _RULES
            if rule not in disabled
            for found in re.finditer(pattern, text, re.I)
        ]
        reply: dict[str, Any] = {
            "software": {"name": "LanguageTool", "apiVersion": 1},
            "warnings": {"incompleteResults": self.incomplete},
            "language": {"code": fields["language"]},
            "matches": matches,
        }
        if self.tells_sentences:
            reply["sentenceRanges"] = [
                [units(text[: each.start()]), units(text[: each.end()])] for each in _SENTENCE.finditer(text)
            ]
        return reply


def units(text: str) -> int:
    """Return the length of a text as Java counts it."""
    return len(text.encode("utf-16-le")) // 2
