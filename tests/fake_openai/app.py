"""The ASGI application of the fake server: chat completions (whole and streamed), embeddings, models."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from tests.fake_openai.behaviour import Behaviour, rejects, unknown_model
from tests.fake_openai.replies import embeddings, reply_to

if TYPE_CHECKING:
    from tests.fake_openai.server import FakeOpenAI

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]
_CHAT, _EMBEDDINGS, _MODELS = "/v1/chat/completions", "/v1/embeddings", "/v1/models"


class Cut(Exception):  # noqa: N818
    """Ends the response in the middle: uvicorn drops the connection."""


def make_app(server: FakeOpenAI) -> Callable[[dict[str, Any], Receive, Send], Awaitable[None]]:
    """Return the application that follows the script of `server`."""

    async def app(scope: dict[str, Any], receive: Receive, send: Send) -> None:
        body = json.loads(await _read(receive) or b"{}")
        headers = {name.decode().lower(): value.decode() for name, value in scope["headers"]}
        sent_key = headers.get("authorization", "").removeprefix("Bearer ")
        if sent_key.startswith("sk-generation-") and sent_key != server.own_key:
            return  # left over from an earlier test
        _remember(server, scope, body, headers)
        with server.flight:
            behaviour = server.crowd.behaviour(_behaviour(server, scope["path"], body, headers))
            async with server.crowd.place():
                await _respond(server, behaviour, scope["path"], body, receive, send)

    return app


def _remember(server: FakeOpenAI, scope: dict[str, Any], body: dict[str, Any], headers: dict[str, str]) -> None:
    from tests.fake_openai.server import Recorded

    server.requests.append(Recorded(scope["path"], body, headers))
    server.connections.add(tuple(scope["client"]))


def _behaviour(server: FakeOpenAI, path: str, body: dict[str, Any], headers: dict[str, str]) -> Behaviour:
    if server.key and headers.get("authorization") != f"Bearer {server.key}":
        return Behaviour.rejected_key()
    if server.models and path != _MODELS and body.get("model") not in server.models:
        return unknown_model(str(body.get("model")))
    longest = max((len(text) for text in _inputs(body)), default=0)
    if server.longest_input and longest > server.longest_input:
        return Behaviour.too_long()
    for parameter in server.rejects:
        if parameter in body:
            return rejects(parameter)
    if server.script:
        return server.script.popleft()
    prompt = "\n".join(str(message["content"]) for message in body.get("messages", []))
    return next((behaviour for words, behaviour in server.rules if words in prompt), server.always)


def _inputs(body: dict[str, Any]) -> list[str]:
    given = body.get("input", [])
    return given if isinstance(given, list) else [given]


async def _respond(
    server: FakeOpenAI, how: Behaviour, path: str, body: dict[str, Any], receive: Receive, send: Send
) -> None:
    if how.hangs:
        await _until_disconnect(receive)
        return
    await asyncio.sleep(how.delay_s)
    while server.most_in_flight < how.together:
        await asyncio.sleep(0.005)
    if how.body is not None:
        await _send(send, how.status, how.body, {"content-type": how.content_type} | how.headers)
    elif how.status != 200:
        await _send_json(send, how.status, {"error": how.error}, how.headers)
    elif path == _EMBEDDINGS:
        await _send_json(send, 200, embeddings(body, server.dimension))
    elif path == _MODELS:
        await _send_json(send, 200, {"object": "list", "data": [{"id": name} for name in sorted(server.models)]})
    elif _is_chat(path) and body.get("stream"):
        await _stream(server, how, body, receive, send)
    elif _is_chat(path):
        await _send_json(send, 200, _completion(server, how, body))
    else:
        await _send_json(send, 404, {"detail": "Not Found"})


def _is_chat(path: str) -> bool:
    """Azure has the same endpoint at another path."""
    return path == _CHAT or (path.startswith("/openai/deployments/") and path.endswith("/chat/completions"))


def _completion(server: FakeOpenAI, how: Behaviour, body: dict[str, Any]) -> dict[str, Any]:
    text = how.reply if how.reply is not None else reply_to(body, server.forms)
    message = {"role": "assistant", "content": text}
    return {
        "id": "chatcmpl-fake",
        "object": "chat.completion",
        "created": 1,
        "model": body.get("model", ""),
        "choices": [{"index": 0, "message": message, "finish_reason": how.finish}],
        "usage": _usage(body, text),
    }


async def _stream(server: FakeOpenAI, how: Behaviour, body: dict[str, Any], receive: Receive, send: Send) -> None:
    text = how.reply if how.reply is not None else reply_to(body, server.forms)
    await send(_start(200, {"content-type": "text/event-stream"}))
    pieces = re.findall(r"\S+\s*", text)
    for position, piece in enumerate(pieces):
        if how.cut_after == position:
            raise Cut
        if how.hangs_after == position:
            await _until_disconnect(receive)
            return
        await _event(send, body, {"delta": {"role": "assistant", "content": piece}, "finish_reason": None})
    await _event(send, body, {"delta": {}, "finish_reason": how.finish})
    if body.get("stream_options", {}).get("include_usage"):
        await _event(send, body, None, _usage(body, text))
    await send({"type": "http.response.body", "body": b"data: [DONE]\n\n"})


async def _event(send: Send, body: dict[str, Any], choice: dict[str, Any] | None, usage: Any = None) -> None:
    chunk = {
        "id": "chatcmpl-fake",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": body.get("model", ""),
        "choices": [{"index": 0} | choice] if choice else [],
    }
    if usage:
        chunk["usage"] = usage
    data = f"data: {json.dumps(chunk)}\n\n".encode()
    await send({"type": "http.response.body", "body": data, "more_body": True})


def _usage(body: dict[str, Any], text: str) -> dict[str, int]:
    """One token a word: easy to work out by hand."""
    prompt = sum(len(str(message["content"]).split()) for message in body["messages"])
    completion = len(text.split())
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


async def _read(receive: Receive) -> bytes:
    parts = []
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(parts)


async def _until_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _start(status: int, headers: dict[str, str]) -> dict[str, Any]:
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    return {"type": "http.response.start", "status": status, "headers": raw}


async def _send(send: Send, status: int, body: bytes, headers: dict[str, str]) -> None:
    await send(_start(status, headers))
    await send({"type": "http.response.body", "body": body})


async def _send_json(send: Send, status: int, value: Any, headers: dict[str, str] | None = None) -> None:
    await _send(send, status, json.dumps(value).encode(), {"content-type": "application/json"} | (headers or {}))
