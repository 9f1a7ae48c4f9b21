"""What made a run: versions of code, packages and weights, kept with it."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version

_PACKAGES = ("django", "langchain-core", "langchain-openai", "faiss-cpu", "sentence-transformers", "torch", "numpy")


@cache
def versions() -> dict[str, str]:
    """Return package versions by name, and Python's."""
    found = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
