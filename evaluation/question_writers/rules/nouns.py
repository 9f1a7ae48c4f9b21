"""What rules ask nouns: who or what, counted or not, behind which preposition."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from evaluation.question_writers.rules.candidates import Wording
from evaluation.question_writers.rules.clauses import Clause, tree_text
from evaluation.question_writers.rules.entities import ORGANISATION_WORDS, looks_like_person
from rag_pipeline.english.lemmas import parts_of_speech
from rag_pipeline.english.words import word_set

if TYPE_CHECKING:
    from spacy.tokens import Token

_FOLK = word_set(
    "musicians players writers authors scientists researchers people students teachers critics members officials "
    "doctors physicians judges historians philosophers artists engineers farmers soldiers workers women men children"
)
OCCUPATIONS = word_set(
    "singer songwriter actor actress author writer poet novelist president king queen emperor politician player "
    "footballer physicist chemist biologist scientist mathematician philosopher musician composer painter artist "
    "director producer lawyer judge general admiral saint bishop explorer inventor engineer businessman rapper comedian"
)
"""What only persons are, also where a text has no capitals."""
ACTORS = frozenset({"PERSON", "ORG", "GPE", "NORP"})
_IN_A_ROLE = re.compile(
    r"(?:[^e]er|or|ee|ant|ist|ian)s?$|^(?:person|people|stud\w+|client|resident|agent|staff|part(?:y|ies)|compan(?:y|ies)|board|"
    r"committee|team|council|court|parents?|child(?:ren)?|members?|bank|state|agency|authority|spouse)s?$"
)
_NOBODY = word_set(
    "letter paper number order folder header buffer server computer printer container parameter filter power water "
    "cover offer transfer matter manner register charter chapter quarter layer marker error factor vector monitor "
    "processor fee degree tree restaurant instant grant plant warrant list floor door color colour sensor motor "
    "behavior winter summer weather center counter timer scanner browser compiler interpreter parser loader driver "
    "adapter router controller pointer iterator operator constructor selector indicator descriptor executor"
)
_SET_PHRASES = frozenset({"into law", "into account", "into force", "on foot", "of course", "to death", "in place"})


def who_or_what(token: Token, *, subject: bool = False) -> str:
    """Return the word that asks for a noun."""
    if token.ent_type_ == "PERSON" and token.pos_ == "PROPN" and is_actor(token):
        return "who"
    if token.ent_type_ == "NORP" and token.pos_ == "PROPN":
        return "who"
    return "who" if subject and token.lower_ in {"people", "person"} else "what"


def is_actor(noun: Token) -> bool:
    """Return whether a noun is surely somebody: `Marie Curie`, `the Romans`, `the Free Software Foundation`."""
    if noun.ent_type_ == "ORG":
        return bool((ORGANISATION_WORDS - {"service", "services"}) & {each.lower_ for each in noun.subtree})
    if noun.ent_type_ == "PERSON":
        named = [each.text for each in noun.subtree if each.ent_type_ == "PERSON" and each.text[:1].isupper()]
        single = len(named) == 1 and not parts_of_speech(noun.lower_) and noun.text[1:].islower()
        return single or looks_like_person(named)
    people = noun.ent_type_ == "NORP" and (noun.tag_ == "NNPS" or noun.lower_.endswith("s"))
    return people or (noun.ent_type_ == "GPE" and noun.pos_ == "PROPN") or noun.lower_ in _FOLK


def has_role(noun: Token) -> bool:
    """Return whether a noun is most likely somebody: `the tenant`, `any member`, `the finance director`."""
    return is_actor(noun) or (_IN_A_ROLE.search(noun.lower_) is not None and noun.lemma_.lower() not in _NOBODY)


def is_counted(noun: Token) -> bool:
    """Return whether a number stands before a noun."""
    return any(each.dep_ == "nummod" for each in noun.children)


def phrases_of(clause: Clause) -> Iterator[tuple[Token, Token]]:
    """Yield the clause's prepositional phrases with their nouns."""
    for part in clause.parts():
        if part.dep_ == "prep" and tree_text(part).lower() not in _SET_PHRASES:
            noun = next((each for each in part.children if each.dep_ == "pobj"), None)
            if noun is not None:
                yield part, noun


def keeping_subject(
    clause: Clause, asking: str, without: Sequence[Token] = (), end: str = "", other_asking: str = ""
) -> Wording:
    """Return the wordings of a question that keeps the clause's subject: `When did the Empire take Warsaw?`"""
    return lambda other: clause.question((other and other_asking) or asking, without, reworded=other, end=end)


def as_said(text: str) -> Wording:
    """Return the wording of a question that has no other words."""
    return lambda _other: text
