"""Dates, amounts and other numbers of a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag_pipeline.english.tagged_spans import TypedSpan, words_within
from rag_pipeline.english.tags import TaggedSentence, word_classes

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_YEAR = r"(?:1\d{3}|20\d{2})"
_ERA = r"(?:\s*(?:BCE?|CE|AD|B\.C\.|A\.D\.))"
_ORDINAL_WORD = r"(?:\d{1,2}(?:st|nd|rd|th)|\w+(?:th|rst|nd|rd))"
_DATE = re.compile(
    rf"""\b(?:
      \d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}\b\.?(?:,?\s+{_YEAR})?
    | {_MONTH}\b\.?\s+\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s+{_YEAR})?
    | {_MONTH}\b\.?\s*,?\s+{_YEAR}
    | (?:the\s+)?(?:early\s+|mid-?\s*|late\s+)?{_YEAR}s\b
    | (?:early|mid|late)[\s-]+{_YEAR}
    | {_YEAR}{_ERA}?(?!\s*(?:%|percent|km|miles|m\b|feet|people))
    | \d{{1,4}}{_ERA}
    | (?:(?:early|mid|late|the)[\s-]+)*{_ORDINAL_WORD}[\s-]+(?:century|centuries|millennium){_ERA}?
    | {_MONTH}(?=\s*[,.)]|\s+and\b)
    | (?:mon|tues|wednes|thurs|fri|satur|sun)days?
    )\b""",
    re.I | re.X,
)
_NO_MONTH = re.compile(r"\b(?:may|march|mar)\b")
"""The verbs, which a month's name without a capital letter is."""
_NUMBER_WORD = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:-\w+)?|dozens?|half)"
)
_SCALE = r"(?:\s*(?:hundred|thousand|million|billion|trillion|dozen)s?)"
_NUM = (
    r"(?:\d[\d,]*(?:\.\d+)?(?:\s*(?:–|-|to)\s*\d[\d,]*(?:\.\d+)?)?"
    rf"|{_NUMBER_WORD}(?:\s+(?:or|to|and)\s+{_NUMBER_WORD})?){_SCALE}*"
)
_ABOUT = (
    r"(?:(?:about|around|approximately|nearly|almost|over|some|up\ to|at\ least|more\ than|less\ than|roughly|only"
    r"|an\ estimated)\s+)?"
)
_MONEY = re.compile(
    rf"""{_ABOUT}(?:
      (?:US|A|C)?[$£€¥]\s?\d[\d,]*(?:\.\d+)?{_SCALE}*
    | \b{_NUM}\s+(?:us\s+)?(?:dollars?|euros?|pounds?\s+sterling|pounds?|cents?|francs?|yen)
    )""",
    re.I | re.X,
)
_PERCENT = re.compile(
    rf"""{_ABOUT}\b{_NUM}\s*(?:%|percent\b|per\s+cent\b|percentage\s+points?\b)
    | \b(?:half|two[-\ ]thirds|one[-\ ]third|a\s+third|three[-\ ]quarters|a\s+quarter|one[-\ ]quarter)\b""",
    re.I | re.X,
)
_COUNT = re.compile(rf"{_ABOUT}(?<![\w.])(?:{_NUM})(?!\w)", re.I)
_SCORE = re.compile(r"\b\d{1,3}\s?[-–:]\s?\d{1,3}(?:\s?[-–]\s?\d{1,3})?\b")
_ORDINAL = re.compile(
    r"\b(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d+(?:st|nd|rd|th))\b", re.I
)
_FREQUENCY = re.compile(
    rf"""\b(?:
      (?:at\s+least\s+|about\s+)?(?:once|twice|{_NUM}\s+times)(?:\s+(?:a|per|each|every)\s+\w+)?
    | (?:at\s+least\s+)?(?:daily|weekly|monthly|quarterly|yearly|annually|hourly)
    | every\s+(?:{_NUM}\s+)?\w+ | each\s+(?:day|week|month|year)
    )\b""",
    re.I | re.X,
)
_QUOTED = re.compile(r"[\"“]([^\"”]{2,80})[\"”]")
_PATTERNS = (
    ("date", _DATE),
    ("money", _MONEY),
    ("percent", _PERCENT),
    ("score", _SCORE),
    ("frequency", _FREQUENCY),
    ("ordinal", _ORDINAL),
    ("quoted", _QUOTED),
)
_BEFORE_UNITS = frozenset({"square", "cubic", "straight", "consecutive", "more", "full", "nautical"})


def quantities(sentence: TaggedSentence) -> Iterator[TypedSpan]:
    """Yield dates, money, shares, scores, frequencies, ordinals, quotations and counts with their units."""
    for kind, pattern in _PATTERNS:
        for match in pattern.finditer(sentence.text):
            # A quotation's group leaves its marks out; the other patterns have no group, and 0 is the whole match.
            if kind != "date" or not _NO_MONTH.fullmatch(match.group()):
                yield from words_within(sentence, *match.span(pattern.groups), kind)
    dates = [match.span() for match in _DATE.finditer(sentence.text)]
    for match in _COUNT.finditer(sentence.text):
        if not any(start < match.end() and match.start() < end for start, end in dates):
            yield from _measured(sentence, match)


def _measured(sentence: TaggedSentence, match: re.Match[str]) -> Iterator[TypedSpan]:
    """Yield a number as count, and with the unit that follows it as quantity or duration."""
    for span in words_within(sentence, match.start(), match.end(), "count"):
        yield span
        for length, word in enumerate(sentence.words[span.last : span.last + 2], start=1):
            kind = next((name for name in ("unit", "duration") if word.lower in word_classes()[name]), None)
            parted = any(re.search(r"[,;.]", gap) for gap in sentence.gaps[span.last : span.last + length])
            if kind and not parted:
                yield TypedSpan(span.first, span.last + length, "quantity" if kind == "unit" else kind)
                return
            if word.lower not in _BEFORE_UNITS:
                return
