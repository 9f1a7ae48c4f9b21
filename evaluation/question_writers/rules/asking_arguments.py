"""Rules that ask for what a verb goes with: who does it, to what, when, where, by whom."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from evaluation.question_writers.rules.candidates import Ask, Wording
from evaluation.question_writers.rules.clauses import Clause, full, tidy, tree_text
from evaluation.question_writers.rules.nouns import (
    ACTORS,
    is_counted,
    keeping_subject,
    phrases_of,
    who_or_what,
)
from evaluation.question_writers.rules.parsing import in_sentence, phrase, written
from evaluation.question_writers.rules.synonyms import inflected, other_verb
from rag_pipeline.english.words import word_set

if TYPE_CHECKING:
    from spacy.tokens import Token

_YEAR = re.compile(r"(?:1[0-9]|20)\d\d(?:s|–\d+)?$")
_PLACES = word_set("GPE LOC FAC")
_STRANDED = word_set("on to of with from for into against about through")
_BUILT_IN = word_set("result specialise specialize participate engage consist invest")
_DIRECTIONS = frozenset({"west", "east", "north", "south", "way", "place", "part"})
_LIGHT = word_set("have do make take give call name get")
"""Verbs that say little, or whose object is often read wrongly."""
_LISTING = word_set("include comprise contain consist cover")
_LINKING = word_set("be become remain have seem mean appear contain include do make")
_DOING = word_set(
    "write form pronounce make measure determine define express represent denote describe calculate store "
    "treat classify pay use sort identify mark divide spell indicate handle"
)


def subject(clause: Clause) -> Iterator[Ask]:
    """`The Ottomans captured Warsaw` → `Who captured Warsaw?` The Ottomans."""
    noun = clause.subject
    if clause.named or clause.verb.lemma_ in _LINKING or not clause.rest() or not _is_definite_name(noun):
        return
    numbered = any(each.like_num for each in noun.subtree)
    asking = "what" if numbered or (clause.is_passive and noun.ent_type_ in {"ORG", "GPE"}) else "who"
    yield Ask(lambda other: clause.question_for_subject(asking, reworded=other), full(noun))


def _is_definite_name(noun: Token) -> bool:
    return noun.pos_ == "PROPN" and noun.ent_type_ in ACTORS


def object_(clause: Clause) -> Iterator[Ask]:
    """`Curie discovered radium in 1898` → `What did Curie discover in 1898?` radium."""
    for noun in clause.children("dobj"):
        if noun.pos_ not in {"NOUN", "PROPN"} or clause.verb.lemma_ in _LIGHT | _LISTING:
            continue
        if (
            is_counted(noun)
            or noun.ent_type_ in {"MONEY", "PERCENT", "DATE"}
            or noun.tag_ == "PRP"
            or noun.lower_ in _DIRECTIONS
        ):
            continue
        asking = who_or_what(noun)
        yield Ask(keeping_subject(clause, asking, [noun]), full(noun))


def manner(clause: Clause) -> Iterator[Ask]:
    """`Acronyms are written in capital letters` → `How are acronyms written?`"""
    for part, noun in phrases_of(clause):
        fits = part.lower_ in {"with", "in", "by", "through", "as", "using"} and part.i == clause.verb.i + 1
        if clause.is_passive and fits and clause.verb.lemma_ in _DOING and noun.pos_ == "NOUN" and not noun.ent_type_:
            left_out = [each for each in clause.parts() if each.dep_ == "prep"]
            yield Ask(keeping_subject(clause, "how", left_out), in_sentence(phrase(part)))


def when(clause: Clause) -> Iterator[Ask]:
    """`… in 1596` → `When did …?`"""
    for part, noun in phrases_of(clause):
        if noun.ent_type_ != "DATE" or part.lower_ not in {"in", "on", "by", "since", "until", "around", "between"}:
            continue
        answer = written(phrase(noun))
        if clause.verb.lemma_ == "be" and not clause.children("attr", "acomp"):
            continue
        if part.lower_ == "between":
            answer = f"between {answer}"
        if not re.search(r"\d{4}|\b\d{1,2}\b", answer) or re.search(r"\b(?:age|days?|weeks?|years?|months?)\b", answer):
            continue
        rest = [part]
        year = (clause.question("what year", rest),) if _YEAR.match(answer) and part.lower_ == "in" else ()
        asking = {"by": "by when", "since": "since when", "until": "until when"}.get(part.lower_, "when")
        said = "what year" if year and len(clause.verb.text) % 2 else asking
        yield Ask(keeping_subject(clause, asking, rest, other_asking=said), answer, year)


def where(clause: Clause) -> Iterator[Ask]:
    """`… in Warsaw` → `Where did …?`"""
    for part, noun in phrases_of(clause):
        if part.lower_ not in {"in", "at", "near", "on"} or noun.ent_type_ not in _PLACES or noun.pos_ != "PROPN":
            continue
        if part.i < clause.verb.i:
            continue
        answer = written(phrase(noun)) if part.lower_ != "near" else written(phrase(part))
        yield Ask(keeping_subject(clause, "where", [part]), answer)


def by_whom(clause: Clause) -> Iterator[Ask]:
    """`… was designed by X` → `Who designed …?`"""
    for agent in clause.children("agent"):
        noun = next((each for each in agent.children if each.dep_ == "pobj"), None)
        if noun is None or noun.pos_ not in {"NOUN", "PROPN"}:
            continue
        person = noun.ent_type_ in ACTORS or (noun.tag_ == "NNS" and noun.pos_ == "PROPN")
        asking = "who" if person else "what"
        others = (clause.question("by whom", [agent]), clause.question(asking, [agent], end="by"))
        yield Ask(
            _by_agent(clause, asking, agent),
            in_sentence(phrase(noun)),
            others if person else others[1:],
        )


def _by_agent(clause: Clause, asking: str, agent: Token) -> Wording:
    return lambda other: _actively(clause, asking, agent, reworded=other)


def _actively(clause: Clause, asking: str, agent: Token, *, reworded: bool) -> str:
    """Return `Who designed the palace?` for `was designed by`."""
    first = clause.auxiliaries[0].lower_ if clause.auxiliaries else ""
    if len(clause.auxiliaries) != 1 or first not in {"is", "are", "was", "were"} or clause.negated:
        return clause.question(asking, [agent], reworded=reworded, end="by")
    base = other_verb(clause.verb) if reworded else clause.verb.lemma_.lower()
    verb = inflected(base, "VBZ" if first in {"is", "are"} else "VBD")
    return tidy(f"{asking} {verb} {clause.said_subject(reworded=reworded)} {clause.rest([agent], reworded=reworded)}")


def stranded(clause: Clause) -> Iterator[Ask]:
    """`… depends on temperature` → `What does … depend on?`"""
    parts = [each for each in clause.parts() if each.dep_ in {"prep", "dobj", "prt", "acomp"}]
    for part, noun in phrases_of(clause):
        if parts and part.i != parts[0].i and not (len(parts) > 1 and part.i == parts[1].i and clause.is_passive):
            continue
        fits = part.lower_ in _STRANDED or (part.lower_ == "in" and clause.verb.lemma_ in _BUILT_IN)
        if not fits or noun.pos_ not in {"NOUN", "PROPN"} or noun.ent_type_ in {"DATE", "TIME", "PERCENT", "MONEY"}:
            continue
        if clause.verb.lemma_ in {"be", "start", "begin", "refer"} or is_counted(noun) or part.i > clause.verb.i + 3:
            continue
        asking = who_or_what(noun)
        left_out = [each for each in clause.parts() if each.dep_ in {"prep", "npadvmod", "advmod"}]
        if all(each.dep_ != "prep" or each is part for each in left_out if each.i > part.i and each.lower_ == "as"):
            yield Ask(
                keeping_subject(clause, asking, left_out, end=part.lower_),
                in_sentence(phrase(noun)),
            )


def used_as(clause: Clause) -> Iterator[Ask]:
    """`… serves as a market` → `What does … serve as?`"""
    for part, noun in phrases_of(clause):
        if part.lower_ == "as" and part.i == clause.verb.i + 1 and noun.pos_ == "NOUN":
            left_out = [each for each in clause.parts() if each.dep_ == "prep"]
            yield Ask(keeping_subject(clause, "what", left_out, end="as"), full(noun))


def includes(clause: Clause) -> Iterator[Ask]:
    """`Services include cleaning, cooking and repairs` → `What do services include?`"""
    if clause.verb.lemma_ not in _LISTING or clause.is_passive:
        return
    heads = clause.children("dobj") or [noun for part, noun in phrases_of(clause) if part.lower_ == "of"]
    for noun in heads:
        if sum(each.dep_ == "conj" for each in noun.subtree) >= 2:
            end = "of" if clause.verb.lemma_ == "consist" else ""
            part = noun if not end else noun.head
            yield Ask(keeping_subject(clause, "what", [part], end=end), tree_text(noun))
