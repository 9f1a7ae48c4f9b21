"""Tokens of a text: those of SQuAD (Rajpurkar et al. 2016) with F1 by them, and words counted for length."""

from __future__ import annotations

import re
import string
import unicodedata

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_ARTICLE_WORDS = frozenset(["a", "an", "the"])
_PUNCTUATION = string.punctuation.encode()

# Scripts written without spaces between words: a character counts as a word there.
UNSPACED = (
    r"\u0E00-\u0EFF"  # Thai, Lao
    r"\u0F00-\u0FFF"  # Tibetan
    r"\u1000-\u109F"  # Myanmar
    r"\u1780-\u17FF"  # Khmer
    r"\u3005-\u3007\u3040-\u30FF\u31F0-\u31FF\uFF66-\uFF9F"  # Japanese kana and iteration marks
    r"\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\U00020000-\U0003FFFF"  # Han
)
UNSPACED_CHARACTER = re.compile(f"[{UNSPACED}]")
_SPACED_RUN = re.compile(f"[^{UNSPACED}]+")
UNSPACED_RUN = re.compile(f"[{UNSPACED}]+")
"""A run of characters of scripts written without spaces."""


def squad_tokens(text: str) -> list[str]:
    """Return the tokens that overlap metrics count.

    Lower case, ASCII punctuation removed, then the words a, an, the; split at white space. This is
    `normalize_answer` of the official SQuAD evaluation script.
    """
    # Bytes lose characters several times as fast as texts do, and none but ASCII's own have ASCII's bytes.
    bare = text.lower().encode("utf-8", "surrogatepass").translate(None, _PUNCTUATION).decode("utf-8", "surrogatepass")
    words = bare.split()
    if "".join(words).isalnum():
        return [word for word in words if word not in _ARTICLE_WORDS]
    tokens: list[str] = []
    for word in words:
        if not word.isalnum():  # quotation marks of other kinds may stand beside an article without a blank between
            tokens += _ARTICLES.sub(" ", word).split()
        elif word not in _ARTICLE_WORDS:
            tokens.append(word)
    return tokens


def count_words(text: str) -> int:
    """Return how many words a text has: separated by white space, single characters in scripts without spaces."""
    if text.isascii() or not UNSPACED_CHARACTER.search(text):
        return len(text.split())
    return sum(_words_in(chunk) for chunk in text.split())


def _words_in(chunk: str) -> int:
    unspaced = UNSPACED_CHARACTER.findall(chunk)
    if not unspaced:
        return 1
    # Vowel signs and tone marks belong to the letter before them.
    letters = sum(unicodedata.category(character)[0] in "LN" for character in unspaced)
    runs = sum(any(character.isalnum() for character in run) for run in _SPACED_RUN.findall(chunk))
    return max(1, letters + runs)
