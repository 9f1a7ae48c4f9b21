"""Rules that ask what something is, what is said of it, why, how and under which conditions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from evaluation.question_writers.rules.candidates import Ask
from evaluation.question_writers.rules.clauses import Clause, full, tidy, tree_text
from evaluation.question_writers.rules.nouns import (
    ACTORS,
    OCCUPATIONS,
    as_said,
    has_role,
    is_actor,
    keeping_subject,
    who_or_what,
)
from evaluation.question_writers.rules.parsing import in_sentence, phrase, subtree
from rag_pipeline.english.lemmas import content_lemmas, parts_of_speech
from rag_pipeline.english.words import word_set

if TYPE_CHECKING:
    from spacy.tokens import Token

_NO_KIND = word_set(
    "one part example way reason characteristic form kind type case result lot number matter source determinant "
    "factor artifact element aspect role issue problem trademark product"
)
"""Nouns behind `is a` that do not say what something is."""
_FINDING_OUT = word_set("determine check see ask decide know test wonder detect verify tell find")
"""Verbs that `if` completes: `checks if the file exists`."""
_LEAST_NEW = 2
"""Words that a definition says beside those of what it defines."""
_WISHES = word_set("want need have wish like be plan know")


def definition(clause: Clause) -> Iterator[Ask]:
    """`A trustee is a person who …` → `What is a trustee?`; `Who was Kopernik?`"""
    if clause.verb.lemma_ != "be" or clause.auxiliaries or clause.negated or clause.children("advmod"):
        return  # `is no longer a protocol`, `is merely a pattern`
    for noun in clause.children("attr"):
        known = any(each.dep_ == "det" and each.lower_ in {"a", "an", "the"} for each in noun.children)
        if noun.pos_ != "NOUN" or not (known or noun.tag_ == "NNS") or len(clause.said_subject().split()) > 5:
            continue
        asking = _who_or_what(clause.subject, noun)
        if not _can_be_defined(clause, noun) or len(clause.subject.text) < 2:
            continue
        answer = re.sub(r"^(?:just|simply|only|merely) ", "", _defining(noun))
        added = set(content_lemmas(answer)) - set(content_lemmas(clause.said_subject()))
        if len(added) < _LEAST_NEW or answer.startswith("either "):
            continue
        if len(answer.split()) >= 3 and noun.lemma_.lower() not in _NO_KIND:
            said = f"{clause.verb.lower_} {clause.said_subject()}"
            others = (
                (f"Can you explain what {clause.said_subject()} {clause.verb.lower_}?",) if asking == "what" else ()
            )
            yield Ask(as_said(tidy(f"{asking} {said}")), answer, others)


def named_thing(clause: Clause) -> Iterator[Ask]:
    """`The capital of Oyo is Ibadan` → `What is the capital of Oyo?` Ibadan."""
    if clause.verb.lemma_ != "be" or clause.auxiliaries or clause.negated:
        return
    somebody = has_role(clause.subject) or clause.subject.lemma_.lower() in OCCUPATIONS
    for noun in clause.children("attr"):
        if noun.pos_ in {"NOUN", "PROPN", "NUM"}:
            asking = who_or_what(noun) if somebody else "what"
            yield Ask(as_said(tidy(f"{asking} {clause.verb.lower_} {clause.said_subject()}")), full(noun))


def _who_or_what(subject: Token, attribute: Token) -> str:
    """Return the word that asks for what something is said to be."""
    person = is_actor(subject) and subject.ent_type_ == "PERSON"
    return "who" if person or attribute.lemma_.lower() in OCCUPATIONS else "what"


def _can_be_defined(clause: Clause, noun: Token) -> bool:
    """Return whether an `a` or `the` behind `is` says what something is, not what happened to it once."""
    subject = clause.subject
    if any(each.dep_ == "conj" for each in subject.children) or (noun.tag_ == "NN") == (
        clause.verb.lower_ in {"are", "were"}
    ):
        return False
    if subject.ent_type_ == "PERSON":
        return len(clause.said_subject().split()) > 1
    if subject.pos_ == "PROPN":
        return clause.verb.lower_ == "is" or subject.ent_type_ in {"ORG", "GPE", "FAC", "LOC", "WORK_OF_ART", "EVENT"}
    definite = any(each.dep_ == "det" and each.lower_ == "the" for each in subject.children)
    judged = any(each.dep_ == "amod" for each in subject.children) and noun.left_edge.lower_ == "the"
    return clause.is_general and not judged and (not definite or any(each.dep_ == "prep" for each in subject.children))


def _defining(noun: Token) -> str:
    tokens = phrase(noun)
    return in_sentence(tokens)


def called(clause: Clause) -> Iterator[Ask]:
    """`The fund is called the Trust` → `What is the fund called?`"""
    if clause.verb.lemma_ in {"call", "name", "know", "title", "entitle", "nickname"} and clause.is_passive:
        for noun in clause.children("oprd", "prep"):
            if (noun.dep_ == "prep") != (clause.verb.lemma_ == "know" and noun.lower_ == "as"):
                continue
            answer = tree_text(noun).removeprefix("as ")
            asking = "what"
            if clause.verb.lemma_ == "know":
                yield Ask(as_said(clause.question(asking, clause.parts(), end="as")), answer)
            else:
                yield Ask(as_said(clause.question(asking, [noun])), answer)


def why(clause: Clause) -> Iterator[Ask]:
    """`… because …`, `… due to …`, `in order to …` → `Why …?`"""
    for part in clause.verb.children:
        reason = _reason(part)
        if reason and part.i > clause.verb.i:
            yield Ask(keeping_subject(clause, "why", [part]), reason)


def _reason(part: Token) -> str:
    text = tree_text(part)
    lower = text.lower()
    if part.dep_ == "advcl" and lower.startswith(("because ", "in order to ", "so that ")):
        return text
    if part.dep_ == "prep" and lower.startswith(("because of ", "due to ", "owing to ")):
        return text
    verb = "VERB" in parts_of_speech(part.lower_)
    aimed = part.dep_ == "advcl" and verb and part.tag_ == "VB" and part.left_edge.lower_ == "to"
    passive = any(each.dep_ == "auxpass" for each in part.head.children)
    actor = any(each.dep_ == "nsubj" and each.ent_type_ in ACTORS for each in part.head.children)
    aimed = aimed and (passive or actor)
    return text if aimed and 3 <= len(text.split()) <= 16 and part.left_edge.i > part.head.i + 1 else ""


def how(clause: Clause) -> Iterator[Ask]:
    """`… by heating the ore` → `How …?`"""
    if any(each.lower_ == "also" for each in clause.verb.children):
        return  # one way of several
    for part in clause.children("prep"):
        verb = next((each for each in part.children if each.dep_ == "pcomp" and each.tag_ == "VBG"), None)
        if verb is not None and part.lower_ == "by" and part.i > clause.verb.i:
            yield Ask(keeping_subject(clause, "how", [part]), tree_text(part))


def outcome(clause: Clause) -> Iterator[Ask]:
    """`If the payment is late, interest is added` → `What happens if the payment is late?`"""
    for part in _conditions(clause):
        said = tree_text(part).removesuffix(" then")
        begin = clause.subject.left_edge.i
        tokens = [each for each in subtree(clause.verb, [part]) if each.i >= begin and each.text != "."]
        answer = in_sentence(tokens).strip(" ,;")
        wish = part.lemma_ in _WISHES and any(each.lower_ == "you" for each in part.children)
        own = clause.subject in clause.verb.children and _is_usual(part)
        own = own and clause.verb.lemma_ not in _FINDING_OUT
        asked = _asked_of(clause)
        usual = own and clause.is_general and not wish and said.lower().startswith("if ")
        if usual and asked and 4 <= len(said.split()) <= 16:
            yield Ask(as_said(tidy(f"{asked} i{said[1:]}")), answer)


def _asked_of(clause: Clause) -> str:
    """Return what asks for what follows from a condition: what happens, what to do; empty for mere advice."""
    if clause.subject.lower_ != "you" or clause.negated:
        return "what happens"
    needed = clause.verb.lemma_ in {"need", "have"} and clause.children("xcomp")
    if needed or clause.modal in {"must", "should", "shall"}:
        return "what should I do" if clause.modal == "should" else "what do I have to do"
    return "" if clause.modal in {"can", "may", "might", "could"} else "what happens"


def _is_usual(condition: Token) -> bool:
    """Return whether a condition is one that comes up: `if you move`, not `if you moved`, nor a further one."""
    first = next((each for each in condition.children if each.dep_ in {"aux", "auxpass"}), condition)
    vague = any(each.lower_ in {"also", "no", "any"} for each in condition.subtree)
    return first.tag_ in {"VBZ", "VBP"} and not vague


def _conditions(clause: Clause) -> list[Token]:
    found = []
    for each in clause.children("advcl"):
        first = each.left_edge.lower_
        if first in {"if", "when"} and any(one.dep_ in {"nsubj", "nsubjpass"} for one in each.children):
            found.append(each)
    return found
