"""Rules that fit many sentences, good and poor alike: where, when, how, what to do, what for, whether it is so.

Less than half of what they ask is good. The ranker tells which: readers judged their questions before it learned.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from evaluation.question_writers.rules.asking_closed import LIMITING, leaves_out
from evaluation.question_writers.rules.candidates import Ask
from evaluation.question_writers.rules.clauses import Clause, tidy, tree_text
from evaluation.question_writers.rules.nouns import as_said, has_role, keeping_subject, phrases_of
from evaluation.question_writers.rules.parsing import in_sentence, subtree
from rag_pipeline.english.words import word_set

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_PLACES = word_set(
    "office room building page website site section folder menu file tab settings screen desk centre center library "
    "hall department portal app drawer cupboard store shop counter school hospital street road pavement area "
    "top bottom corner side front back end database server directory repository"
)
_WHERE = word_set("in at on near outside inside within under above below behind")
_AMOUNTS = frozenset({"DATE", "TIME", "MONEY", "PERCENT", "CARDINAL", "ORDINAL", "QUANTITY"})
_NO_PLACES = word_set(
    "case cases way ways order fact addition part detail general particular advance place time times terms relation "
    "respect line response accordance effect use turn return charge favour favor question conjunction total writing "
    "person behalf basis condition conditions need mind year years month day week period stage event result course"
)
_PLACED = word_set("locate find store keep hold situate list place install live bear bury display house publish")
_CONDITIONS = word_set("if when once unless until after before")
_SITUATIONS = frozenset({"if", "when", "before", "after", "where"})
_LONGEST_CONDITION = range(3, 21)
_ASKED_MODALS = {"may": "can", "could": "can", "might": "can", "shall": "must"}
_BEFALLS = word_set("be have receive see get lose need notice find want wish")
_USED = word_set("use design intend need require develop make create build set aim mean")
_GOALS = word_set("goal aim purpose objective mission task role function intent intention duty job responsibility")
_PERIODS = word_set(
    "period session semester term quarter meeting hearing trial pregnancy treatment enrollment week hour"
)
_ADVISED = word_set("see refer note remember consider try think be make let")
_SAY_SO = range(5, 33)


def where(clause: Clause) -> Iterator[Ask]:
    """`Most offices are located in Lisbon` → `Where are most offices located?` in Lisbon."""
    for part, noun in phrases_of(clause):
        named = noun.ent_type_ in {"GPE", "LOC", "FAC"}
        placed = clause.verb.lemma_.lower() in _PLACED
        fits = part.lower_ in _WHERE and noun.ent_type_ not in _AMOUNTS and noun.lower_ not in _NO_PLACES
        behind = noun.pos_ in {"NOUN", "PROPN"} and part.i > clause.verb.i
        if fits and behind and (named or placed or noun.lemma_.lower() in _PLACES):
            yield Ask(keeping_subject(clause, "where", [part]), tree_text(part))


def on_condition(clause: Clause) -> Iterator[Ask]:
    """`You can buy Part A if you are not eligible for it` → `When can I buy Part A?` if you are not …"""
    for part, first, said in _situations(clause.verb):
        if first in _CONDITIONS and (clause.is_general or first not in {"if", "unless"}):
            yield Ask(keeping_subject(clause, "when", [part]), said)


def what_can_i(clause: Clause) -> Iterator[Ask]:
    """`If you disagree, you can appeal` → `What can I do if I disagree?` appeal."""
    if clause.subject.lower_ != "you" or clause.negated or not clause.modal:
        return
    befalls = clause.verb.lemma_ in _BEFALLS or clause.is_passive or clause.modal == "will"
    asking = "what happens" if befalls else f"what {_ASKED_MODALS.get(clause.modal, clause.modal)} you do"
    begin = clause.subject.left_edge.i if befalls else clause.verb.i
    for part, first, said in _situations(clause.verb):
        answer = in_sentence([each for each in subtree(clause.verb, [part]) if each.i >= begin]).strip(" ,;:.")
        if first in _SITUATIONS and len(answer.split()) > 1:
            yield Ask(as_said(tidy(f"{asking} {said}")), answer)


def by_what(clause: Clause) -> Iterator[Ask]:
    """`Payments can be made by credit card` → `How can payments be made?` by credit card."""
    for part, noun in phrases_of(clause):
        means = part.lower_ in {"via", "through", "using", "by"} and noun.ent_type_ not in _AMOUNTS
        somebody = has_role(noun) or part.dep_ == "agent"
        told = clause.is_passive or clause.modal in {"can", "may", "must", "should"}
        if means and told and not somebody and noun.pos_ in {"NOUN", "PROPN"} and part.i > clause.verb.i:
            yield Ask(keeping_subject(clause, "how", [part]), tree_text(part))


def purpose(clause: Clause) -> Iterator[Ask]:
    """`The fund is used to pay for repairs` → `What is the fund used for?` to pay for repairs."""
    for part in clause.children("xcomp", "advcl"):
        to = part.tag_ == "VB" and part.left_edge.lower_ in {"to", "in"}
        said = tree_text(part)
        if to and clause.is_passive and clause.verb.lemma_ in _USED and len(said.split()) in range(2, 25):
            yield Ask(as_said(clause.question("what", clause.parts(), end="for")), said)
    goal = clause.subject.lemma_.lower() in _GOALS and clause.verb.lemma_ == "be" and not clause.auxiliaries
    for part in clause.children("xcomp", "ccomp") if goal else ():
        said = in_sentence([each for each in subtree(part) if each.i > clause.verb.i]).strip(" ,;:.")
        yield Ask(as_said(tidy(f"what {clause.verb.lower_} {clause.said_subject()}")), said)


def during(clause: Clause) -> Iterator[Ask]:
    """`You can sign up during the open period` → `When can you sign up?` during the open period."""
    for part, noun in phrases_of(clause):
        timed = part.lower_ in {"during", "after", "before", "until", "within", "upon", "from", "between", "at", "on"}
        time = noun.ent_type_ in {"DATE", "TIME"} or noun.lemma_.lower() in _PERIODS
        if timed and time and clause.is_general and part.i > clause.verb.i:
            yield Ask(keeping_subject(clause, "when", [part]), tree_text(part))


def is_so(clause: Clause) -> Iterator[Ask]:
    """`The council approved the budget` → `Did the council approve the budget?` Yes."""
    joined = clause.verb.dep_ == "conj" or any(each.dep_ in {"conj", "advcl", "cc"} for each in clause.verb.children)
    bare = not clause.children("dobj", "attr", "acomp", "prep", "agent")
    limited = any(each.lower_ in LIMITING for each in clause.verb.subtree)
    if joined or bare or limited or clause.negated or clause.named or clause.brief or clause.subject.pos_ == "PRON":
        return
    text = re.sub(r"^(?:May|Shall)\b", lambda match: _ASKED_MODALS[match[0].lower()].title(), clause.question(""))
    verbs = " ".join(each.lower_ for each in (*clause.auxiliaries, clause.verb))
    if not leaves_out(list(clause.verb.subtree), text, negated=False):
        yield Ask(as_said(text), "Yes", (tidy(f"is it true that {clause.said_subject()} {verbs} {clause.rest()}"),))


def advice(sentence: Span) -> Iterator[Ask]:
    """`If you lose your card, call us` → `What should I do if I lose my card?` call us."""
    order = sentence.root
    subject = any(each.dep_ in {"nsubj", "nsubjpass", "expl"} for each in order.children)
    if subject or order.tag_ not in {"VB", "VBP"} or order.lemma_ in _ADVISED:
        return
    for part, first, said in _situations(order):
        answer = in_sentence([each for each in subtree(order, [part]) if each.lower_ != "please"]).strip(" ,;:.")
        if first in _SITUATIONS and len(answer.split()) in _SAY_SO:
            yield Ask(as_said(tidy(f"what should I do {said}")), answer)


def _situations(verb: Token) -> Iterator[tuple[Token, str, str]]:
    """Yield the clauses that say when something holds, each with its first word and as it stands in a question."""
    for part in verb.children:
        said = tree_text(part).strip(" ,;:.")
        own = any(each.dep_ in {"nsubj", "nsubjpass"} for each in part.children)
        if part.dep_ == "advcl" and own and len(said.split()) in _LONGEST_CONDITION:
            yield part, part.left_edge.lower_, f"{said[:1].lower()}{said[1:]}"
