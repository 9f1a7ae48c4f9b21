"""The kind of answer that a question wants: a person, a date, a quantity, a reason ..."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from rag_pipeline.english.tags import tag, word_classes
from rag_pipeline.english.words import Word, read_classes

NUMERIC = frozenset({"count", "quantity", "money", "percent", "duration", "date", "frequency"})
_MONEY = re.compile(
    r"\b(?:cost|pay|paid|money|dollars?|euros?|pounds?|price|spen[dt]|worth|budget|earn|income|fee|sold for)\b", re.I
)
_DEFINES = re.compile(r"^\W*what(?:'s|’s|\s+(?:is|are|was|were))\s+(?:an?\s+|the\s+)?((?:[\w'’-]+\s*){1,4})\W*$", re.I)
_MEANS = re.compile(
    r"\bwhat\s+(?:do|does|did)\s+.+\s(?:mean|stand for|refer to)\W*$"
    r"|\bhow\s+(?:would|can|could)\s+(?:you|one)\s+(?:describe|define)\b"
    r"|\bwhat\s+(?:\w+\s+)?is\s+meant\s+by\b",
    re.I,
)
_YES_NO = re.compile(r"^\W*(?:is|are|was|were|do|does|did|can|could|has|have|had|will|would|should|may|must)\b", re.I)
_POLITE = re.compile(
    r"^\W*(?:(?:can|could|would|will|do|did) (?:you|anyone|anybody|somebody|someone|we|i)"
    r"|is it (?:known|possible)|are you able)\b",
    re.I,
)
_WHO_IS = re.compile(r"^\W*who\s+(?:is|are|was|were)\b", re.I)
_WHAT_IS = re.compile(
    r"\bwhat\s+(?:is|are|was|were)\s+(?:the\s+)?(?:name\s+of\s+)?(?:the\s+)?((?:[\w-]+\s+){0,3}?[\w-]+)\s+(?:of|for|in|that|to)\b",
    re.I,
)
_CAUSED = re.compile(r"\bwhat\s+(?:caused?|causes|led|prompted|motivated)\b", re.I)
_BY_WORD = {"who": "person", "whom": "person", "whose": "person", "when": "date", "where": "place", "why": "reason"}


@cache
def _kinds() -> dict[str, frozenset[str]]:
    return read_classes("answer_kinds")


@cache
def _kind_of_noun() -> dict[str, str]:
    return {noun: kind for kind, nouns in _kinds().items() if " " not in kind and kind != "sort" for noun in nouns}


@cache
def _kind_of_how() -> dict[str, str]:
    return {word: kind.removeprefix("how ") for kind, words in _kinds().items() if kind[:4] == "how " for word in words}


def is_sort(word: str) -> bool:
    """True for *kind*, *type*, *name*: the noun that counts comes after their *of*."""
    return word in _kinds()["sort"]


def kind_of_answer(core: str, wh: re.Match[str] | None, focus: Sequence[Word]) -> str:
    """Return the kind that the asking sentence `core` wants; `wh` is its question word, `focus` the noun after it."""
    closed = _YES_NO.match(core) is not None and _POLITE.match(core) is None
    if wh is None or (closed and wh.start() > 0):
        return "yes_no" if closed else "thing"
    word = wh.group(1).lower()
    if _WHO_IS.match(core) and set(tag(core).tags[2:]) <= {"name", "preposition", "determiner"}:
        return "definition"
    if _MEANS.search(core):
        return "definition"
    if word in _BY_WORD:
        return _BY_WORD[word]
    if word == "how":
        return _how(core, [found.strip("?,.").lower() for found in core[wh.end() :].split()[:2]])
    for noun in reversed(focus):
        kind = _of_noun(noun.lower)
        if kind:
            return "money" if kind == "quantity" and _MONEY.search(core) and noun.lower != "number" else kind
    return _what(core)


def _of_noun(noun: str) -> str:
    return _kind_of_noun().get(noun) or _kind_of_noun().get(noun.removesuffix("s"), "")


def _how(core: str, after: Sequence[str]) -> str:
    kind = _kind_of_how().get(after[0], "manner") if after else "manner"
    if kind == "quantity" and after[0] in {"much", "expensive"} and _MONEY.search(core):
        return "money"
    if kind == "count" and len(after) > 1 and after[1] in word_classes()["duration"]:
        return "duration"
    return kind


def _what(core: str) -> str:
    asked = _DEFINES.match(core)
    if asked:
        return _of_simple(asked.group(1).split())
    attribute = _WHAT_IS.search(core)
    kind = _of_noun(attribute.group(1).split()[-1].lower()) if attribute else ""
    if kind in {"place", "quantity", "percent", "date", "reason"}:
        return kind
    return "reason" if _CAUSED.search(core) else "thing"


def _of_simple(words: list[str]) -> str:
    """Return the kind asked for by the short question *what is* `words`: a definition, unless they say otherwise."""
    kind = _of_noun(words[-1].lower())
    if kind:
        return kind
    tags = tag(" ".join(words)).tags
    attribute = any(re.search(r"['’]s$|s['’]$", word) for word in words[:-1])
    return (
        "thing" if attribute or tags[-1] in {"preposition", "verb", "adverb"} or "preposition" in tags else "definition"
    )
