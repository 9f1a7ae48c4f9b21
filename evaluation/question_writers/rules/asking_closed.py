"""A rule that asks whether something may, must or can be done, or is so: answered by *yes* or *no*."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from evaluation.question_writers.rules.candidates import Ask
from evaluation.question_writers.rules.clauses import Clause, tidy
from evaluation.question_writers.rules.nouns import has_role
from evaluation.question_writers.rules.parsing import in_sentence, subtree
from evaluation.question_writers.rules.synonyms import inflected
from rag_pipeline.english.lemmas import content_lemmas
from rag_pipeline.english.words import word_set

if TYPE_CHECKING:
    from spacy.tokens import Token

CLOSED = "yes_no"
_DUTY, _LEAVE = frozenset({"must", "shall"}), frozenset({"may", "can"})
_FORBIDDEN = frozenset({"may", "must", "shall", "can"})
"""Modal verbs whose denial forbids."""
_RULED = word_set(
    "allow permit require prohibit forbid entitle cover include exempt exclude eligible responsible liable available "
    "mandatory optional compulsory free subject necessary refundable taxable transferable confidential possible open"
)
"""Words behind `is` that say what holds for whom."""
_SAYS = word_set("allow support include require cover apply accept permit need provide offer affect expire count")
"""Verbs of which people ask whether it is so."""
LIMITING = word_set(
    "only never hardly unless except if whether when until either neither nor however where while although because "
    "likely usually often sometimes generally normally typically otherwise than rather before after further similar "
    "more other such depending almost nearly merely mostly mainly partly probably possibly perhaps maybe allegedly "
    "reportedly supposedly apparently presumably virtually barely scarcely rarely seldom occasionally frequently"
)
"""Words whose clause or limit a short question would leave out, or that point to what stands around them."""
_POSSIBLE = word_set(
    "vary result happen occur work help come seem cause lead mean take become find see contact change fail include be "
    "want wish prefer like need try encounter"
)
"""Verbs that `may` and `can` say might happen, or that send the reader elsewhere."""
_NEGATES = word_set("no none nothing nobody etc")
_NO_SUBJECT = word_set("no any each every all some many most few both neither either none nothing anything this that")
_POINTING = word_set("this that these those")
_LEAST = 3
"""Content words of a question."""


def closed(clause: Clause) -> Iterator[Ask]:
    """`Employees may carry over five days` → `Can employees carry over five days?` Yes."""
    said = [each for each in clause.verb.subtree if not _is_joined(each, clause)]
    words = {each.lower_ for each in said}
    first = next(iter(clause.subject.subtree)).lower_
    quoted = clause.subject.i > 0 and clause.subject.nbor(-1).text in {'"', "“", "'", "‘"}  # `"You" includes …`
    points = any(each.lower_ in _POINTING and each.dep_ in {"dobj", "pobj", "nsubj", "nsubjpass"} for each in said)
    odd = points or quoted or words & (LIMITING | _NEGATES | {":"})
    if clause.named or odd or first in _NO_SUBJECT or _is_said_again(clause):
        return
    start, behind = _verbs(clause)
    if not start:
        return
    rest = clause.rest()
    text = tidy(f"{start} {clause.said_subject()} {behind} {rest}")
    if len(content_lemmas(text)) >= _LEAST and not leaves_out(said, text, negated=clause.negated):
        other = tidy(f"do you know if {clause.said_subject()} {_stated(start, behind)} {rest}")
        yield Ask(lambda _other: text, "No" if clause.negated else "Yes", (other,))


def leaves_out(said: Sequence[Token], question: str, *, negated: bool) -> bool:
    """Return whether a question lacks what decides it: any word behind `not`, else any but an adverb."""
    decides = [each for each in said if each.dep_ != "neg" and (negated or each.pos_ != "ADV")]
    return not set(content_lemmas(in_sentence(decides))) <= set(content_lemmas(question))


def _stated(start: str, behind: str) -> str:
    """Return the verbs of a question as they stand in a statement: `does … cover` is `covers`."""
    if start not in {"do", "does"}:
        return f"{start} {behind}"
    first, _, others = behind.strip().partition(" ")
    return f"{inflected(first, 'VBZ') if start == 'does' else first} {others}"


def _verbs(clause: Clause) -> tuple[str, str]:
    """Return what stands before and behind the subject of the question; empty where nobody asks so."""
    modal, lemma = clause.modal, clause.verb.lemma_.lower()
    others = " ".join(each.lower_ for each in clause.auxiliaries if each.tag_ != "MD")
    rest = f"{others} {clause.verb.lower_}"
    if modal:
        if clause.negated:
            return ("can", rest) if modal in _FORBIDDEN else ("", "")
        if modal in _DUTY:
            return ("do" if clause.is_plural or clause.subject.lower_ == "you" else "does"), f"have to {rest}"
        if modal in _LEAVE and (lemma in _POSSIBLE or not _is_leave(clause)):
            return "", ""
        if modal == "should" and not has_role(clause.subject):
            return "", ""  # `The packages should be there soon` expects, and orders nothing
        return ("can", rest) if modal in _LEAVE else ("should" if modal == "should" else "", rest)
    if not clause.is_general:
        return "", ""
    ruled = {clause.verb.lower_, lemma, *(each.lower_ for each in clause.children("acomp"))} & _RULED
    if lemma == "be" and not clause.auxiliaries:
        return (clause.verb.lower_, "") if ruled else ("", "")
    if clause.is_passive:
        usable = ruled and clause.auxiliaries[0].lower_ in {"is", "are"}
        return (clause.auxiliaries[0].lower_, clause.verb.lower_) if usable else ("", "")
    usable = not clause.auxiliaries or (clause.negated and clause.auxiliaries[0].lemma_ == "do")
    do = "do" if clause.is_plural or clause.subject.lower_ in {"you", "they"} else "does"
    return (do, lemma) if usable and lemma in _SAYS else ("", "")


def _is_joined(token: Token, clause: Clause) -> bool:
    """Return whether a word belongs to a further clause, which the question does not ask about."""
    joined = [each for each in clause.verb.children if each.dep_ in {"conj", "cc"}]
    return any(token in subtree(each) for each in joined)


def _is_leave(clause: Clause) -> bool:
    """Return whether `may` and `can` allow or enable: somebody, a program, or what is done to something."""
    subject = clause.subject
    named = subject.pos_ == "PROPN" or subject.lower_ == "you" or has_role(subject)
    return clause.is_passive or named or (clause.modal == "can" and clause.verb.lemma_ != "be")


def _is_said_again(clause: Clause) -> bool:
    """Return whether the verb is one of several, whose object or limit behind the last holds for it too."""
    joined = any(each.dep_ == "conj" for each in clause.verb.children)
    bare = not clause.is_passive and not clause.children("dobj", "prep", "acomp", "attr", "xcomp", "ccomp")
    perfect = any(each.lower_ == "have" for each in clause.auxiliaries)
    again = clause.verb.dep_ == "conj" and clause.subject not in list(clause.verb.children)
    return again or perfect or (joined and bare)
