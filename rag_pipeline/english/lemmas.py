"""Lemmas and inflected forms of English words, by lemminflect's dictionary."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from functools import lru_cache
from typing import Any

from rag_pipeline.english.function_words import STOP

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


def lower_words(text: str) -> list[str]:
    """Return the words in lower case."""
    return [match.group().lower().replace("’", "'") for match in _WORD.finditer(text)]


@lru_cache(maxsize=1)
def _dictionary() -> Any:
    """Return lemminflect's inflections (its `int_lemma` are the lemmas) without running the package's `__init__`.

    That one imports spaCy, and with it torch (3 s of processor time), wherever spaCy is installed.
    """
    name = "lemminflect"
    spec = importlib.util.find_spec(name)
    if name not in sys.modules and spec is not None:
        sys.modules[name] = importlib.util.module_from_spec(spec)
    return importlib.import_module(f"{name}.core.Inflections").Inflections()


def all_lemmas(lower: str) -> dict[str, tuple[str, ...]]:
    """Return the lemmas of a word in lower case by part of speech (NOUN, VERB, ADJ, ADV, AUX); empty where unknown."""
    return dict(_dictionary().int_lemma.getAllLemmas(lower))


@lru_cache(maxsize=65536)
def lemma(word: str) -> str:
    """Return a form that inflections of a word share: its lemma, plural and possessive endings removed."""
    word = word.lower().replace("’", "'").removesuffix("'s").removesuffix("'")
    lemmas = all_lemmas(word)
    for kind in ("VERB", "NOUN", "ADJ", "ADV", "AUX"):
        if kind in lemmas:
            return str(lemmas[kind][0]).lower()
    return word[:-1] if len(word) > 4 and word.endswith("s") and not word.endswith("ss") else word


@lru_cache(maxsize=50_000)
def dictionary_form(lower: str) -> str:
    """Return the dictionary form of an English word: won, win; better, good; the word itself where unknown."""
    if not lower.isascii() or len(lower) < 3:
        return lower
    lemmas = all_lemmas(lower)
    for kind in ("VERB", "AUX", "NOUN", "ADJ", "ADV"):
        for lemma in lemmas.get(kind, ()):
            if lemma != lower:
                return str(lemma)
    return lower


def content_lemmas(text: str) -> list[str]:
    """Return the lemmas of all words that carry meaning, in order."""
    return [lemma(word) for word in lower_words(text) if (word not in STOP and len(word) > 1) or word.isdigit()]


@lru_cache(maxsize=16384)
def base_form(word: str, kind: str = "VERB") -> str:
    """Return the base form of a verb (or another part of speech), by rule where the dictionary lacks it."""
    found = _dictionary().int_lemma.getLemma(word.lower(), upos=kind)
    return str(found[0]) if found else word.lower()


@lru_cache(maxsize=16384)
def word_form(lemma: str, tag: str) -> str:
    """Return the form that a Penn tag names: VBD past, VBZ third person, VBN participle, VBG -ing, NNS plural."""
    found = _dictionary().getInflection(lemma, tag=tag)
    return str(found[0]) if found else lemma


@lru_cache(maxsize=16384)
def parts_of_speech(word: str) -> frozenset[str]:
    """Return the parts of speech that the dictionary knows for a word."""
    return frozenset(all_lemmas(word.lower()))
