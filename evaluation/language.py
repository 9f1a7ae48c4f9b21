"""The language of a text, where it can be told."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

_LEAST = 0.5
"""Probability from which a language counts as told: at least as likely as all others together.

Measured on 50 short sentences of 13 languages: every wrong guess lay below 0.4.
"""


def language_of(text: str) -> str:
    """Return the ISO 639 code of a text's language, empty where it cannot be told."""
    code, probability = _identifier().classify(text)
    return str(code) if probability >= _LEAST else ""


@cache
def known_languages() -> tuple[str, ...]:
    """Return the codes of all languages that can be told, sorted."""
    return tuple(sorted(_identifier().labels))


@cache
def _identifier() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # 0.8 s

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
