"""A sentence as tagged words: the closed word classes, names, numbers and likely verbs, without a model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from rag_pipeline.english.words import Word, rarity, read_classes, words_of

_ED = re.compile(r"[a-z]{2,}[^aeiou]ed$|[a-z]{3,}[ui]ed$")
_NOT_VERBS = frozenset({"hundred", "indeed", "united", "kindred", "sacred", "speed", "unprecedented"})
_EVERYDAY = 0.8
"""Rarity below which a capital letter at the start of a sentence says nothing."""
_JOINING = frozenset({"", "'", "’"})
_HYPHENS = frozenset({"-", "/", "'", "’"})
STRONG_PUNCTUATION = re.compile(r"[;:()\[\]—–\"“”]|--| - ")


@dataclass(frozen=True, slots=True)
class TaggedSentence:
    """The words of a sentence. `tags[i]` belongs to `words[i]`; `gaps[i]` is the text before it, the last
    one the text after all words.
    """

    text: str
    words: tuple[Word, ...]
    tags: tuple[str, ...]
    gaps: tuple[str, ...]

    def slice(self, first: int, last: int) -> str:
        """Return the text of words `first` to `last` (exclusive), without a closing possessive."""
        return self.text[slice(*self.range(first, last))]

    def stops(self, index: int) -> bool:
        """True when punctuation stands before word `index`; a hyphen or an apostrophe inside a word is none."""
        return self.gaps[index].strip() not in _JOINING and self.gaps[index] not in _HYPHENS

    def joined(self, index: int) -> bool:
        """True when word `index` goes on what stands before it: `role-playing`."""
        return 0 < index < len(self.words) and self.gaps[index] in _HYPHENS

    def range(self, first: int, last: int) -> tuple[int, int]:
        """Return the characters of words `first` to `last` (exclusive), without a closing possessive."""
        final = self.words[last - 1]
        possessive = re.search(r"['’]s$", final.text)
        return self.words[first].start, final.end - (len(possessive.group()) if possessive else 0)

    def tag(self, index: int) -> str:
        """Return the tag of a word, `edge` outside the sentence."""
        return self.tags[index] if 0 <= index < len(self.tags) else "edge"


@cache
def word_classes() -> dict[str, frozenset[str]]:
    """Return the shipped word classes."""
    return read_classes("classes")


@cache
def _class_of() -> dict[str, str]:
    order = ("adverb", "verb", "conjunction", "pronoun", "preposition", "determiner", "auxiliary")
    return {word: name for name in order for word in word_classes()[name]}


def tag(text: str) -> TaggedSentence:
    """Return the tagged words of one sentence."""
    words = tuple(words_of(text))
    return TaggedSentence(text, words, tuple(_tags(words, text)), tuple(_gaps(words, text)))


def _gaps(words: tuple[Word, ...], text: str) -> Iterator[str]:
    end = 0
    for word in words:
        yield text[end : word.start]
        end = word.end
    yield text[end:]


def _tags(words: tuple[Word, ...], text: str) -> Iterator[str]:
    headline = sum(word.is_capital for word in words) > 0.7 * len(words) and len(words) > 4
    for place, word in enumerate(words):
        yield _tag(word, _opens(words, place, text), headline, follows=words[place + 1 : place + 2])


def _tag(word: Word, opens: bool, headline: bool, follows: tuple[Word, ...]) -> str:
    if word.text[0].isdigit() or word.lower in word_classes()["number"]:
        return "number"
    known = _class_of().get(word.lower)
    if word.is_capital and not headline and _is_name(word, known, opens, follows):
        return "name"
    if known:
        return known
    if _ED.match(word.lower) and word.lower not in _NOT_VERBS:
        return "verb"
    return "word"


def _opens(words: tuple[Word, ...], place: int, text: str) -> bool:
    """True where a capital letter says nothing: at the start, and after a colon or a quotation mark."""
    return place == 0 or text[words[place - 1].end : words[place].start].rstrip().endswith((":", "!", "?", '"', "“"))


def _is_name(word: Word, known: str | None, opens: bool, follows: tuple[Word, ...]) -> bool:
    if known in {"determiner", "pronoun", "preposition", "conjunction", "auxiliary"} and not word.text.isupper():
        return False
    if not opens:
        return known in {None, "verb", "adverb"}
    if known is not None:
        return False
    before_name = any(after.is_capital and after.lower not in _class_of() for after in follows)
    return before_name or rarity(word.lower) > _EVERYDAY
