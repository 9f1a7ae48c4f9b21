"""Rules that ask for what a passage does not say of what it tells: when, where, by whom, why, at what cost, by when.

Each goes with what would give it away, had the passage it within reach.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from evaluation.question_writers.rules.candidates import Ask
from evaluation.question_writers.rules.clauses import Clause, tidy
from evaluation.question_writers.rules.nouns import as_said, keeping_subject, phrases_of
from evaluation.question_writers.rules.parsing import in_sentence, phrase
from evaluation.question_writers.rules.synonyms import inflected
from rag_pipeline.english.words import word_set

if TYPE_CHECKING:
    from spacy.tokens import Token

_HAPPENS_ONCE = word_set(
    "sign meet discover found establish open perform record release marry study invent publish present announce build "
    "design write win sell buy launch introduce create appoint elect arrest kill destroy capture complete adopt file "
    "develop start begin join lose defeat receive award name sue hire replace close acquire approve reject settle "
    "construct convert demolish rebuild restore renovate purchase erect burn abolish ban"
)
_BY_SOMEBODY = _HAPPENS_ONCE - word_set("meet marry study win join lose receive begin burn")
_PAID_FOR = word_set("buy purchase acquire build construct rebuild restore renovate convert erect")
_NO_CHOICE = word_set("receive win lose complete discover write find meet record study describe capture present")
"""What nobody is asked the reason of."""
_TIMES = word_set(
    "after before during when while until since later early ago century year day month first last next then"
)
_TIMED, _PLACED = frozenset({"DATE", "TIME"}), frozenset({"GPE", "LOC", "FAC"})
NOT_SAID = "unknown"
_TERM = re.compile(
    r"\b(?:days?|weeks?|months?|years?|hours?|annual|monthly|weekly|daily|quarterly|within|before|after|deadline|every|"
    r"each|until|prior|when|once|immediately|promptly|late[rs]?t?|time|date)\b", re.I
)  # fmt: skip


def no_date(clause: Clause) -> Iterator[Ask]:
    """`Curie discovered radium` → `When did Curie discover radium?`"""
    words = {each.lower_ for each in clause.verb.sent}
    if _is_event(clause) and not _TIMES & words and not _has(clause, _TIMED):
        yield Ask(keeping_subject(clause, "when"), NOT_SAID)


def no_place(clause: Clause) -> Iterator[Ask]:
    """`Curie discovered radium` → `Where did Curie discover radium?`"""
    of = any(each.lower_ in {"of", "in"} for each in clause.subject.children)  # `the University of Warsaw` says it
    if _is_event(clause) and not of and not _has(clause, _PLACED) and clause.verb.lemma_ not in _PAID_FOR:
        yield Ask(keeping_subject(clause, "where", _dates(clause)), NOT_SAID)


def no_agent(clause: Clause) -> Iterator[Ask]:
    """`The palace was built in 1643` → `Who built the palace?`"""
    by = any(each.lower_ == "by" for each in clause.verb.subtree)
    done = _is_event(clause) and clause.is_passive and not by and len(clause.auxiliaries) == 1
    if done and clause.verb.lemma_ in _BY_SOMEBODY:
        did = inflected(clause.verb.lemma_, "VBD")
        yield Ask(as_said(tidy(f"who {did} {clause.said_subject()} {clause.rest(_dates(clause))}")), NOT_SAID)


def no_reason(clause: Clause) -> Iterator[Ask]:
    """`Curie left Warsaw in 1891` → `Why did Curie leave Warsaw in 1891?`"""
    aim = any(each.dep_ in {"advcl", "xcomp"} for each in clause.verb.children)
    if _is_event(clause) and not aim and clause.verb.lemma_ not in _NO_CHOICE:
        yield Ask(keeping_subject(clause, "why"), NOT_SAID)


def no_price(clause: Clause) -> Iterator[Ask]:
    """`The trust bought the hall` → `What was the cost of buying the hall?`"""
    for noun in (clause.subject,) if clause.is_passive else clause.children("dobj"):
        if _is_event(clause) and clause.verb.lemma_ in _PAID_FOR and not any(each.like_num for each in noun.children):
            paying = inflected(clause.verb.lemma_, "VBG")
            yield Ask(as_said(tidy(f"what was the cost of {paying} {in_sentence(phrase(noun))}")), NOT_SAID)


def no_term(clause: Clause) -> Iterator[Ask]:
    """`The trustee must file a report` → `By when must the trustee file a report?`"""
    if _is_duty(clause):
        yield Ask(keeping_subject(clause, "by when"), NOT_SAID)


def no_sanction(clause: Clause) -> Iterator[Ask]:
    """`The trustee must file a report` → `What happens if the trustee does not file a report?`"""
    if _is_duty(clause):
        do = "do" if clause.is_plural or clause.subject.lower_ == "you" else "does"
        said = f"what happens if {clause.said_subject()} {do} not {clause.verb.lemma_} {clause.rest()}"
        yield Ask(as_said(tidy(said)), NOT_SAID)


ABSENT: dict[str, Callable[[Clause], Iterator[Ask]]] = {
    "no_term": no_term, "no_agent": no_agent, "no_price": no_price, "no_sanction": no_sanction,
    "no_date": no_date, "no_reason": no_reason, "no_place": no_place,
}  # fmt: skip
GIVEN_AWAY = {
    "no_date": re.compile(r"\b\d{4}\b|\b\d{1,2}(?:st|nd|rd|th)\b|\b(?:Jan|Feb|Mar|Apr|June|July|Aug|Sep|Oct|Nov|Dec)"),
    "no_reason": re.compile(
        r"\b(?:because|due|reasons?|so that|in order|since|as a result|therefore|why|thus)\b", re.I
    ),
    "no_price": re.compile(r"[$€£]|\b(?:costs?|prices?|paid|million|dollars?|pounds?|euros?)\b", re.I),
    "no_term": _TERM,
    "no_sanction": re.compile(r"\b(?:if|unless|fail\w*|otherwise|penalt\w+|fined?|error|sanctions?)\b", re.I),
}
"""What around a sentence may answer the question of a rule."""
_DOERS = re.compile(r"(?:er|or|ee|ist|ian|ant|person|people|party|parties|staff|agent|resident|student|patient)s?$")
_NO_DEED = word_set("have include contain use support match reflect be consider ensure")


def _dates(clause: Clause) -> list[Token]:
    return [part for part, noun in phrases_of(clause) if noun.ent_type_ in _TIMED]


def _is_duty(clause: Clause) -> bool:
    """Return whether a clause says that somebody has to do something, and that without a condition."""
    free = not any(each.dep_ in {"advcl", "ccomp", "xcomp"} for each in clause.verb.children)
    duty = clause.modal in {"must", "shall"} and not clause.is_passive and not clause.negated
    somebody = clause.subject.lower_ == "you" or _DOERS.search(clause.subject.lower_) is not None
    done = len(clause.auxiliaries) == 1 and bool(clause.children("dobj")) and clause.verb.lemma_ not in _NO_DEED
    return duty and free and somebody and done and not clause.brief


def _is_event(clause: Clause) -> bool:
    """Return whether a clause says that something named happened once."""
    past = (*clause.auxiliaries, clause.verb)[0].tag_ == "VBD"
    named = clause.subject.pos_ == "PROPN" or any(each.pos_ == "PROPN" for each in clause.subject.subtree)
    done = clause.is_passive or any(each.pos_ in {"NOUN", "PROPN"} for each in clause.children("dobj"))
    return past and named and done and not clause.negated and clause.verb.lemma_ in _HAPPENS_ONCE


def _has(clause: Clause, kinds: Sequence[str] | frozenset[str]) -> bool:
    return any(each.ent_type_ in kinds for each in clause.verb.sent)
