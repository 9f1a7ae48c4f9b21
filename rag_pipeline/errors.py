"""Expected failures, in the user's words.

PipelineError               shown to the user as it is: what happened, what to do
    ConfigError             a setting or a combination of settings is wrong (names the setting in `field`)
        UsageError          a value is wrong by itself, whatever there is: wrong usage of a command (exit status 2)
    DocumentError           a file cannot be read or used
    ProviderError           a model provider failed; `permanent` when a retry cannot help
    InUseError              something cannot be changed or deleted because something else needs it
"""

from __future__ import annotations


class PipelineError(Exception):
    """Base of all failures that are explained to the user."""


class ConfigError(PipelineError):
    """A setting is wrong. `field` is its name, so that a form can show the message beside it."""

    def __init__(self, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class UsageError(ConfigError):
    """A value is wrong by itself (an empty name, an unknown kind), whatever is stored, installed or running."""


class DocumentError(PipelineError):
    """A file cannot be read: empty, encrypted, scanned, corrupt, too large, unknown."""


class InUseError(PipelineError):
    """Something stored is needed by something else; the message names it."""


class ProviderError(PipelineError):
    """A model provider failed.

    `permanent`: the next question would fail in the same way (rejected key, unknown model).
    `retry_after`: seconds the provider asked to wait.
    """

    def __init__(self, message: str, *, permanent: bool = False, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.permanent = permanent
        self.retry_after = retry_after
