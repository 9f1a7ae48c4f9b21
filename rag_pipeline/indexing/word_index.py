"""Search by words: texts to search terms, and BM25 over them (Robertson et al. 1994, in Lucene's form)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import chain

import numpy as np
import numpy.typing as npt

from rag_pipeline.english.words import stem, word_list

Rows = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float32]

K1 = 1.5
"""How soon repeating a term stops counting."""
B = 0.75
"""How much long texts are held back."""

_UNSPACED = re.compile(
    "([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+)"
)
"""Thai, Lao, Burmese, Khmer, Japanese, Chinese: scripts without spaces between words."""
_MARKS = "\u0300-\u036f\u0591-\u05bd\u064b-\u065f\u0900-\u0963\u0966-\u0dff"
"""Accents and vowel signs (Hebrew, Arabic, scripts of India) that Python's \\w splits words at."""
_DASHES = re.compile("[_\u2010-\u2015\u2212]")
_UNSEEN = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")
_POSSESSIVE = re.compile(r"['\u2019]s\b")
_PART = re.compile(rf"[\w{_MARKS}]+")
_JOINED = re.compile("[-/.+&:#@]")
_TERM = re.compile(rf"{_PART.pattern}(?:{_JOINED.pattern}+{_PART.pattern})*")
_DIGIT = re.compile(r"\d")


def search_terms(text: str) -> list[str]:
    """Return the terms of a text, in order: lower case, English words stemmed, all dashes alike.

    A compound with a digit (AB-1234/x, 3.5, v2_1) gives itself and its parts, so that it is found whole and by parts;
    others give their parts. Scripts without spaces give their pairs of characters.
    """
    if text.isascii():  # most texts, in a third of the time
        return _words(_POSSESSIVE.sub("", text.replace("_", "-").lower()))
    plain = _DASHES.sub("-", _UNSEEN.sub("", unicodedata.normalize("NFKC", text))).replace("\u2044", "/").casefold()
    terms: list[str] = []
    for place, piece in enumerate(_UNSPACED.split(_POSSESSIVE.sub("", plain))):
        terms += _pairs(piece) if place % 2 else _words(piece)
    return terms


def _words(piece: str) -> list[str]:
    return list(chain.from_iterable(map(_parts, _TERM.findall(piece))))


@lru_cache(maxsize=50_000)
def _parts(term: str) -> tuple[str, ...]:
    if not _JOINED.search(term):
        return (stem(term),)
    whole = (term,) if _DIGIT.search(term) else ()
    return (*whole, *map(stem, _PART.findall(term)))


def _pairs(piece: str) -> list[str]:
    return [piece[at : at + 2] for at in range(len(piece) - 1)] or [piece]


@lru_cache(maxsize=4_096)
def question_terms(text: str) -> tuple[str, ...]:
    """Return the terms of a question without the words that carry no meaning, unless it has no others.

    The questions of a test set are asked of many indexes, so they are remembered.
    """
    terms = search_terms(text)
    return tuple(term for term in terms if term not in _empty_terms()) or tuple(terms)


@cache
def _empty_terms() -> frozenset[str]:
    return frozenset(stem(word) for word in word_list("stop_words"))


class WordIndex:
    """BM25 over texts; row i is `texts[i]`. A term that a question has twice counts twice.

    What each term adds to each of its texts is computed once, term by term: idf * tf / (tf + k1 * (1 - b + b * length /
    mean length)) with idf = ln(1 + (n - df + .5) / (df + .5)), as Lucene has it.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._numbers: dict[str, int] = {}
        number = self._numbers.setdefault
        terms = [[number(term, len(self._numbers)) for term in search_terms(text)] for text in texts]
        self._size = len(texts)
        self._ends, self._rows, self._added = _impacts(terms, len(self._numbers))

    def search(self, queries: Sequence[str], top_k: int) -> list[tuple[Rows, Scores]]:
        """Return per query the rows of at most `top_k` texts that share a term, and their scores; best first, ties by
        row.
        """
        return [self._best(query, top_k) for query in queries]

    def _best(self, query: str, top_k: int) -> tuple[Rows, Scores]:
        scores = np.zeros(self._size, np.float32)
        for term in question_terms(query):
            number = self._numbers.get(term)
            if number is not None:
                part = slice(self._ends[number], self._ends[number + 1])
                scores[self._rows[part]] += self._added[part]
        rows = np.flatnonzero(scores > 0)
        rows = rows[np.argsort(-scores[rows], kind="stable")[:top_k]]
        return rows, scores[rows]


def _impacts(terms: Sequence[Sequence[int]], known: int) -> tuple[list[int], Rows, Scores]:
    """Return where the texts of each term end (and the first begins), their rows, and what the term adds to each."""
    lengths = np.fromiter(map(len, terms), np.int64, len(terms))
    every = np.fromiter(chain.from_iterable(terms), np.int64, int(lengths.sum()))
    size = max(len(terms), 1)
    places, counts = np.unique(every * size + np.repeat(np.arange(len(terms)), lengths), return_counts=True)
    numbers, rows = np.divmod(places, size)
    held = np.bincount(numbers, minlength=known)
    rare = np.log1p((len(terms) - held + 0.5) / (held + 0.5))
    long = 1 - B + B * lengths / max(float(lengths.mean()) if len(terms) else 0.0, 1e-9)
    added = rare[numbers] * counts / (counts + K1 * long[rows])
    return [0, *np.cumsum(held).tolist()], rows, added.astype(np.float32)
