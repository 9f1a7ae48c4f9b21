"""Small slips of a known kind, as people make them, never in a number or a protected word."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Collection, Sequence

from rag_pipeline.english.words import word_set

KINDS = ("typo", "dropped_word", "doubled_word", "agreement", "punctuation", "lower_case")
"""The kinds of slips, as they are recorded."""

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_DOUBLED = word_set("the a an of to in on at for with by and that is was did do does have it you i")
_AGREEMENT = {
    "is": "are", "are": "is", "was": "were", "were": "was", "does": "do", "do": "does", "has": "have", "have": "has",
    "wants": "want", "want": "wants", "says": "say", "keeps": "keep", "needs": "need", "insists": "insist",
    "asks": "ask", "tells": "tell", "believes": "believe", "thinks": "think", "remembers": "remember",
}  # fmt: skip
_AFTER_QUESTION_WORD = re.compile(r"\b(?:what|when|where|why|how|who) $", re.IGNORECASE)
_NEIGHBOURS = {
    "a": "s", "b": "v", "c": "v", "d": "s", "e": "r", "f": "g", "g": "h", "h": "j", "i": "o", "j": "k", "k": "l",
    "l": "k", "m": "n", "n": "m", "o": "i", "p": "o", "q": "w", "r": "t", "s": "d", "t": "r", "u": "y", "v": "b",
    "w": "e", "x": "z", "y": "u", "z": "x",
}  # fmt: skip


def choose_and_apply(
    text: str, protected: Collection[str], rng: random.Random, prefer: str = "", among: Collection[str] | None = None
) -> tuple[str, str]:
    """Return (text with one slip, its kind), `prefer` if it fits; (text, "") where no kind fits. `among`: of these."""
    kinds = list(KINDS)
    rng.shuffle(kinds)
    if among is not None:
        kinds = [kind for kind in kinds if kind in among]
    kinds.sort(key=lambda kind: kind != prefer)
    for kind in kinds:
        slipped = apply_slip(text, kind, protected, rng)
        if slipped is not None:
            return slipped, kind
    return text, ""


def apply_slip(text: str, kind: str, protected: Collection[str], rng: random.Random) -> str | None:
    """Return `text` with one slip of `kind`, or None where it has no place for one.

    `protected` are words, in any case, that name what is asked: they are spelt as they were (`lower_case` may still
    take a capital letter from them). A word with a digit is never touched.
    """
    guarded = {word.lower() for word in protected}
    slipped = _SLIPS[kind](text, guarded, rng)
    return slipped if slipped is not None and slipped != text else None


def _words(text: str, fits: Callable[[str], bool]) -> list[re.Match[str]]:
    """Return the words that fit, no number beside them in the same word."""
    found = []
    for match in _WORD.finditer(text):
        before, after = text[max(0, match.start() - 1) : match.start()], text[match.end() : match.end() + 1]
        if not (before + after).strip("\"'“”‘’()[],.;:?! \n\t") and fits(match.group()):
            found.append(match)
    return found


def _typo(text: str, guarded: set[str], rng: random.Random) -> str | None:
    places = _words(text, lambda word: len(word) >= 5 and word.islower() and word.isascii() and word not in guarded)
    if not places:
        return None
    match = rng.choice(places)
    word = match.group()
    for _ in range(8):
        wrong = _misspelt(word, rng)
        if wrong != word:
            return text[: match.start()] + wrong + text[match.end() :]
    return None


def _misspelt(word: str, rng: random.Random) -> str:
    at = rng.randrange(1, len(word) - 1)
    how = rng.choice(("swap", "drop", "double", "neighbour"))
    if how == "swap":
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    if how == "drop":
        return word[:at] + word[at + 1 :]
    if how == "double":
        return word[:at] + word[at] + word[at:]
    return word[:at] + _NEIGHBOURS.get(word[at], word[at]) + word[at + 1 :]


def _dropped_word(text: str, guarded: set[str], rng: random.Random) -> str | None:
    droppable = {"the", "a", "an", "of", "to", "that"} - guarded
    places = [match for match in _words(text, lambda word: word in droppable) if match.start()]
    if not places:
        return None
    match = rng.choice(places)
    return text[: match.start()] + text[match.end() :].lstrip(" ")


def _doubled_word(text: str, guarded: set[str], rng: random.Random) -> str | None:
    places = _words(text, lambda word: word in _DOUBLED - guarded)
    if not places:
        return None
    match = rng.choice(places)
    return text[: match.end()] + " " + match.group() + text[match.end() :]


def _agreement(text: str, guarded: set[str], rng: random.Random) -> str | None:
    places = [
        match
        for match in _words(text, lambda word: word in _AGREEMENT and word not in guarded)
        if match.group() != "do" or _AFTER_QUESTION_WORD.search(text[: match.start()])
    ]
    if not places:
        return None
    match = rng.choice(places)
    return text[: match.start()] + _AGREEMENT[match.group()] + text[match.end() :]


def _punctuation(text: str, guarded: set[str], rng: random.Random) -> str | None:
    places = list(re.finditer(r"(?<=[^\W\d_])[,?](?=\s|$)", text))
    for match in re.finditer(r"([^\W\d_]+)(['’])(?=s\b)", text):
        if not {match.group(1).lower(), f"{match.group(1).lower()}'s"} & guarded:
            places.append(match)
    if not places:
        return None
    at = rng.choice(places).end() - 1
    return text[:at] + text[at + 1 :]


def _lower_case(text: str, guarded: set[str], rng: random.Random) -> str | None:
    def fits(word: str) -> bool:
        return word[0].isupper() and (word[1:].islower() or word == "I")

    places = _words(text, fits)
    if not places:
        return None
    chosen: Sequence[re.Match[str]] = places if rng.random() < 0.4 else [rng.choice(places)]
    letters = list(text)
    for match in chosen:
        letters[match.start()] = letters[match.start()].lower()
    return "".join(letters)


_SLIPS: dict[str, Callable[[str, set[str], random.Random], str | None]] = {
    "typo": _typo,
    "dropped_word": _dropped_word,
    "doubled_word": _doubled_word,
    "agreement": _agreement,
    "punctuation": _punctuation,
    "lower_case": _lower_case,
}
