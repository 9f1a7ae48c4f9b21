"""Questions for how long, how often, how large and how old: a figure with its unit answers them."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.question_writers.rules.clauses import Clause
from evaluation.question_writers.rules.fact_questions import date_inside
from evaluation.question_writers.rules.phrases import Tokens
from evaluation.question_writers.rules.phrasing import CandidateQuestion, question_about
from rag_pipeline.english.lemmas import verb_lemma
from rag_pipeline.english.words import word_set

_TIMES = word_set(
    "second seconds minute minutes hour hours day days week weeks month months year years decade decades century "
    "centuries season seasons"
)
_ROUGHLY = word_set(
    "about almost nearly around roughly approximately over only more less than at least up to exactly no not"
)
_DUTY = word_set("must shall should will may can")
_PERIOD = ["a", "period", "of"]
_COVERING = word_set("cover occupy span")
_BREAKS = word_set("WDT WP VBG")


def how_long(clause: Clause) -> Iterator[CandidateQuestion]:
    """`held out for almost a month`: ask how long; `meets every two weeks`: ask how often."""
    words = clause.rest
    if clause.copula:
        return
    for at, token in enumerate(words):
        joined = token.lower in {"and", "or"} and clause.group[0].lower not in _DUTY
        if token.tag in _BREAKS or token.lower == "that" or joined:
            return
        if token.lower not in {"for", "every"} or not (at or clause.passive or token.lower == "every"):
            continue
        end = _time(words, at + 1)
        if end == at + 1 or (end < len(words) and words[end].tag not in {"IN", "TO"}):
            continue
        start = _with_rough(words, at) if token.lower == "every" else at + 1
        start += 3 if [one.lower for one in words[start : start + 3]] == _PERIOD else 0
        wh = "how long" if token.lower == "for" else "how often"
        aim = wh == "how often" and end < len(words) and words[end].tag == "TO"
        after = () if aim and clause.group[0].lower in _DUTY else words[end:]
        yield question_about(clause, "measure", wh, [*words[: min(at, start)], *after], clause.text(words[start:end]))
        return


def _with_rough(words: Tokens, at: int) -> int:
    """Return where `approximately every` begins: the word before `every` belongs to it."""
    while at and words[at - 1].lower in _ROUGHLY:
        at -= 1
    return at


def _time(words: Tokens, start: int) -> int:
    """Return where `almost a month`, `six months`, `year` ends that begins at `start`, or `start`."""
    at = start + 3 if [token.lower for token in words[start : start + 3]] == _PERIOD else start
    while at < len(words) and words[at].lower in _ROUGHLY:
        at += 1
    figure = at < len(words) and (words[at].is_number or words[at].lower in {"a", "an"})
    at += figure
    fits = at < len(words) and words[at].lower in _TIMES and (figure or words[start - 1].lower == "every")
    return at + 1 if fits else start


def how_large(clause: Clause) -> Iterator[CandidateQuestion]:
    """`covers an area of 76 ha`: ask how large an area."""
    words = clause.rest
    if verb_lemma(clause.main.text) not in _COVERING or clause.passive or len(words) < 5:
        return
    if words[0].tag == "DT" and words[1].lower == "area" and words[2].lower == "of":
        number = any(token.is_number for token in words[3:5])
        if number and len(words) <= 8 and not any(token.tag in _BREAKS for token in words):
            yield question_about(clause, "measure", "how large an area", "", clause.text(words[3:]))


def dates_back(clause: Clause) -> Iterator[CandidateQuestion]:
    """`dates back to the year 1313`: ask when it dates back to."""
    words = clause.rest
    if verb_lemma(clause.main.text) != "date" or clause.passive or len(words) < 3 or clause.lead:
        return
    start = 2 if (words[0].lower, words[1].lower) == ("back", "to") else 0
    dated = date_inside(words[start:]) or any(token.text[0].isdigit() for token in words[start:])
    if start and dated and len(words) <= 10 and not any(token.text == "," for token in words):
        yield question_about(clause, "when", "when", "back to", clause.text(words[start:]))
