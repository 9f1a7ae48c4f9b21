"""Rules that ask for the terms of what holds in general: how long, how often, how soon, to whom, how much."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from evaluation.question_writers.rules.candidates import Ask
from evaluation.question_writers.rules.clauses import Clause, full, tree_text
from evaluation.question_writers.rules.nouns import as_said, has_role, phrases_of
from evaluation.question_writers.rules.parsing import in_sentence, phrase, subtree
from rag_pipeline.english.words import word_set

if TYPE_CHECKING:
    from spacy.tokens import Token

_TIMES = word_set(
    "second minute hour day week month quarter year seconds minutes hours days weeks months quarters years semester "
    "semesters business working calendar"
)
_REGULARLY = word_set("annually yearly monthly weekly daily quarterly hourly biannually biweekly semiannually nightly")
_OFTEN = re.compile(
    r"(?:(?:at least|about) )?(?:(?:every|each|once|twice|\w+ times) (?:an?|per|every|each|\w+)\b.*|"
    rf"{'|'.join(sorted(_REGULARLY))})"
)
_SENT = word_set("send submit address forward report return deliver direct refer mail hand give present pay file")
_HEADS = word_set("dean chief head chair secretary registrar president clerk principal hr management")
_PLACES = word_set("address office department desk box portal website page inbox mailbox centre center branch bureau")
_LATER = frozenset({"after", "of", "from", "following", "before"})


def how_long(clause: Clause) -> Iterator[Ask]:
    """`Records are kept for seven years` → `How long are records kept?`"""
    if not _holds(clause):
        return
    for part, noun in phrases_of(clause):
        length = part.lower_ == "for" and _is_length(noun)
        if length and clause.verb.lemma_ != "be":
            answer, said = _with_start(clause, part)
            yield Ask(as_said(clause.question("how long", said)), answer.removeprefix("for "))


def how_often(clause: Clause) -> Iterator[Ask]:
    """`The filter should be replaced every six months` → `How often should the filter be replaced?`"""
    if not _holds(clause):
        return
    counted = frozenset({"once", "twice", "times"})
    for part in clause.verb.children:
        said = tree_text(part)
        timed = part.lower_ in _REGULARLY | _TIMES | counted and part.dep_ in {"npadvmod", "advmod"}
        again = any(each.lower_ in counted for each in clause.verb.subtree if each not in part.subtree)
        if timed and not again and _OFTEN.fullmatch(said.lower()) and part.i > clause.verb.i:
            yield Ask(as_said(clause.question("how often", [part])), said)


def how_soon(clause: Clause) -> Iterator[Ask]:
    """`The deposit must be returned within 30 days of …` → `How soon must the deposit be returned?`"""
    if not _holds(clause) or not (clause.modal in {"must", "shall", "should", "will"} or clause.is_passive):
        return
    for part, noun in phrases_of(clause):
        if part.lower_ == "within" and _is_length(noun):
            answer, said = _with_start(clause, part)
            yield Ask(as_said(clause.question("how soon", said)), answer)


def to_whom(clause: Clause) -> Iterator[Ask]:
    """`Complaints should be sent to the dean` → `Who should complaints be sent to?`"""
    if (
        not _holds(clause)
        or clause.verb.lemma_ not in _SENT
        or not (clause.is_passive or clause.subject.lower_ == "you")
    ):
        return
    for part in clause.children("prep", "dative"):
        noun = next((each for each in part.children if each.dep_ == "pobj"), None)
        if part.lower_ != "to" or noun is None:
            continue
        said = [each for each in clause.parts() if each.dep_ in {"prep", "dative", "npadvmod", "advmod"}]
        if has_role(noun) or noun.lower_ in _HEADS:
            yield Ask(as_said(clause.question("who", said, end="to")), full(noun))
        elif noun.lower_ in _PLACES:
            yield Ask(as_said(clause.question("where", said)), full(noun))


def how_much(clause: Clause) -> Iterator[Ask]:
    """`Employees receive 25 days of paid leave` → `How many days of paid leave do employees receive?`"""
    if not _holds(clause):
        return
    for noun in clause.children("dobj"):
        number = next((each for each in noun.children if each.dep_ == "nummod"), None)
        of = any(each.lower_ == "of" for each in noun.children)
        if number is None or not number.like_num or noun.lower_ not in _TIMES or not (of or _is_measured(noun)):
            continue
        counted = in_sentence([each for each in phrase(noun) if each.i > number.i])
        answer = in_sentence([each for each in noun.subtree if each.i <= number.i])
        yield Ask(as_said(clause.question(f"how many {counted}", [noun])), answer)


def _holds(clause: Clause) -> bool:
    """Return whether a clause says what holds in general of something with a name of its own."""
    limited = any(each.dep_ in {"advcl", "neg"} for each in clause.verb.children)
    perfect = any(each.lemma_ == "have" for each in clause.auxiliaries)
    bare = clause.verb.dep_ == "conj" and clause.verb.tag_ == "VBG"  # `should be up and running`
    return clause.is_general and not (clause.named or limited or clause.brief or perfect or bare)


def _is_length(noun: Token) -> bool:
    """Return whether a noun is a number of days, months, …, or a term of so many."""
    inner = [one for each in noun.children if each.lower_ == "of" for one in each.children if one.dep_ == "pobj"]
    of = noun.lower_ in {"period", "term", "maximum", "minimum", "total"} and any(map(_is_length, inner))
    numbered = any(each.dep_ == "nummod" or each.lower_ in {"a", "an", "one"} for each in noun.children)
    return of or (noun.lower_ in _TIMES and numbered)


def _is_measured(noun: Token) -> bool:
    return any(each.dep_ in {"compound", "amod"} and each.lower_ not in _TIMES for each in noun.children)


def _with_start(clause: Clause, part: Token) -> tuple[str, list[Token]]:
    """Return a time with what says from when on it counts, and the parts of the verb that say it."""
    behind = part.right_edge.i + 1
    start = [each for each in clause.verb.children if each.lower_ in _LATER and each.left_edge.i == behind]
    answer = " ".join(in_sentence(subtree(each)) for each in (part, *start)).strip(" ,;.")
    return answer, [part, *start]
