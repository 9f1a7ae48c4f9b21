"""Rules for sentences that tell a reader what to do: `To undo, press u` → `How do I undo?`"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from evaluation.question_writers.rules.candidates import Ask
from evaluation.question_writers.rules.clauses import tidy
from evaluation.question_writers.rules.nouns import as_said
from evaluation.question_writers.rules.parsing import in_sentence, phrase, subtree, written
from rag_pipeline.english.lemmas import content_lemmas, lower_words
from rag_pipeline.english.words import word_set

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_WISHING = word_set("want need wish like plan")
_POINTING_ON = word_set("see refer note consult read visit remember keep consider try think be make have go")
"""Verbs that send the reader elsewhere, or say little of what is to be done."""
_DIRECT = word_set(
    "use click press select choose enter run call type set add specify open create configure enable file "
    "complete submit send apply contact write install pass put include provide give fill request"
)
_NOT_AIMS, _UNSAID = word_set("be do help use get make have"), word_set("following below above this these")
_TASK_WORDS, _ACTION_WORDS = range(2, 13), range(2, 26)


def how_to(sentence: Span) -> Iterator[Ask]:
    """`To undo a change, press u` → `How do I undo a change?` press u."""
    action = sentence.root
    subject = next((each for each in action.children if each.dep_ in {"nsubj", "nsubjpass"}), None)
    addressed = subject is not None and subject.lower_ == "you"
    if not (addressed or subject is None) or action.tag_ not in {"VB", "VBP"} or action.lemma_ in _POINTING_ON:
        return
    if any(each.dep_ in {"neg", "ccomp", "auxpass"} or each.text == "?" for each in action.children):
        return
    for task, clause in _tasks(action):
        said, answer = _said(task), _done(action, clause)
        fronted = clause.i < action.i
        if not said or not answer or not (fronted or action.lemma_ in _DIRECT):
            continue
        allowed = any(each.lower_ in {"can", "may", "could", "might"} for each in action.children)
        asking = "how can I" if allowed else "how do I"
        yield Ask(as_said(tidy(f"{asking} {said}")), answer, (tidy(f"what do I have to do to {said}"),))


def how_many_there_are(sentence: Span) -> Iterator[Ask]:
    """`There are five rovers on Mars` → `How many rovers are there on Mars?` five."""
    verb = sentence.root
    if verb.lemma_ != "be" or not any(each.dep_ == "expl" for each in verb.children):
        return
    for noun in verb.children:
        number = next((each for each in noun.children if each.dep_ == "nummod"), None)
        if (
            noun.dep_ == "attr"
            and noun.tag_ == "NNS"
            and number is not None
            and number.like_num
            and number.lower_ != "one"
        ):
            near = [*verb.children, *noun.children]
            places = [each for each in near if each.lower_ in {"in", "on", "at"} and each.i > noun.i]
            things = in_sentence([each for each in phrase(noun, [number, *places]) if each.i > number.i])
            rest = " ".join(in_sentence(phrase(each)) for each in places[:1])
            if "," in things or " and " in things:
                continue
            yield Ask(as_said(tidy(f"how many {things} {verb.lower_} there {rest}")), written(subtree(number)))


def _tasks(action: Token) -> Iterator[tuple[Token, Token]]:
    """Yield what is to be reached, as a verb, with the clause that says so."""
    for clause in action.children:
        if clause.dep_ in {"advcl", "xcomp"} and _is_aim(clause):
            yield clause, clause
        elif clause.dep_ == "advcl" and clause.lemma_ in _WISHING and clause.left_edge.lower_ == "if":
            who = [each.lower_ for each in clause.children if each.dep_ == "nsubj"]
            for task in clause.children:
                if task.dep_ == "xcomp" and _is_aim(task) and who == ["you"]:
                    yield task, clause
        elif clause.dep_ == "dobj" and action.lemma_ == "use":
            yield from ((each, each) for each in clause.children if each.dep_ in {"relcl", "acl"} and _is_aim(each))


def _is_aim(verb: Token) -> bool:
    """Return whether a verb is an aim: `to undo`, `in order to undo`."""
    return verb.tag_ == "VB" and any(each.lower_ == "to" and each.dep_ == "aux" for each in verb.children)


def _said(task: Token) -> str:
    """Return what is to be reached without `to`; empty where it names nothing."""
    tokens = [each for each in subtree(task) if each.i >= task.i]
    named = any(each.pos_ in {"NOUN", "PROPN"} for each in tokens)
    text = in_sentence(tokens).strip(" ,;:.")
    whole = len(tokens) == tokens[-1].i - task.i + 1 and "," not in text and task.lemma_ not in _NOT_AIMS
    return text if named and whole and len(text.split()) in _TASK_WORDS else ""


def _done(action: Token, clause: Token) -> str:
    """Return what is to be done, from its verb on: of `you need to get a key`, from `get`."""
    needed = [each for each in action.children if each.dep_ == "xcomp" and each is not clause and _is_aim(each)]
    first = needed[0].i if action.lemma_ in {"need", "have"} and needed else action.i
    tokens = [each for each in subtree(action, [clause]) if each.i >= first]
    text = in_sentence(tokens).strip(" ,;:.")
    # Where the aim was taken out of the middle, the tree was wrong.
    last = max((each.i for each in tokens if not each.is_punct), default=-1)
    whole = clause.i < action.i or last < clause.left_edge.i
    said = len(text.split()) in _ACTION_WORDS and not _UNSAID & set(lower_words(text))
    return text if said and whole and len(content_lemmas(text)) > 1 else ""
