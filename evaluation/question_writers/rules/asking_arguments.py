"""Rules that ask for what a verb goes with: who does it, to what, when, by whom, on what it depends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from evaluation.question_writers.rules.candidates import Ask, Wording
from evaluation.question_writers.rules.clauses import Clause, full, tidy
from evaluation.question_writers.rules.nouns import (
    as_said,
    has_role,
    is_actor,
    is_counted,
    keeping_subject,
    phrases_of,
    who_or_what,
)
from evaluation.question_writers.rules.parsing import in_sentence, phrase, subtree, written
from evaluation.question_writers.rules.synonyms import inflected, other_verb
from rag_pipeline.english.words import word_set

if TYPE_CHECKING:
    from spacy.tokens import Token

_DATE = re.compile(
    r"\b(?:1[0-9]|20)\d\d|\b(?:January|February|March|April|May|June|July|August|September|October|November|December|"
    r"[A-Z][a-z]+days?|century)\b|\b\d+(?:st|nd|rd|th)\b"
)
_WITH_YEAR = re.compile(r"\b(?:\d{3,4}s?|centur\w+|BC|AD|BCE|CE)\b")
_YEAR = re.compile(r"(?:1[0-9]|20)\d\d(?:s|–\d+)?$")
ASKED_WITH = frozenset(
    each.replace("_", " ")
    for each in word_set(
        "use_for stand_for focus_on belong_to associate_with base_on consist_of lead_to allow_for refer_to name_after "
        "compare_to compare_with make_of come_from limit_to depend_on merge_with account_for result_in believe_in "
        "design_for characterize_by affiliate_with work_for grow_in contribute_to overlap_with connect_to agree_with "
        "rely_on compete_in compose_of split_from deal_with report_to engage_in withdraw_from divide_into evolve_from "
        "derive_from die_of suffer_from replace_by replace_with specialize_in specialise_in range_from invest_in"
    )
)
"""Verbs with a preposition of which people ask what stands behind it: `What does … depend on?`"""
_AMOUNTS = frozenset({"MONEY", "PERCENT", "DATE", "TIME"})
_STATES, _OBJECTS = word_set("be have include contain mean"), ("dobj", "ccomp", "xcomp")
_TOOL = re.compile(r"(?:^|\s)-|[-_./]\w+\b|\w[A-Z]|[A-Z]{2}")
_TOOLS = word_set(
    "option flag command setting switch button key menu function method parameter argument tool utility plugin module "
    "extension feature mode script macro filter program driver package service server"
)
"""What people ask for what it does; of others one could tell anything: `What does the frog do?`"""
_MODALS = {"may": "can", "shall": "must"}
_LINKING = word_set("be become remain have seem mean appear contain include do make")


def subject(clause: Clause) -> Iterator[Ask]:
    """`The Ottomans captured Warsaw` → `Who captured Warsaw?` The Ottomans."""
    noun = clause.subject
    # What is so in general, or is done to somebody, is often said of things that the tagger takes for somebody.
    if (
        clause.named
        or clause.is_general
        or clause.is_passive
        or clause.verb.lemma_ in _LINKING
        or not clause.rest()
        or not _is_definite_name(noun)
    ):
        return
    yield Ask(lambda other: clause.question_for_subject("who", reworded=other), full(noun))


def _is_definite_name(noun: Token) -> bool:
    """Return whether a noun names a person, a people, or plainly an organisation: the tagger takes much for one."""
    return noun.pos_ == "PROPN" and is_actor(noun) and not any(each.like_num for each in noun.subtree)


def object_(clause: Clause) -> Iterator[Ask]:
    """`Curie discovered radium in 1898` → `What did Curie discover in 1898?` radium."""
    for noun in clause.children("dobj"):
        if noun.pos_ in {"NOUN", "PROPN"} and not is_counted(noun) and noun.ent_type_ not in _AMOUNTS:
            yield Ask(keeping_subject(clause, who_or_what(noun), [noun]), full(noun))


def does(clause: Clause) -> Iterator[Ask]:
    """`The -v option prints more messages` → `What does the -v option do?` prints more messages."""
    plain = clause.verb.tag_ in {"VBZ", "VBP"} and not (clause.auxiliaries or clause.negated or clause.brief)
    tool = _TOOL.search(clause.said_subject()) is not None or clause.subject.lemma_.lower() in _TOOLS
    if plain and tool and clause.verb.lemma_ not in _STATES and clause.children(*_OBJECTS):
        asking = "what do" if clause.is_plural else "what does"
        answer = in_sentence([each for each in subtree(clause.verb) if each.i >= clause.verb.i]).strip(" ,;:.")
        yield Ask(as_said(tidy(f"{asking} {clause.said_subject()} do")), answer)


def when(clause: Clause) -> Iterator[Ask]:
    """`… in 1596` → `When did …?`"""
    for part, noun in phrases_of(clause):
        if noun.ent_type_ != "DATE" or part.lower_ not in {"in", "on", "by", "since", "until", "around", "between"}:
            continue
        answer = written([each for each in phrase(noun) if each.ent_type_ == "DATE"])
        if clause.verb.lemma_ == "be" and not clause.children("attr", "acomp"):
            continue
        if part.lower_ == "between":
            answer = f"between {answer}"
        if not _DATE.search(answer) or re.search(r"\b(?:age|days?|weeks?|years?|months?)\b", answer):
            continue
        if _DATE.search(clause.question("when", [part])):
            continue  # the other of two dates
        happened = any(each.tag_ == "VBD" for each in (clause.verb, *clause.auxiliaries))
        if happened and not _WITH_YEAR.search(answer):
            continue  # `on July 11th`, of a year that is said elsewhere
        rest = [part]
        year = (clause.question("what year", rest),) if _YEAR.match(answer) and part.lower_ == "in" else ()
        asking = {"by": "by when", "since": "since when", "until": "until when"}.get(part.lower_, "when")
        said = "what year" if year and len(clause.verb.text) % 2 else asking
        yield Ask(keeping_subject(clause, asking, rest, other_asking=said), answer, year)


def by_whom(clause: Clause) -> Iterator[Ask]:
    """`… was designed by X` → `Who designed …?`"""
    for agent in clause.children("agent"):
        noun = next((each for each in agent.children if each.dep_ == "pobj"), None)
        if noun is None or noun.pos_ not in {"NOUN", "PROPN"}:
            continue
        if not is_actor(noun) and not (clause.is_general and not clause.named and has_role(noun)):
            continue
        others = (clause.question("by whom", [agent]),)
        yield Ask(
            _by_agent(clause, "who", agent),
            in_sentence(phrase(noun)),
            others,
        )


def _by_agent(clause: Clause, asking: str, agent: Token) -> Wording:
    return lambda other: _actively(clause, asking, agent, reworded=other)


def _actively(clause: Clause, asking: str, agent: Token, *, reworded: bool) -> str:
    """Return `Who designed the palace?` for `was designed by`."""
    first = clause.modal or (clause.auxiliaries[0].lower_ if clause.auxiliaries else "")
    if clause.modal and len(clause.auxiliaries) == 2 and not clause.negated:
        rest = f"{clause.said_subject(reworded=reworded)} {clause.rest([agent], reworded=reworded)}"
        return tidy(f"{asking} {_MODALS.get(first, first)} {clause.verb.lemma_.lower()} {rest}")
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
        fits = f"{clause.verb.lemma_.lower()} {part.lower_}" in ASKED_WITH
        if not fits or noun.pos_ not in {"NOUN", "PROPN"} or noun.ent_type_ in {"DATE", "TIME", "PERCENT", "MONEY"}:
            continue
        if clause.verb.lemma_ in {"be", "start", "begin"} or is_counted(noun) or part.i > clause.verb.i + 3:
            continue
        asking = who_or_what(noun)
        left_out = [each for each in clause.parts() if each.dep_ in {"prep", "npadvmod", "advmod"}]
        if all(each.dep_ != "prep" or each is part for each in left_out if each.i > part.i and each.lower_ == "as"):
            yield Ask(
                keeping_subject(clause, asking, left_out, end=part.lower_),
                in_sentence(phrase(noun)),
            )
