"""Rules that ask for what a passage does not say: when something happened, or where."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from evaluation.question_writers.rules.candidates import Ask
from evaluation.question_writers.rules.clauses import Clause
from evaluation.question_writers.rules.nouns import keeping_subject, phrases_of
from rag_pipeline.english.words import word_set

_HAPPENS_ONCE = word_set(
    "sign meet discover found establish open perform record release marry study invent publish present announce build "
    "design write win sell buy launch introduce create appoint elect arrest kill destroy capture complete adopt file "
    "develop start begin join lose defeat receive award name sue hire replace close acquire approve reject settle"
)
_TIMES = word_set(
    "after before during when while until since later early ago century year day month first last next then"
)
_TIMED, _PLACED = frozenset({"DATE", "TIME"}), frozenset({"GPE", "LOC", "FAC"})
NOT_SAID = "unknown"


def no_date(clause: Clause) -> Iterator[Ask]:
    """`Curie discovered radium` → `When did Curie discover radium?`"""
    words = {each.lower_ for each in clause.verb.sent}
    if _is_event(clause) and not _TIMES & words and not _has(clause, _TIMED):
        yield Ask(keeping_subject(clause, "when"), NOT_SAID)


def no_place(clause: Clause) -> Iterator[Ask]:
    """`Curie discovered radium` → `Where did Curie discover radium?`"""
    of = any(each.lower_ in {"of", "in"} for each in clause.subject.children)  # `the University of Warsaw` says it
    if _is_event(clause) and not of and not _has(clause, _PLACED):
        dates = [part for part, noun in phrases_of(clause) if noun.ent_type_ in _TIMED]
        yield Ask(keeping_subject(clause, "where", dates), NOT_SAID)


ABSENT: dict[str, Callable[[Clause], Iterator[Ask]]] = {"no_date": no_date, "no_place": no_place}


def _is_event(clause: Clause) -> bool:
    """Return whether a clause says that something named happened once."""
    past = (*clause.auxiliaries, clause.verb)[0].tag_ == "VBD"
    named = clause.subject.pos_ == "PROPN" or any(each.pos_ == "PROPN" for each in clause.subject.subtree)
    done = clause.is_passive or any(each.pos_ in {"NOUN", "PROPN"} for each in clause.children("dobj"))
    return past and named and done and not clause.negated and clause.verb.lemma_ in _HAPPENS_ONCE


def _has(clause: Clause, kinds: Sequence[str] | frozenset[str]) -> bool:
    return any(each.ent_type_ in kinds for each in clause.verb.sent)
