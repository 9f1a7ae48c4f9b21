"""Sentences to candidate questions: parsed, asked by every rule, and checked one by one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from evaluation.question_writers.rules.asking_lists import ask_list, items_behind, lead_in
from evaluation.question_writers.rules.asking_sections import SECTIONS, section_questions
from evaluation.question_writers.rules.asking_tables import ask_row
from evaluation.question_writers.rules.asking_tasks import how_many_there_are, how_to
from evaluation.question_writers.rules.asking_widely import advice
from evaluation.question_writers.rules.candidates import Candidate
from evaluation.question_writers.rules.clauses import Clause, clauses
from evaluation.question_writers.rules.document_sentences import DocumentSentence
from evaluation.question_writers.rules.first_person import as_asked
from evaluation.question_writers.rules.objections import (
    CUT_SHORT,
    ODD,
    is_cut,
    objection,
    objection_to_author,
    objection_to_form,
    objection_to_things,
)
from evaluation.question_writers.rules.parsing import only_sentence
from evaluation.question_writers.rules.rule_table import RULES, Rules
from evaluation.question_writers.rules.same_things import SameThings
from evaluation.question_writers.rules.sentence_index import SentenceIndex
from evaluation.question_writers.rules.standing_alone import KnownThings
from rag_pipeline.english.lemmas import reads_as_english
from rag_pipeline.english.trees import parse

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span

TASK, ADVICE = "how_to", "advice"
_SPEAKERS = frozenset({"you", "we"})
_PRONOUNS = {"he": "PERSON", "she": "PERSON", "it": "", "they": ""}
_PRONOUN_FIRST = re.compile(r"(?:He|She|It|They) ")
_LIMITS = re.compile(
    r"(?:However|But|Except|Unless|Otherwise|In (?:that|this|such) case|This (?:does|is|was|means|includes|applies)|"
    r"These (?:include|are|were)|For example|For instance|Instead|Therefore|Thus|As a result|If)\b"
)
_EXPLAINS = re.compile(r"(?:It|They|He|She|This|These|Such|Its|Their|The (?:latter|former|same))\b")
_EXPLAINED = frozenset({"definition", "why", "how", "happens", "how_to"})
"""Kinds of which a person wants to read on: what something is, why, how, what is said of it."""
_SENTENCE_WORDS = range(6, 46)
_HEADED = re.compile(
    r"[a-z]{3}\.(?:[A-Z][a-z]|\d)|\w [-–—] [A-Z]|"
    r"[\w”\"):] (?:If|When|You|This|These|There|It|They|We|How|To|Use)\b(?= [a-z])|"
    r"\b([A-Z]\w+) (?:\w+ )?\1\b"
)
"""A heading that was joined to its sentence: `Fees If you file late, …`, `Ringo Starr Ringo Starr was …`."""
_MOST_ROWS = 120
"""Rows of tables that are asked about in one document, spread over them."""
_ABOUT_ONE = SECTIONS | {"definition"}
"""Kinds that ask for all there is to say of one thing: others may name it too."""


@dataclass(frozen=True)
class Passage:
    """A sentence, and the one before it in the same paragraph where its subject is a pronoun.

    `behind`: the one behind it, where that limits what it says (`However, …`) or goes on about it (`It …`).
    `items`: those of the list that it leads to. `asked`: what the passage answers as a whole that it begins.
    """

    sentence: DocumentSentence
    before: DocumentSentence | None = None
    behind: DocumentSentence | None = None
    items: tuple[DocumentSentence, ...] = ()
    asked: tuple[Candidate, ...] = ()


def passages(sentences: Sequence[DocumentSentence], text: str) -> list[Passage]:
    """Return the sentences and rows of tables of a document that may be asked about."""
    found = []
    rows = [number for number, one in enumerate(sentences) if one.row is not None]
    left_out = set(rows) - set(rows[:: 1 + len(rows) // _MOST_ROWS])
    for number, one in enumerate(sentences):
        if number in left_out:
            continue
        items = items_behind(sentences, number, text)
        if one.row is not None or (items and not ODD.search(one.text)):
            found.append(Passage(one, items=items))
            continue
        if len(one.text.split()) not in _SENTENCE_WORDS or ODD.search(one.text) or _HEADED.search(one.text):
            continue
        before = sentences[number - 1] if number and _PRONOUN_FIRST.match(one.text) else None
        if before is not None and "\n\n" in text[before.span.end : one.span.start]:
            before = None
        behind = sentences[number + 1] if number + 1 < len(sentences) else None
        goes_on = behind is not None and (_LIMITS.match(behind.text) or _EXPLAINS.match(behind.text))
        if behind is not None and (not goes_on or "\n\n" in text[one.span.end : behind.span.start]):
            behind = None
        found.append(Passage(one, before, behind))
    return found + [Passage(one.sentence, asked=(one,)) for one in section_questions(sentences, text)]


def is_answered_elsewhere(candidate: Candidate, index: SentenceIndex) -> bool:
    """Return whether other sentences may answer a question as well: all its words stand close together there."""
    evidence = [one.text for one in candidate.sentences]
    return candidate.rule not in _ABOUT_ONE and index.elsewhere(candidate.text, evidence) > 0


def ask(
    found: Sequence[Passage], known: KnownThings, same: SameThings, rules: Rules = RULES
) -> Iterator[tuple[Candidate, str]]:
    """Yield every question that the rules make of the passages, with why it cannot be asked, empty where it can."""
    if rules is RULES:
        yield from _ask_rows_and_lists(found, known)
        yield from _ask_sections(found, known)
    found = [each for each in found if each.sentence.row is None and not each.items and not each.asked]
    texts = list(dict.fromkeys(one.text for each in found for one in (each.sentence, each.before) if one))
    parsed = dict(zip(texts, parse(map(_without_brackets, texts)), strict=True))
    asked: set[str] = set()
    for passage in found:
        sentence = only_sentence(parsed[passage.sentence.text])
        if sentence is None or not sentence.text.rstrip("\"'”’)").endswith((".", ";")):
            continue
        for candidate, reason in _tasks(sentence, passage, known) if rules is RULES else ():
            if candidate.text not in asked:
                asked.add(candidate.text)
                yield known.topic.placed(candidate), reason
        named = _named(passage, parsed)
        sources = (passage.before, passage.sentence) if passage.before and named else (passage.sentence,)
        named = named or _same(sentence, passage.sentence.title, same)
        for clause in _forms(sentence, named):
            for candidate, reason in _checked(clause, sources, passage, known, rules):
                if candidate.text not in asked:
                    asked.add(candidate.text)
                    yield known.topic.placed(candidate), reason


def is_english(passage: Passage) -> bool:
    """Return whether a passage is in the language of the rules; documents often hold others beside English."""
    return all(map(reads_as_english, (passage.sentence.text, *(one.answer for one in passage.asked))))


def _ask_rows_and_lists(found: Sequence[Passage], known: KnownThings) -> Iterator[tuple[Candidate, str]]:
    for each in found:
        yield from ((candidate, objection_to_form(candidate)) for candidate in ask_row(each.sentence))
    lists = [each for each in found if each.items]
    for each, tree in zip(lists, parse(lead_in(one.sentence) for one in lists), strict=True):
        if (whole := only_sentence(tree)) is not None:
            for candidate in ask_list(whole, each.sentence, each.items):
                things = objection_to_things(candidate, whole, known, candidate.topic)
                yield candidate, objection_to_form(candidate) or things


def _ask_sections(found: Sequence[Passage], known: KnownThings) -> Iterator[tuple[Candidate, str]]:
    for candidate in (one for each in found for one in each.asked):
        reason = objection_to_author(candidate) or objection_to_things(candidate, (), known, candidate.topic)
        yield known.topic.placed(candidate), reason


def _without_brackets(text: str) -> str:
    """Return a sentence without what stands in brackets, which no question needs and no tree is better for."""
    return re.sub(r"\s*(?:\([^()]*\)|\[[^\[\]]*\]|,? from time to time,?)", "", text)


def _forms(sentence: Span, named: str) -> Iterator[Clause]:
    """Yield the clauses that may be asked about; those about a name also without what they could do without."""
    for clause in clauses(sentence, named):
        if clause.subject.pos_ != "PRON" or clause.named or clause.subject.lower_ in _SPEAKERS:
            yield clause
            if clause.named or clause.subject.pos_ == "PROPN":
                yield replace(clause, brief=True)


def _same(sentence: Span, title: str, same: SameThings) -> str:
    """Return the name of what a sentence calls `the city`."""
    first = next(clauses(sentence), None)
    return same.meant_by(first.said_subject(), title) if first is not None else ""


def _named(passage: Passage, parsed: dict[str, Doc]) -> str:
    """Return what the pronoun at the beginning of a sentence stands for: the name that the one before it is about."""
    if passage.before is None:
        return ""
    before, after = only_sentence(parsed[passage.before.text]), only_sentence(parsed[passage.sentence.text])
    if before is None or after is None:
        return ""
    pronoun = after[0].lower_
    earlier = next(clauses(before), None)
    own = next(clauses(after), None)
    if earlier is None or own is None or own.subject.lower_ != pronoun:
        return ""
    if earlier.subject.pos_ == "NOUN":
        general = not any(each.dep_ in {"det", "poss", "nummod"} for each in earlier.subject.children)
        return earlier.said_subject() if pronoun == "they" and earlier.subject.tag_ == "NNS" and general else ""
    if earlier.subject.pos_ != "PROPN":
        return ""
    kind = earlier.subject.ent_type_
    others = {each.text for each in before.ents if each.label_ == kind and earlier.subject not in each}
    if others or (_PRONOUNS[pronoun] == "PERSON") != (kind == "PERSON") or earlier.is_plural != (pronoun == "they"):
        return ""
    return earlier.said_subject() if kind else ""


def _checked(
    clause: Clause, sources: tuple[DocumentSentence, ...], passage: Passage, known: KnownThings, rules: Rules
) -> Iterator[tuple[Candidate, str]]:
    for name, rule in rules.items():
        for asked in rule(clause):
            text, *others = map(as_asked, (asked.wording(False), asked.wording(True), *asked.others))
            evidence = (*sources, *_needed_behind(passage, name))
            candidate = Candidate(
                name, text, tuple(others), _shortest(asked.answer),
                clause.said_subject(), evidence, sources.index(passage.sentence),
            )  # fmt: skip
            if text:
                yield candidate, objection(candidate, clause, known)


def _tasks(sentence: Span, passage: Passage, known: KnownThings) -> Iterator[tuple[Candidate, str]]:
    for rule, asked in [
        *((TASK, each) for each in how_to(sentence)),
        *((ADVICE, each) for each in advice(sentence)),
        *(("how_many", each) for each in how_many_there_are(sentence)),
    ]:
        text = as_asked(asked.wording(False))
        others = tuple(map(as_asked, asked.others))
        evidence = (passage.sentence, *_needed_behind(passage, rule))
        candidate = Candidate(rule, text, others, _shortest(asked.answer), "", evidence)
        reason = objection_to_form(candidate) or (CUT_SHORT if is_cut(candidate, sentence) else "")
        yield candidate, reason or objection_to_things(candidate, sentence, known, "")


def _needed_behind(passage: Passage, rule: str) -> tuple[DocumentSentence, ...]:
    """Return the sentence behind, where it limits the answer, or goes on with what is explained."""
    if passage.behind is None:
        return ()
    needed = _LIMITS.match(passage.behind.text) or rule in _EXPLAINED
    return (passage.behind,) if needed else ()


def _shortest(answer: str) -> str:
    """Return an answer without the marks around it."""
    answer = answer.strip(" ,;:.").strip()
    return answer.strip('"“” ') if answer.count('"') == 1 or answer.count("“") != answer.count("”") else answer
