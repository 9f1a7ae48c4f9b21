"""A LanguageTool server: the sentences of a text and the mistakes it finds in them."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from rag_pipeline.english.sentences import split_sentences
from rag_pipeline.errors import ConfigError, ProviderError
from rag_pipeline.llm.failures import ModelCallError
from rag_pipeline.llm.loop_thread import run_blocking
from rag_pipeline.llm.retry import Retry
from rag_pipeline.runtime import configured_limits

if TYPE_CHECKING:
    from httpx import AsyncClient, Response

VARIABLE = "LANGUAGETOOL_URL"
NO_SERVER = (
    f"no LanguageTool server is set: start one and set {VARIABLE}, such as http://127.0.0.1:8081, then restart the "
    "workbench"
)
_LONGEST_PIECE = 8000
"""Characters sent at once: servers refuse texts above a limit (the public one 20,000), and answer long ones slowly."""
_AT_ONCE = 4
_MOST_SILENT = 3
"""Requests in a row without any reply after which the server counts as down; one alone may be a hard text."""
_STYLE = "style"


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake as the server describes it, and the sentence it stands in."""

    rule: str
    message: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Checked:
    """A text after the check: how many sentences it has, how many of them have a mistake, and the mistakes."""

    sentences: int
    faulty: int
    mistakes: tuple[Mistake, ...]


@dataclass(frozen=True, slots=True)
class Rules:
    """What is checked. `language`: a code such as `en-US`, or `auto`; `disabled`: ids of rules that are left out."""

    language: str
    disabled: tuple[str, ...] = ()


def server_url() -> str:
    """Return the server's address up to `/v2`, without a slash at its end; empty where none is set."""
    url = os.environ.get(VARIABLE, "").strip().rstrip("/")
    return url.removesuffix("/check").removesuffix("/v2")


def unready() -> str:
    """Return why no server can be asked, as far as the setting tells, or an empty string."""
    url = server_url()
    if not url:
        return NO_SERVER
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.netloc:
        return f"{VARIABLE}={url} is no web address: give one such as http://127.0.0.1:8081"
    return ""


class Checker:
    """Checks texts by one server for one scoring: once that proves to be down, nothing more is sent to it."""

    def __init__(self, rules: Rules) -> None:
        """Take the server that the environment names. Raises ConfigError where it names none."""
        if reason := unready():
            raise ConfigError(reason, VARIABLE)
        self._url = server_url()
        self._rules = rules
        self._limits = configured_limits()
        self._down: ProviderError | None = None
        self._silent = 0

    def check_many(self, texts: Sequence[str]) -> list[Checked | ProviderError]:
        """Return each text checked, or why that failed."""
        return run_blocking(self._check_many(texts)) if texts else []

    async def _check_many(self, texts: Sequence[str]) -> list[Checked | ProviderError]:
        import httpx

        turns = asyncio.Semaphore(_AT_ONCE)
        async with httpx.AsyncClient(timeout=self._limits.timeout_s) as client:

            async def check(text: str) -> Checked | ProviderError:
                async with turns:
                    try:
                        return await self._check(client, text)
                    except ProviderError as failure:
                        return failure

            return list(await asyncio.gather(*(check(text) for text in texts)))

    async def _check(self, client: AsyncClient, text: str) -> Checked:
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # half characters cannot be sent
        parts = [_read(piece, await self._ask(client, piece)) for piece in _pieces(whole)]
        return Checked(
            sum(part.sentences for part in parts),
            sum(part.faulty for part in parts),
            tuple(mistake for part in parts for mistake in part.mistakes),
        )

    async def _ask(self, client: AsyncClient, text: str) -> dict[str, Any]:
        retry = Retry(self._limits)
        while True:
            if self._down is not None:
                raise self._down
            try:
                return await self._ask_once(client, text)
            except ModelCallError as failure:
                try:
                    await retry.wait(failure)
                except ProviderError as final:
                    if failure.permanent or failure.retryable:
                        self._down = final
                    raise

    async def _ask_once(self, client: AsyncClient, text: str) -> dict[str, Any]:
        import httpx

        fields = {"text": text, "language": self._rules.language}
        if self._rules.disabled:
            fields["disabledRules"] = ",".join(self._rules.disabled)
        try:
            response = await client.post(f"{self._url}/v2/check", data=fields)
        except httpx.TimeoutException as error:
            self._silent += 1
            raise ModelCallError(
                f"the LanguageTool server at {self._url} sent nothing for {self._limits.timeout_s:g} seconds: try "
                "again, or raise WORKBENCH_REQUEST_TIMEOUT_S",
                permanent=self._silent >= _MOST_SILENT,
            ) from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ModelCallError(
                f"nothing answers at {self._url}: start the LanguageTool server, or correct {VARIABLE} and restart "
                "the workbench",
                retryable=True,
            ) from error
        self._silent = 0
        return self._reply(response)

    def _reply(self, response: Response) -> dict[str, Any]:
        if response.status_code != 200:
            raise self._refusal(response)
        try:
            reply = response.json()
        except json.JSONDecodeError:
            reply = None
        if not isinstance(reply, dict) or not isinstance(reply.get("matches"), list):
            raise ModelCallError(
                f"what answers at {self._url} is no LanguageTool server: correct {VARIABLE} and restart the workbench",
                permanent=True,
            )
        if (reply.get("warnings") or {}).get("incompleteResults"):
            raise ModelCallError("the LanguageTool server gave up before the end of the answer: try again later")
        return reply

    def _refusal(self, response: Response) -> ModelCallError:
        """Return what a status means; the server's own words are one line of text."""
        status, said = response.status_code, " ".join(response.text.split())[:200].removeprefix("Error: ")
        if status == 404:
            return ModelCallError(
                f"there is no LanguageTool server at {self._url}: correct {VARIABLE} and restart the workbench",
                permanent=True,
            )
        if status in {401, 403}:
            return ModelCallError(f"the LanguageTool server refuses this machine: {said}", permanent=True)
        if status == 429 or status == 503:
            asked = response.headers.get("retry-after", "")
            return ModelCallError(
                f"the LanguageTool server takes no more requests for the moment ({said}): try again later",
                retryable=True,
                retry_after=float(asked) if asked.isdigit() else None,
            )
        return ModelCallError(f"the LanguageTool server refused the answer (status {status}): {said}")


def _pieces(text: str) -> Iterator[str]:
    """Cut a text between sentences into pieces that a server takes; a longer sentence is cut where it must be."""
    start = end = 0
    for sentence in split_sentences(text, without_capitals=True):
        if sentence.end - start > _LONGEST_PIECE and end > start:
            yield text[start:end]
            start = end
        end = sentence.end
        while end - start > _LONGEST_PIECE:
            yield text[start : start + _LONGEST_PIECE]
            start += _LONGEST_PIECE
    if end > start:
        yield text[start:end]


def _read(text: str, reply: dict[str, Any]) -> Checked:
    """Count the sentences that a mistake touches. The server counts in UTF-16 units, as Java does."""
    sentences = _sentences(text, reply)
    faulty: set[int] = set()
    mistakes = []
    for match in reply["matches"]:
        rule = match.get("rule") or {}
        if rule.get("issueType") == _STYLE:
            continue
        start, length = int(match.get("offset", 0)), int(match.get("length", 0))
        faulty |= {place for place, (left, right) in enumerate(sentences) if left < start + length and start < right}
        mistakes.append(Mistake(str(rule.get("id", "")), str(match.get("message", "")), str(match.get("sentence", ""))))
    return Checked(len(sentences), len(faulty), tuple(mistakes))


def _sentences(text: str, reply: dict[str, Any]) -> list[tuple[int, int]]:
    """Return the server's own sentences, those of our splitter for an older one that does not tell them."""
    given = reply.get("sentenceRanges")
    units = text.encode("utf-16-le")
    if given:
        ranges = [(int(left), int(right)) for left, right in given]
    else:
        ranges = [
            (_utf16_length(text[: each.start]), _utf16_length(text[: each.end]))
            for each in split_sentences(text, without_capitals=True)
        ]
    return [
        (left, right)
        for left, right in ranges
        if any(letter.isalnum() for letter in units[2 * left : 2 * right].decode("utf-16-le", "ignore"))
    ]


def _utf16_length(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2
