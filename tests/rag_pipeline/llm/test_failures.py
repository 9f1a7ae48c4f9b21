"""Exceptions of client libraries in plain words; the forms are those of Google's, AWS's and OpenAI's libraries."""

from __future__ import annotations

import time
from email.utils import formatdate
from types import SimpleNamespace
from typing import Any

import pytest

from rag_pipeline.llm.failures import ExplainedErrors, ModelCallError, explain
from rag_pipeline.llm.target import Target

GOOGLE = Target("google_genai", "gemini-2.5-flash")
LOCAL = Target("openai", "llama3.1", "http://localhost:11434/v1")


class GoogleClientError(Exception):
    """Carries the status as `code`."""

    code = 429


class AwsClientError(Exception):
    """Carries the status inside `response`."""

    response = {"ResponseMetadata": {"HTTPStatusCode": 403}}


class StatusError(Exception):
    """Carries status and body as the OpenAI and Anthropic libraries do."""

    def __init__(self, status: int, message: str, **fields: Any) -> None:
        super().__init__(message)
        self.status_code = status
        self.body = {"message": message} | fields
        self.code = fields.get("code")


def wrapped(cause: Exception) -> Exception:
    """An error as LangChain's packages raise it: without a status of its own."""
    error = RuntimeError("Error calling model")
    error.__cause__ = cause
    return error


def test_finds_the_status_below_a_wrapper() -> None:
    found = explain(wrapped(GoogleClientError()), GOOGLE, 60)
    assert found.retryable
    assert "limits how many requests" in str(found)


def test_reads_the_status_of_aws() -> None:
    assert explain(AwsClientError("AccessDenied"), GOOGLE, 60).permanent


@pytest.mark.parametrize(
    "error",
    [
        StatusError(400, "This model's maximum context length is 8192 tokens."),
        StatusError(413, "`inputs` must have less than 512 tokens. Given: 600"),
        StatusError(500, "input is too large to process. increase the physical batch size"),
        StatusError(400, "no", code="context_length_exceeded"),
    ],
)
def test_knows_a_text_that_is_too_long_in_the_words_of_several_servers(error: Exception) -> None:
    assert explain(error, LOCAL, 60).too_long


@pytest.mark.parametrize(
    ("message", "parameter"),
    [
        ("Unsupported value: 'temperature' does not support 0 with this model.", "temperature"),
        ("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", "max_tokens"),
        ("Unrecognized request argument supplied: stream_options", "stream_options"),
        ("'response_format.type' must be 'text'", "response_format"),
        ("temperature: Extra inputs are not permitted", "temperature"),
        ("The temperature of the sun is 5772 K", ""),
        ("messages: at least one message is required", ""),
    ],
)
def test_finds_the_parameter_that_is_rejected(message: str, parameter: str) -> None:
    assert explain(StatusError(400, message), LOCAL, 60).parameter == parameter


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "Your credit balance is too low to access the Anthropic API."),
        (402, "Insufficient Balance"),
        (429, "You exceeded your current quota, please check your plan and billing details."),
    ],
)
def test_an_empty_account_is_permanent(status: int, message: str) -> None:
    found = explain(StatusError(status, message), GOOGLE, 60)
    assert found.permanent
    assert "no credit left" in str(found)


def test_an_unknown_model_on_a_server_of_ones_own_may_have_to_be_installed() -> None:
    found = explain(StatusError(404, 'model "llama3.1" not found, try pulling it first'), LOCAL, 60)
    assert str(found).endswith("Check its name, and that it is installed there.")


def wait_for(header: str) -> float | None:
    error = StatusError(429, "slow down")
    error.response = SimpleNamespace(headers={"retry-after": header})  # type: ignore[attr-defined]
    return explain(error, LOCAL, 60).retry_after


def test_reads_how_long_to_wait_in_seconds_or_until_a_moment() -> None:
    assert wait_for("1.5") == 1.5
    assert wait_for("soon") is None
    assert 500 < (wait_for(formatdate(time.time() + 600)) or 0) <= 600
    assert wait_for(formatdate(time.time() - 600)) == 0


@pytest.mark.parametrize("error", [TimeoutError(), wrapped(TimeoutError())])
def test_silence_is_told_with_the_patience_that_it_took(error: Exception) -> None:
    found = explain(error, LOCAL, 0.4)
    assert "http://localhost:11434/v1 sent nothing for 0.4 seconds." in str(found)
    assert found.retryable


def test_a_message_never_repeats_a_key() -> None:
    said = str(explain(StatusError(400, "Bad header: Bearer abc123secret, key sk-proj-12345678"), LOCAL, 60))
    assert "abc123secret" not in said
    assert "sk-proj" not in said


def test_a_long_message_is_cut() -> None:
    assert len(str(explain(StatusError(400, "word " * 500), LOCAL, 60))) < 400


def test_only_expected_failures_pass_unchanged() -> None:
    with pytest.raises(ModelCallError, match="Nothing answers at"), ExplainedErrors(LOCAL, 60):
        raise ConnectionRefusedError
    with pytest.raises(KeyboardInterrupt), ExplainedErrors(LOCAL, 60):
        raise KeyboardInterrupt
