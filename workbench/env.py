"""Typed values from the environment; a wrong one stops the start."""

from __future__ import annotations

import os

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
    if not text.lstrip("-").isdigit() or int(text) < minimum:
        raise ImproperlyConfigured(f"{name}={text!r} must be a whole number of at least {minimum}.")
    return int(text)


def env_list(name: str, default: list[str]) -> list[str]:
    """Return a comma-separated list."""
    text = os.environ.get(name, "").strip()
    return [part.strip() for part in text.split(",") if part.strip()] if text else default
