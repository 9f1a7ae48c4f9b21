"""Simple questions of a sentence, best first."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from evaluation.question_writers.rules import actions as deeds
from evaluation.question_writers.rules import appositions as asides
from evaluation.question_writers.rules import deadlines, duties
from evaluation.question_writers.rules import events as happenings
from evaluation.question_writers.rules import fact_questions as facts
from evaluation.question_writers.rules import measurements as extents
from evaluation.question_writers.rules import noun_questions as things
from evaluation.question_writers.rules.acceptance import lemmas_of, objection, text_is_usable
from evaluation.question_writers.rules.clauses import Clause, parse
from evaluation.question_writers.rules.corpus import CorpusWords
from evaluation.question_writers.rules.document_sentences import Sentence
from evaluation.question_writers.rules.manuals import is_asked_about, is_manual, misuse, of_examples, technical
from evaluation.question_writers.rules.phrasing import Asked
from evaluation.question_writers.rules.quotations import who_said
from evaluation.question_writers.rules.sections import is_curable
from evaluation.question_writers.rules.standalone_sentences import parts, place_of, readings
from evaluation.question_writers.rules.statements import stated
from evaluation.question_writers.rules.sufficiency import cuts_a_phrase, is_cut_short
from rag_pipeline.english.penn_tags import tag
from rag_pipeline.english.words import word_set

_RULES: tuple[Callable[[Clause], Iterator[Asked]], ...] = (
    facts.when, facts.where, facts.how_many, facts.share, facts.measure, facts.why,
    extents.how_long, extents.how_large, extents.dates_back, deadlines.how_often,
    things.who, things.definition, things.main_thing, things.identity, things.called, things.listed, things.what,
    duties.required, duties.condition, duties.how, duties.purpose, duties.found_in, duties.used_for, duties.aim,
    duties.content, duties.quality, duties.with_what, duties.by_whom,
    deeds.why_first, happenings.how_much, happenings.from_to,
)  # fmt: skip
_LATER_RULES: tuple[Callable[[Clause], Iterator[Asked]], ...] = (
    happenings.happens, deeds.sought, deeds.when_event, deeds.in_order_to, deeds.done_to, deeds.done_with, deeds.placed,
    happenings.deed, happenings.deed_when, happenings.described, happenings.stated_of,
)  # fmt: skip
_NEGATIVE_RULES: tuple[Callable[[Clause], Iterator[Asked]], ...] = (
    facts.why, deeds.why_first, deeds.when_event, happenings.happens, happenings.stated_of,
)  # fmt: skip
_LATER = 0.25
"""How much later a question of a looser form is chosen: where a document gives enough without, it is not asked."""
_READ_ANEW = 0.3
"""How much later a question is chosen whose sentence had to be read otherwise than it is written."""
_UNTOLD = word_set("this that these those such another one some several each other others few part much")


@dataclass(frozen=True, slots=True)
class SimpleQuestion:
    """A question that passed its checks, with the sentence that answers it."""

    asked: Asked
    sentence: Sentence


def ask(sentence: Sentence, corpus: CorpusWords) -> tuple[list[SimpleQuestion], list[tuple[Asked, str]]]:
    """Return the good questions of a sentence, best first, and the ones thrown away with the reason."""
    saying = None if corpus.is_damaged(sentence.text) else who_said(sentence.text, corpus)
    if saying is not None:
        return [SimpleQuestion(saying, sentence)], []
    good: list[SimpleQuestion] = []
    bad: list[tuple[Asked, str]] = []
    manual = is_manual(sentence, corpus)
    if manual and not is_asked_about(sentence, corpus):
        return [], []
    examples = list(of_examples(sentence, corpus)) if manual else []
    for asked in _distinct(sentence, corpus):
        # What a line of code answers has no second answer in the sentence that announces it.
        if examples and asked.kind == "how_to" and sentence.text.endswith(":"):
            continue
        placed, reason = _checked(asked, sentence, corpus)
        reason = reason or (misuse(placed, sentence, corpus) if manual else "")
        if reason:
            bad.append((placed, reason))
        else:
            good.append(SimpleQuestion(_in_full(placed, corpus), sentence))
    for asked, whole in examples:
        reason = objection(asked, corpus)
        if reason:
            bad.append((asked, reason))
        else:
            good.append(SimpleQuestion(asked, whole))
    if any(question.asked.kind == "term" for question in good):  # the better form of the same
        good = [question for question in good if question.asked.kind != "item"]
    good.sort(key=lambda question: -question.asked.worth)
    return good, bad


def _checked(asked: Asked, sentence: Sentence, corpus: CorpusWords) -> tuple[Asked, str]:
    """Return a question with its answer as its sentence words it, tied to its section if need be, and an objection."""
    place = place_of(asked.answer, sentence, corpus)
    placed = replace(asked, answer=place or asked.answer)
    reason = objection(placed, corpus) or ("" if place else "the answer is worded otherwise in the document")
    reason = reason or ("the answer is cut short" if is_cut_short(placed, sentence.text) else "")
    reason = reason or ("cuts a phrase in two" if cuts_a_phrase(placed, sentence.text, corpus) else "")
    if place and not corpus.is_collection and is_curable(reason, sentence):
        sections = corpus.sections[sentence.span.document_id]
        tied = sections.tied(placed, sentence, lemmas_of(placed, corpus))
        return (tied, "") if tied is not None else (placed, reason)
    return placed, reason


def _in_full(asked: Asked, corpus: CorpusWords) -> Asked:
    """Return a general question with the terms of the document written in full."""
    if not asked.generic or asked.kind in {"entry", "item"}:
        return asked
    return replace(asked, text=corpus.in_full(asked.text), clause=corpus.in_full(asked.clause))


def _distinct(sentence: Sentence, corpus: CorpusWords) -> Iterator[Asked]:
    """Yield the candidates of all readings of a sentence, each question once."""
    seen: set[str] = set()
    for asked in technical(sentence, corpus, lambda text: _candidates(text, corpus, told=True)):
        if asked.text not in seen:
            seen.add(asked.text)
            yield asked
    told = list(readings(sentence, corpus))
    in_story = sentence.span.document_id in corpus.stories
    for number, text in enumerate([*told, *(() if sentence.quoted or in_story else parts(told))]):
        for asked in _candidates(text, corpus, told=bool(sentence.voice) and bool(number)):
            # In a story too much is said of everything; a part of a sentence may hang on another.
            vague = asked.kind == "stated_of" and (in_story or number >= len(told))
            if asked.text not in seen and not vague:
                seen.add(asked.text)
                yield replace(asked, worth_less=asked.worth_less + (_READ_ANEW if number else 0.0))
    yield from corpus.entries[sentence.span.document_id].questions(sentence)
    yield from corpus.glossaries[sentence.span.document_id].questions(sentence)


def _candidates(text: str, corpus: CorpusWords, *, told: bool = False, within: bool = False) -> Iterator[Asked]:
    if text_is_usable(re.sub("^There ", "Altogether ", text)):
        yield from asides.there_are(text, corpus.is_name)
    if not text_is_usable(text, first_person=told):
        return
    yield from things.stands_for(text)
    yield from asides.apposition(text, corpus.is_name)
    clause = parse(text, tag(text, corpus.is_name), corpus.is_name)
    if clause is None or not _has_known_subject(clause):
        return
    for rule in _NEGATIVE_RULES if clause.negative else _RULES:
        yield from rule(clause)
    for rule in () if clause.negative else _LATER_RULES:
        yield from (replace(asked, worth_less=asked.worth_less + _LATER) for asked in rule(clause))
    if not within:
        yield from stated(clause, text, lambda said: _candidates(said, corpus, told=told, within=True))


def _has_known_subject(clause: Clause) -> bool:
    """Return whether the subject can be understood outside: no pronoun, no `another`, no `its`."""
    first = clause.subject[0]
    if first.lower == "both" and not any(token.lower == "and" for token in clause.subject):
        return False
    if first.lower in {"both", "many", "most", "all"}:
        return clause.generic and len(clause.subject) > 1 and clause.subject[1].lower not in {"of", "these", "those"}
    return first.tag not in {"PRP", "PRP$", "EX", "WDT"} and first.lower not in _UNTOLD
