"""Lemmas and inflected forms of English words, by lemminflect's dictionary."""

from __future__ import annotations

import gzip
import importlib
import importlib.util
import re
import sys
from bisect import bisect_left
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from rag_pipeline.english.function_words import STOP

_PARTS = 6
"""Lines of one word at most: a part of speech each."""
_FEWEST_WORDS, _FUNCTION_WORDS, _KNOWN_WORDS = 5, 0.25, 0.55
"""Of an English text: words that are needed to tell, least share of function words, or of words of the dictionary."""
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
    dictionary = importlib.import_module(f"{name}.core.Inflections").Inflections()
    dictionary.int_lemma.lemma_dict = _LemmaLines(Path(dictionary.int_lemma.lemma_lu_fn))
    return dictionary


class _LemmaLines:
    """lemminflect's table of lemmas, looked up in its sorted lines `word,category,lemma/lemma`.

    The package makes a dict of each of 80,000 lines before it looks up one word: .2 s and 40 MB a process.
    """

    def __init__(self, file: Path) -> None:
        self._lines = gzip.decompress(file.read_bytes()).decode().splitlines()
        self._part_of: Any = importlib.import_module("lemminflect.core.LexicalUtils").categoryToUPos

    def get(self, word: str, default: Mapping[str, tuple[str, ...]]) -> Mapping[str, tuple[str, ...]]:
        """Return the lemmas by part of speech."""
        first = bisect_left(self._lines, word, key=_word_of)
        rows = (line.split(",") for line in self._lines[first : first + _PARTS])
        found = {self._part_of(part): tuple(lemmas.split("/")) for own, part, lemmas in rows if own == word}
        return found or default


def _word_of(line: str) -> str:
    return line.partition(",")[0]


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


def reads_as_english(text: str) -> bool:
    """Return whether a text is English as its words go, names left out; true where so few are left that none can say.

    Of 30,000 sentences of manuals, laws and articles, whatever had neither enough function words nor enough words of
    the dictionary was in another language, a command or a list of names.
    """
    words = [word for word in _WORD.findall(text) if word.isalpha() and word.islower()]
    enough = _FUNCTION_WORDS * len(words)
    if len(words) < _FEWEST_WORDS or sum(word in STOP for word in words) >= enough:
        return True
    return sum(bool(parts_of_speech(word)) for word in words) >= _KNOWN_WORDS * len(words)


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
