"""What went wrong at a model provider, from any client library's exception to plain words and the mend."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email.utils import mktime_tz, parsedate_tz
from types import TracebackType
from typing import Any

from rag_pipeline.errors import PipelineError, ProviderError
from rag_pipeline.llm.target import OPENAI, Target
from rag_pipeline.llm.wording import storable

_QUOTA_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
_MODEL_CODES = frozenset({"model_not_found", "invalid_model"})
_PARAMETERS = ("max_completion_tokens", "max_tokens", "temperature", "stream_options", "response_format")
_NO_CREDIT = re.compile(
    r"exceeded your current quota|credit balance is too low|insufficient (balance|funds|credit)", re.I
)
_REJECTED = re.compile(
    r"unsupported|not support|unrecogni[sz]ed|unknown|not permitted|extra inputs|does not accept|not allowed|invalid|"
    r"unexpected|deprecated|only the default|unavailable|must be",
    re.IGNORECASE,
)
_TOO_LONG = re.compile(
    r"context.{0,10}(length|window|size)|too many tokens|too long|less than \d+ tokens|too large to process",
    re.IGNORECASE,
)
_KEY_LIKE = re.compile(r"\b(sk|pk|gsk|key)-[\w*.-]{6,}|(?<=[Bb]earer )\S+")
# What client libraries raise when the answer has not the form that they expect.
_GARBAGE = (ValueError, TypeError, KeyError, IndexError, AttributeError)


class ModelCallError(ProviderError):
    """A provider's failure with what the caller needs to go on.

    `retryable`: the same request may succeed a moment later. `parameter`: the setting that the model rejected.
    `too_long`: the text does not fit into the model. `refused`: the request itself was rejected, for whatever reason.
    `busy`: the server has more to do than it can: it limits requests, is overloaded, or was silent for too long.
    """

    def __init__(
        self,
        message: str,
        *,
        permanent: bool = False,
        retryable: bool = False,
        retry_after: float | None = None,
        parameter: str = "",
        too_long: bool = False,
        refused: bool = False,
        busy: bool = False,
    ) -> None:
        super().__init__(message, permanent=permanent, retry_after=retry_after)
        self.retryable = retryable
        self.parameter = parameter
        self.too_long = too_long
        self.refused = refused
        self.busy = busy


@dataclass(frozen=True, slots=True)
class ExplainedErrors:
    """Turn whatever the libraries behind `target` raise into a ModelCallError.

    Any library may stand behind LangChain's `init_chat_model`, so that their exceptions cannot be listed. Only the
    library's call belongs inside the block.
    """

    target: Target
    timeout_s: float

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        ends_iteration = isinstance(error, (StopIteration, StopAsyncIteration))
        if isinstance(error, Exception) and not isinstance(error, PipelineError) and not ends_iteration:
            raise explain(error, self.target, self.timeout_s) from error


def explain(error: Exception, target: Target, timeout_s: float) -> ModelCallError:
    """Return what `error` means for the user and for the retry."""
    status = _status(error)
    return _from_transport(error, target, timeout_s) if status is None else _from_status(status, error, target)


def _from_transport(error: Exception, target: Target, timeout_s: float) -> ModelCallError:
    """Explain an error without a status: nothing came, or not in one piece, or not in the right form."""
    names = _class_names(error)
    for parts, explained in _BY_CLASS_NAME:
        if any(part in name for part in parts for name in names):
            return explained(target, timeout_s)
    if isinstance(error, OSError):
        return _unreachable(target)
    return _from_content(error, target)


def _from_content(error: Exception, target: Target) -> ModelCallError:
    """Explain what did come: an error within another one or within a good answer, or something unreadable."""
    inner = next((status for each in _chain(error) if (status := _status(each)) is not None), None)
    if inner is not None:  # a library has wrapped the error that carries the status
        return _from_status(inner, error, target)
    body = error.args[0] if error.args else None
    if isinstance(body, dict):  # an error in the body of a good answer: LangChain hands it on as it is
        return _from_status(_status_in(body), _InGoodAnswer(body), target)
    if _code(error):  # an error event in the middle of a stream has a code but no status
        status = 429 if "rate" in _code(error) else _status_in({"code": _code(error)})
        return _from_status(status, error, target)
    if isinstance(error, _GARBAGE):
        return garbage(target)
    return ModelCallError(f"{target.place} failed: {_message(error)}")


class _InGoodAnswer(Exception):  # noqa: N818
    """An error that a server reported with status 200, with its words where those of a client's error are."""

    def __init__(self, body: dict[str, Any]) -> None:
        super().__init__(body)
        self.body = body
        self.code = body.get("code")


def _status_in(body: dict[str, Any]) -> int:
    """Return the status that an error names as its code; that of a problem of the server where it names none."""
    code = str(body.get("code"))
    return int(code) if re.fullmatch(r"[45]\d\d", code) else 500


def timed_out(target: Target, timeout_s: float) -> ModelCallError:
    """Return the failure of a provider that was silent for too long."""
    return ModelCallError(
        f"{target.place} sent nothing for {timeout_s:g} seconds. Try again, or raise WORKBENCH_REQUEST_TIMEOUT_S.",
        retryable=True,
        busy=True,
    )


def broken_off(target: Target) -> ModelCallError:
    """Return the failure of an answer that ended in the middle."""
    return ModelCallError(f"{target.place} broke off in the middle of an answer. Try again.", retryable=True)


def garbage(target: Target) -> ModelCallError:
    """Return the failure of an answer that is not in the provider's format."""
    hint = (
        "Check OPENAI_BASE_URL (it usually ends in /v1) and that the server speaks OpenAI's protocol."
        if target.provider == OPENAI
        else "Try again, or update the provider's package."
    )
    return ModelCallError(f"{target.place} sent an answer that cannot be read. {hint}", retryable=True)


def _from_status(status: int, error: Exception, target: Target) -> ModelCallError:
    code, message = _code(error), _message(error)
    if _is_out_of_credit(status, code, message):
        return ModelCallError(
            f"The account at {_lower(target.place)} has no credit left. Top it up, or choose another model.",
            permanent=True,
        )
    if _is_too_long(status, error, message):
        return ModelCallError(
            f"The text is longer than {target.name} can read. Choose a smaller top k or chunk size. "
            f"{target.place} said: {message}",
            too_long=True,
        )
    if status in {408, 409, 425, 429} or status >= 500:
        return _temporary(status, error, target)
    if status == 401:
        return ModelCallError(
            f"{target.place} rejected the key. Set {target.key_name} and restart the workbench.", permanent=True
        )
    if status == 403:
        return ModelCallError(
            f"{target.place} does not allow this key to use {target.name}. Choose another model or another key. "
            f"It said: {message}",
            permanent=True,
        )
    if status == 404 or code in _MODEL_CODES:
        return _not_found(error, target)
    return _bad_request(status, error, target)


def _is_out_of_credit(status: int, code: str, message: str) -> bool:
    said = status in {400, 403, 429} and _NO_CREDIT.search(message) is not None
    return status == 402 or code in _QUOTA_CODES or said


def _is_too_long(status: int, error: Exception, message: str) -> bool:
    """A text that does not fit; llama.cpp's server answers that with 500, text-embeddings-inference with 413."""
    said = _code(error) == "context_length_exceeded" or bool(_TOO_LONG.search(message))
    return status == 413 or (said and status in {400, 422, 500})


def _temporary(status: int, error: Exception, target: Target) -> ModelCallError:
    wait = _retry_after(error)
    if status == 429:
        message = (
            f"{target.place} limits how many requests it takes. Wait {_in_words(wait)} and try again, "
            "or lower WORKBENCH_CONCURRENCY."
        )
    else:
        said = _said(error)
        message = f"{target.place} has a problem of its own (status {status}). Try again later."
        message += f" It said: {said}" if said else ""
    return ModelCallError(message, retryable=True, retry_after=wait, busy=status in {429, 503})


def _in_words(wait_s: float | None) -> str:
    if wait_s is None or wait_s < 60:
        return "a moment"
    minutes = math.ceil(wait_s / 60)
    return f"{minutes} minutes" if minutes < 120 else f"{math.ceil(minutes / 60)} hours"


def _not_found(error: Exception, target: Target) -> ModelCallError:
    if _code(error) in _MODEL_CODES or "model" in _message(error).lower() or not target.is_compatible_server:
        mend = "Check its name, and that it is installed there." if target.is_compatible_server else "Check its name."
        return ModelCallError(f"{target.place} has no model called “{target.name}”. {mend}", permanent=True)
    return ModelCallError(
        f"There is nothing at the address {target.base_url}. Check OPENAI_BASE_URL: it usually ends in /v1.",
        permanent=True,
    )


def _bad_request(status: int, error: Exception, target: Target) -> ModelCallError:
    message = _message(error)
    return ModelCallError(
        f"{target.place} refused the request (status {status}): {message}",
        parameter=_parameter(error, message),
        refused=True,
    )


def _unreachable(target: Target) -> ModelCallError:
    if target.is_compatible_server:
        mend = "Start the server, or correct OPENAI_BASE_URL and restart the workbench."
        return ModelCallError(f"Nothing answers at {target.base_url}. {mend}", retryable=True)
    mend = "Check that its server is running and that this machine reaches it."
    return ModelCallError(f"{target.place} cannot be reached. {mend}", retryable=True)


def _parameter(error: Exception, message: str) -> str:
    """Return the setting that a 400 rejects, the first if it names several; empty when something else is wrong."""
    given = getattr(error, "param", None)
    if given in _PARAMETERS:
        return str(given)
    named = [name for name in _PARAMETERS if name in message] if _REJECTED.search(message) else []
    return min(named, key=message.index, default="")


def _status(error: BaseException) -> int | None:
    """Return the status in the forms of the OpenAI and Anthropic, AWS, and Google libraries."""
    response = getattr(error, "response", None)
    candidates = [getattr(error, "status_code", None), getattr(response, "status_code", None)]
    if isinstance(response, dict):
        candidates.append(response.get("ResponseMetadata", {}).get("HTTPStatusCode"))
    candidates.append(getattr(error, "code", None))
    return next((value for value in candidates if isinstance(value, int) and 400 <= value < 600), None)


def _code(error: Exception) -> str:
    code = getattr(error, "code", None) or getattr(error, "type", None)
    return code if isinstance(code, str) else ""


def _retry_after(error: Exception) -> float | None:
    """Return the seconds that a Retry-After header asks for, which may name a moment; None when absent."""
    headers: Any = getattr(getattr(error, "response", None), "headers", None) or {}
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        text = str(headers.get(name, "")).strip()
        if re.fullmatch(r"\d+(\.\d+)?", text):
            return float(text) * scale
        moment = parsedate_tz(text)
        if moment is not None:
            return max(0.0, mktime_tz(moment) - time.time())
    return None


def _message(error: Exception) -> str:
    """Return the provider's own words on one line, else the library's, without anything that looks like a key."""
    return _said(error) or _on_one_line(str(error))


def _said(error: Exception) -> str:
    """Return the provider's own words, empty where its answer had none; a page of HTML says nothing."""
    body = getattr(error, "body", None)
    nested = body.get("error", body) if isinstance(body, dict) else body
    text = (nested.get("message") or nested.get("detail")) if isinstance(nested, dict) else nested
    return _on_one_line(text) if isinstance(text, str) and not text.lstrip().startswith("<") else ""


def _on_one_line(text: str) -> str:
    line = _KEY_LIKE.sub("…", " ".join(storable(text).split()))
    return line if len(line) <= 300 else line[:300].rstrip() + "…"


def _class_names(error: BaseException) -> set[str]:
    """Return the class names of the error and of what caused it: libraries wrap each other's exceptions."""
    return {kind.__name__ for each in _chain(error) for kind in type(each).__mro__}


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield the error and what caused it, down to the sixth."""
    for _ in range(6):
        if error is None:
            return
        yield error
        error = error.__cause__ or error.__context__


def _lower(place: str) -> str:
    return place if place == "OpenAI" else place[0].lower() + place[1:]


_BY_CLASS_NAME: tuple[tuple[tuple[str, ...], Callable[[Target, float], ModelCallError]], ...] = (
    (
        ("ConnectionRefused", "ClientConnector", "ConnectError", "ConnectTimeout", "gaierror"),
        lambda target, timeout_s: _unreachable(target),
    ),
    (("Timeout", "DeadlineExceeded"), timed_out),
    (
        ("RemoteProtocolError", "ReadError", "IncompleteRead", "ClientPayloadError", "ServerDisconnectedError"),
        lambda target, timeout_s: broken_off(target),
    ),
    (("ConnectionError", "ServiceUnavailable"), lambda target, timeout_s: _unreachable(target)),
)
"""Parts of class names that tell what happened, in order: a refused connection is a timeout to some libraries."""
