"""How the fake server treats one request: well, slowly, or wrongly in one of the ways of real servers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Behaviour:
    """What happens to one request. The default answers well.

    `cut_after`: pieces of a stream (0 = none) before the connection drops. `reply`: this text instead of a reading.
    `together`: nothing is answered until so many requests have been in flight at once.
    """

    delay_s: float = 0.0
    status: int = 200
    error: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    content_type: str = "application/json"
    cut_after: int | None = None
    hangs: bool = False
    hangs_after: int | None = None
    together: int = 0
    reply: str | None = None
    finish: str = "stop"

    @classmethod
    def says(cls, text: str, finish: str = "stop") -> Behaviour:
        return cls(reply=text, finish=finish)

    @classmethod
    def slow(cls, delay_s: float) -> Behaviour:
        return cls(delay_s=delay_s)

    @classmethod
    def hang(cls) -> Behaviour:
        return cls(hangs=True)

    @classmethod
    def rate_limited(cls, retry_after: str = "") -> Behaviour:
        headers = {"retry-after": retry_after} if retry_after else {}
        return cls(status=429, headers=headers, error={"message": "Rate limit reached", "code": "rate_limit_exceeded"})

    @classmethod
    def out_of_quota(cls) -> Behaviour:
        message = "You exceeded your current quota, please check your plan and billing details."
        return cls(status=429, error={"message": message, "code": "insufficient_quota"})

    @classmethod
    def server_error(cls, status: int = 500) -> Behaviour:
        return cls(status=status, error={"message": "The server had an error", "type": "server_error"})

    @classmethod
    def rejected_key(cls) -> Behaviour:
        return cls(
            status=401, error={"message": "Incorrect API key provided: sk-se****cret", "code": "invalid_api_key"}
        )

    @classmethod
    def forbidden(cls) -> Behaviour:
        return cls(status=403, error={"message": "Project does not have access to model", "code": "forbidden"})

    @classmethod
    def too_long(cls) -> Behaviour:
        message = "This model's maximum context length is 8192 tokens."
        return cls(status=400, error={"message": message, "code": "context_length_exceeded"})

    @classmethod
    def garbage(cls, body: bytes = b"<html>Welcome to nginx</html>", content_type: str = "text/html") -> Behaviour:
        return cls(body=body, content_type=content_type)

    @classmethod
    def cut(cls, after: int = 2) -> Behaviour:
        return cls(cut_after=after)


def rejects(parameter: str, message: str = "") -> Behaviour:
    """A model that does not take a parameter, in OpenAI's words."""
    text = message or f"Unsupported parameter: '{parameter}' is not supported with this model."
    return Behaviour(status=400, error={"message": text, "param": parameter, "code": "unsupported_parameter"})


def unknown_model(name: str) -> Behaviour:
    text = f"The model `{name}` does not exist or you do not have access to it."
    return Behaviour(status=404, error={"message": text, "code": "model_not_found", "type": "invalid_request_error"})
