"""Typed values from the environment; a wrong one stops the start."""

from __future__ import annotations

import os
from collections.abc import Collection

from django.core.exceptions import ImproperlyConfigured

_TRUE, _FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off", ""}


def env_bool(name: str, default: bool) -> bool:
    """Return a yes/no setting. Raises ImproperlyConfigured for anything else."""
    text = os.environ.get(name, str(default)).strip().lower()
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    raise ImproperlyConfigured(f"{name}={text!r} is neither yes nor no. Write true or false.")


def env_int(name: str, default: int, minimum: int = 0) -> int:
    """Return a whole number of at least `minimum`. Raises ImproperlyConfigured otherwise."""
    text = os.environ.get(name, "").strip() or str(default)
    try:
        number = int(text)
    except ValueError:
        number = minimum - 1
    if number < minimum:
        raise ImproperlyConfigured(f"{name}={text!r} must be a whole number of at least {minimum}.")
    return number


def env_choice(name: str, default: str, choices: Collection[str]) -> str:
    """Return one of some words in capitals, however it is written. Raises ImproperlyConfigured for any other."""
    text = os.environ.get(name, "").strip().upper() or default
    if text not in choices:
        raise ImproperlyConfigured(f"{name}={text!r} is not known. Write one of: {', '.join(choices)}.")
    return text


def env_list(name: str, default: list[str]) -> list[str]:
    """Return a comma-separated list."""
    text = os.environ.get(name, "").strip()
    return [part.strip() for part in text.split(",") if part.strip()] if text else default
