"""Noun phrases, dates and joins found in tagged tokens; positions are token indexes, ends exclusive."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag_pipeline.english.function_words import BE, FIRST_SECOND, MONTHS, PERSONAL
from rag_pipeline.english.penn_tags import Token
from rag_pipeline.english.words import word_set

Tokens = Sequence[Token]

_JOINS = word_set(
    "of in for on at from between to with within under against about over among around near along during behind beside "
    "outside inside across"
)
_MODIFIERS = ("JJ", "JJR", "JJS", "VBN", "VBG", "CD", "NN", "NNS", "NNP", "NNPS", "POS", "FW")
_YEAR = re.compile(r"(?:1\d|20)\d\d(?:[–-]\d{2,4})?")
_DECADE = re.compile(r"(?:mid-|early-|late-)?(?:1\d|20)\d0['’]?s")
_ORDINAL = re.compile(r"\d{1,2}(?:st|nd|rd|th)")
_DAY = re.compile(r"[0-3]?\d(?:st|nd|rd|th)?")
_DATE_WORDS = word_set("early late mid middle summer autumn spring winter fall end beginning")


def noun_phrase(tokens: Tokens, start: int) -> int:
    """Return where the plain noun phrase that begins at `start` ends, or `start` when none does."""
    at = start
    if at < len(tokens) and tokens[at].lower in PERSONAL | FIRST_SECOND and tokens[at].tag == "PRP":
        return start
    if at < len(tokens) and tokens[at].lower in {"all", "both"} and _determiner(tokens, at + 1):
        at += 1
    if _determiner(tokens, at):
        at += 1
    last_noun = -1
    while at < len(tokens):
        token = tokens[at]
        if token.is_noun or (token.is_number and last_noun == at - 1 >= start and _is_numbered(tokens[at - 1])):
            last_noun = at
        elif not _inside_phrase(tokens, at, last_noun):
            break
        at += 1
    return last_noun + 1 if last_noun >= start else start


def _is_numbered(token: Token) -> bool:
    """Return whether a number after this word belongs to it: `Squad 422`, `section 347`."""
    return token.is_name or token.lower in {"section", "chapter", "article", "title", "rule", "part", "form", "type"}


def _inside_phrase(tokens: Tokens, at: int, last_noun: int) -> bool:
    """Return whether a word that is no noun belongs to the noun phrase around it."""
    token = tokens[at]
    if token.text in {"'s", "’s", "'", "’"}:
        return last_noun == at - 1
    if token.lower == "and":
        return _modifier(tokens, at - 1) and _modifier(tokens, at + 1) and last_noun < 0
    if token.tag == "RB":
        return _tagged(tokens, at + 1, ("JJ", "VBN", "CD"))
    if token.tag not in _MODIFIERS or token.lower in BE:
        return False
    if last_noun >= 0 and token.tag == "VBN" and "-" not in token.text:
        return False
    if last_noun >= 0 and token.tag in {"VBN", "VBG"}:
        return _tagged(tokens, at + 1, ("NN", "NNS", "NNP"))
    return not (last_noun == at - 1 and token.tag in {"JJ", "JJR"}) or _tagged(tokens, at + 1, _MODIFIERS)


def _determiner(tokens: Tokens, at: int) -> bool:
    return at < len(tokens) and tokens[at].tag in {"DT", "PRP$", "PDT", "WP$"}


def _modifier(tokens: Tokens, at: int) -> bool:
    return 0 <= at < len(tokens) and tokens[at].tag in {"JJ", "NN", "NNP", "VBN", "VBG"}


def _tagged(tokens: Tokens, at: int, tags: tuple[str, ...]) -> bool:
    return at < len(tokens) and tokens[at].tag in tags


def subject_phrase(tokens: Tokens, start: int) -> int:
    """Return where the subject of a clause ends: its `and`-partner may stand right before the verb."""
    return long_noun_phrase(tokens, start, partners=True)


def long_noun_phrase(tokens: Tokens, start: int, joins: frozenset[str] = _JOINS, *, partners: bool = False) -> int:
    """Return where a noun phrase with its prepositional phrases and `and`-partners ends.

    An `and` before a noun phrase with a verb begins a new clause, unless `partners` says that a subject is read.
    """
    end = noun_phrase(tokens, start)
    while start < end < len(tokens):
        token = tokens[end]
        if token.lower in joins or (token.lower in {"and", "or"} and "and" in joins | {"and"}):
            further = noun_phrase(tokens, end + 1)
            if further == end + 1:
                break
            if token.lower in {"and", "or"} and not partners and _starts_clause(tokens, further):
                break
            end = further
        elif token.text == "," and list_end(tokens, end, partners=partners) > end:
            end = list_end(tokens, end, partners=partners)
        elif token.text == "(":
            close = _closing(tokens, end)
            if close < 0:
                break
            end = close + 1
        else:
            break
    return end


def list_end(tokens: Tokens, at: int, *, partners: bool = False) -> int:
    """Return where `, B and C` ends that begins with the comma at `at`; `at` when it is no list."""
    end, items = at, 0
    while end < len(tokens) and tokens[end].text == ",":
        further = noun_phrase(tokens, end + 1)
        if further == end + 1:
            break
        end, items = further, items + 1
    if items and end < len(tokens) and tokens[end].text == ",":
        end += 1
    if items and end < len(tokens) and tokens[end].lower in {"and", "or"}:
        further = noun_phrase(tokens, end + 1)
        if further > end + 1 and (partners or not _starts_clause(tokens, further)):
            return further
    return at


def of_phrase(tokens: Tokens, start: int) -> int:
    """Return where a noun phrase with its `of` phrases alone ends."""
    return long_noun_phrase(tokens, start, frozenset({"of"}))


def _starts_clause(tokens: Tokens, at: int) -> bool:
    """Return whether there is a finite verb here, so that the noun phrase before it is a subject."""
    return at < len(tokens) and tokens[at].tag in {"VBZ", "VBP", "VBD", "MD"}


def _closing(tokens: Tokens, opening: int) -> int:
    for at in range(opening + 1, min(len(tokens), opening + 25)):
        if tokens[at].text == ")":
            return at
    return -1


def date_phrase(tokens: Tokens, start: int) -> int:
    """Return where a date that begins at `start` (after its preposition) ends, or `start`."""
    at = start
    if _lower(tokens, at) == "the" and (
        _matches(tokens, at + 1, _DECADE) or _matches(tokens, at + 1, _ORDINAL) or _lower(tokens, at + 1) in _DATE_WORDS
    ):
        at += 1
    while _lower(tokens, at) in _DATE_WORDS or (_lower(tokens, at) in {"-", "of", "the"} and at > start):
        at += 1
    if _matches(tokens, at, _DAY) and _lower(tokens, at + 1) in MONTHS:
        at += 1
    if _lower(tokens, at) in MONTHS:
        at += 1
        if _matches(tokens, at, _DAY) and not _matches(tokens, at, _YEAR):
            at += 1
        if _lower(tokens, at) == "," and _matches(tokens, at + 1, _YEAR):
            at += 1
        return at + 1 if _matches(tokens, at, _YEAR) else at
    if _matches(tokens, at, _YEAR) or _matches(tokens, at, _DECADE):
        return at + 1
    if _matches(tokens, at, _ORDINAL) and _lower(tokens, at + 1) in {"century", "centuries"}:
        return at + 2
    return start


def _lower(tokens: Tokens, at: int) -> str:
    return tokens[at].lower if 0 <= at < len(tokens) else ""


def _matches(tokens: Tokens, at: int, pattern: re.Pattern[str]) -> bool:
    return 0 <= at < len(tokens) and pattern.fullmatch(tokens[at].text) is not None


def dated(tokens: Tokens) -> tuple[int, int] | None:
    """Return (start, end) of the first `in 1815`, `on 5 May 1920`, `from 1942 to 1997` with its preposition."""
    for at, token in enumerate(tokens):
        if token.lower not in {"in", "on", "since", "until", "from", "during", "around", "between", "circa"}:
            continue
        end = date_phrase(tokens, at + 1)
        if end == at + 1:
            continue
        if _lower(tokens, end) in {"to", "until", "and", "through", "–", "-"}:
            further = date_phrase(tokens, end + 1)
            end = further if further > end + 1 else end
        return at, end
    return None


def text_of(tokens: Tokens, sentence: str) -> str:
    """Return the words as they stand in the sentence, from the first token to the last, joined where tokens lack."""
    parts: list[str] = []
    previous_end = -1
    for token in tokens:
        gap = sentence[previous_end : token.start] if 0 <= previous_end <= token.start else " "
        if previous_end >= 0:
            parts.append(gap if not gap.strip() and len(gap) <= 1 else " ")
        parts.append(token.text)
        previous_end = token.end
    return re.sub(r"\s+([,.;:?!)])", r"\1", "".join(parts)).strip(" ,;:")
