"""Questions for frequencies and deadlines: how often something is done, and within how many days of what."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.question_writers.rules.clauses import Clause
from evaluation.question_writers.rules.phrases import Tokens, long_noun_phrase
from evaluation.question_writers.rules.phrasing import CandidateQuestion, question_about
from rag_pipeline.english.penn_tags import Token
from rag_pipeline.english.words import word_set

_RHYTHMS = word_set("hourly daily nightly weekly biweekly monthly bimonthly quarterly annually yearly biennially")
_ON_A_BASIS = _RHYTHMS | {"annual", "biennial"}
_TIMES = word_set("day week month quarter year")
_UNITS = word_set("seconds minutes hours days weeks months years")
_AT_LEAST = (("at", "least"), ("no", "less", "than"), ("not", "less", "than"), ("no", "more", "than"), ("about",))


def how_often(clause: Clause) -> Iterator[CandidateQuestion]:
    """`must be paid at least monthly`, `… on a monthly basis`, `… once a year`: ask how often."""
    words = clause.rest
    spans = [(at, end) for at in range(len(words)) if (end := _rhythm(words, at)) > at]
    said_again = any(token.lower in _RHYTHMS for token in (*clause.lead, *clause.tail))
    if not clause.generic or clause.copula or len(spans) != 1 or said_again:
        return
    start, end = spans[0]
    after = words[end:]
    if after and after[0].tag not in {"IN", "TO"}:
        return
    start = _with_bound(words, start)
    if any(token.tag in {"WDT", "WP"} or token.lower == "that" for token in words[:start]):
        return
    kept = words[:start] if after and after[0].tag == "TO" else [*words[:start], *after]  # what for is not asked
    yield question_about(clause, "measure", "how often", kept, clause.text(words[start:end]))


def _rhythm(words: Tokens, at: int) -> int:
    """Return where `monthly`, `on a monthly basis`, `once a year` ends that begins at `at`, or `at`."""
    said = [token.lower for token in words[at : at + 4]]
    if said[0] == "on" and len(said) == 4 and said[2] in _ON_A_BASIS and said[3] == "basis":
        return at + 4
    if said[0] in {"once", "twice"} and len(said) > 2 and said[1] in {"a", "an", "each", "every", "per"}:
        return at + 3 if said[2] in _TIMES else at
    before = words[at - 1].lower if at else ""
    return at + 1 if said[0] in _RHYTHMS and before not in {"a", "an", "the"} and not _named(words[at + 1 :]) else at


def _named(after: Tokens) -> bool:
    """Return whether a noun follows, as in `monthly reports`."""
    return bool(after) and (after[0].is_noun or after[0].tag in {"JJ", "VBN", "VBG", "CD"})


def _with_bound(words: Tokens, start: int) -> int:
    """Return where `at least` begins before a rhythm, or the beginning of the rhythm itself."""
    for bound in _AT_LEAST:
        if tuple(token.lower for token in words[max(0, start - len(bound)) : start]) == bound:
            return start - len(bound)
    return start


def end_of_span(words: Tokens, at: int, before: Token | None) -> int:
    """Return where `of the last payment in the case`, `after the end of the month` ends behind `within 30 days`."""
    if before is None or before.lower != "within" or words[at - 1].lower not in _UNITS or at >= len(words):
        return at
    reach = words[at].lower in {"of", "after", "before", "from", "following"}
    end = long_noun_phrase(words, at + 1) if reach else at
    return end if end > at + 1 else at
