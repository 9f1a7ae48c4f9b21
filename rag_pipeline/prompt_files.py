"""Prompts as plain text files in the folder `prompts` of a package, and what is filled into their `{names}`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

_PLACEHOLDER = re.compile(r"\{(\w+)\}")


@cache
def read_prompt(package: str, name: str) -> str:
    """Return the text of `prompts/<name>.txt` in a package."""
    return files(package).joinpath("prompts", f"{name}.txt").read_text(encoding="utf-8").strip()


@cache
def read_prompts(package: str) -> dict[str, str]:
    """Return the text of every prompt of a package, by name, sorted."""
    found = files(package).joinpath("prompts").iterdir()
    names = sorted(file.name.removesuffix(".txt") for file in found if file.name.endswith(".txt"))
    return {name: read_prompt(package, name) for name in names}


def fill_prompt(template: str, values: Mapping[str, str]) -> str:
    """Return a prompt with the `{names}` of `values` replaced in one pass; all other braces stay, also in values."""
    return _PLACEHOLDER.sub(lambda match: values.get(match.group(1), match.group()), template)


def placeholders(template: str) -> set[str]:
    """Return the names in braces."""
    return set(_PLACEHOLDER.findall(template))
