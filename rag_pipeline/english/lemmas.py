"""Lemmas and inflected forms of English words, by lemminflect's dictionary."""

from __future__ import annotations

import re
from functools import lru_cache

from rag_pipeline.english.function_words import STOP

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


def lower_words(text: str) -> list[str]:
    """Return the words in lower case."""
    return [match.group().lower().replace("’", "'") for match in _WORD.finditer(text)]


@lru_cache(maxsize=65536)
def lemma(word: str) -> str:
    """Return a form that inflections of a word share: its lemma, plural and possessive endings removed."""
    from lemminflect import getAllLemmas

    word = word.lower().replace("’", "'").removesuffix("'s").removesuffix("'")
    lemmas = getAllLemmas(word)
    for kind in ("VERB", "NOUN", "ADJ", "ADV", "AUX"):
        if kind in lemmas:
            return str(lemmas[kind][0]).lower()
    return word[:-1] if len(word) > 4 and word.endswith("s") and not word.endswith("ss") else word


@lru_cache(maxsize=50_000)
def dictionary_form(lower: str) -> str:
    """Return the dictionary form of an English word: won, win; better, good; the word itself where unknown."""
    if not lower.isascii() or len(lower) < 3:
        return lower
    from lemminflect import getAllLemmas

    lemmas = getAllLemmas(lower)
    for kind in ("VERB", "AUX", "NOUN", "ADJ", "ADV"):
        for lemma in lemmas.get(kind, ()):
            if lemma != lower:
                return str(lemma)
    return lower


def content_lemmas(text: str) -> list[str]:
    """Return the lemmas of all words that carry meaning, in order."""
    return [lemma(word) for word in lower_words(text) if (word not in STOP and len(word) > 1) or word.isdigit()]


@lru_cache(maxsize=16384)
def verb_lemma(word: str) -> str:
    """Return the base form of a verb, or the word itself."""
    from lemminflect import getLemma

    found = getLemma(word.lower(), upos="VERB")
    return str(found[0]) if found else word.lower()


@lru_cache(maxsize=16384)
def verb_form(lemma: str, form: str) -> str:
    """Return a form of a verb: VBD past, VBZ third person, VBN participle, VBG -ing."""
    from lemminflect import getInflection

    found = getInflection(lemma, tag=form)
    return str(found[0]) if found else lemma


@lru_cache(maxsize=16384)
def parts_of_speech(word: str) -> frozenset[str]:
    """Return the parts of speech that the dictionary knows for a word."""
    from lemminflect import getAllLemmas

    return frozenset(getAllLemmas(word.lower()))
