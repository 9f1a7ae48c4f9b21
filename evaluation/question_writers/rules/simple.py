"""Simple questions of a sentence, best first."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from evaluation.question_writers.rules import (
    actions,
    appositions,
    deadlines,
    duties,
    events,
    fact_questions,
    measurements,
    noun_questions,
)
from evaluation.question_writers.rules.acceptance import lemmas_of, objection
from evaluation.question_writers.rules.clauses import Clause, parse
from evaluation.question_writers.rules.corpus import CorpusStatistics
from evaluation.question_writers.rules.document_sentences import DocumentSentence
from evaluation.question_writers.rules.manuals import (
    example_candidates,
    is_asked_about,
    is_manual,
    manual_candidates,
    manual_objection,
)
from evaluation.question_writers.rules.phrasing import CandidateQuestion
from evaluation.question_writers.rules.quotations import who_said
from evaluation.question_writers.rules.sections import section_may_help
from evaluation.question_writers.rules.standalone_sentences import answer_as_worded, joined_statements, standalone_forms
from evaluation.question_writers.rules.statements import reported_candidates
from evaluation.question_writers.rules.sufficiency import cuts_a_phrase, is_cut_short
from evaluation.question_writers.rules.usable_sentences import text_is_usable
from rag_pipeline.english.penn_tags import tag
from rag_pipeline.english.words import word_set

RejectedCandidate = tuple[CandidateQuestion, str]
"""A candidate with why it cannot be asked."""
Rule = Callable[[Clause], Iterator[CandidateQuestion]]
_RULES: tuple[Rule, ...] = (
    fact_questions.when, fact_questions.where, fact_questions.how_many, fact_questions.share, fact_questions.measure,
    fact_questions.why, measurements.how_long, measurements.how_large, measurements.dates_back, deadlines.how_often,
    noun_questions.who, noun_questions.definition, noun_questions.main_thing, noun_questions.identity,
    noun_questions.called, noun_questions.listed, noun_questions.what, duties.required, duties.condition, duties.how,
    duties.purpose, duties.found_in, duties.used_for, duties.aim, duties.content, duties.quality, duties.with_what,
    duties.by_whom, actions.why_first, events.how_much, events.from_to,
)  # fmt: skip
_LOOSER_RULES: tuple[Rule, ...] = (
    events.outcome, actions.sought, actions.when_event, actions.in_order_to, actions.done_to, actions.done_with,
    actions.placed, events.action_in_setting, events.action_at_event, events.described, events.stated_of,
)  # fmt: skip
_NEGATIVE_RULES: tuple[Rule, ...] = (
    fact_questions.why, actions.why_first, actions.when_event, events.outcome, events.stated_of,
)  # fmt: skip
_LOOSER = 0.25
"""Penalty of a question of a looser form: where a document gives enough without, it is not candidate."""
_REWORDED = 0.3
"""Penalty of a question whose sentence had to be reworded before it was read."""
_UNKNOWN_SUBJECTS = word_set("this that these those such another one some several each other others few part much")


@dataclass(frozen=True, slots=True)
class SimpleQuestion:
    """A question that passed its checks, with the sentence that answers it."""

    candidate: CandidateQuestion
    sentence: DocumentSentence


def ask(sentence: DocumentSentence, corpus: CorpusStatistics) -> tuple[list[SimpleQuestion], list[RejectedCandidate]]:
    """Return the good questions of a sentence, best first, and the ones thrown away with the reason."""
    quotation = None if corpus.has_lost_letters(sentence.text) else who_said(sentence.text, corpus)
    if quotation is not None:
        return [SimpleQuestion(quotation, sentence)], []
    good: list[SimpleQuestion] = []
    bad: list[RejectedCandidate] = []
    manual = is_manual(sentence, corpus)
    if manual and not is_asked_about(sentence, corpus):
        return [], []
    examples = list(example_candidates(sentence, corpus)) if manual else []
    for candidate in _distinct_candidates(sentence, corpus):
        # What a line of code answers has no second answer in the sentence that announces it.
        if examples and candidate.kind == "how_to" and sentence.text.endswith(":"):
            continue
        placed, reason = _checked(candidate, sentence, corpus)
        reason = reason or (manual_objection(placed, sentence, corpus) if manual else "")
        if reason:
            bad.append((placed, reason))
        else:
            good.append(SimpleQuestion(_with_full_terms(placed, corpus), sentence))
    for candidate, whole in examples:
        reason = objection(candidate, corpus)
        if reason:
            bad.append((candidate, reason))
        else:
            good.append(SimpleQuestion(candidate, whole))
    if any(question.candidate.kind == "term" for question in good):  # the better form of the same
        good = [question for question in good if question.candidate.kind != "item"]
    good.sort(key=lambda question: -question.candidate.quality)
    return good, bad


def _checked(
    candidate: CandidateQuestion, sentence: DocumentSentence, corpus: CorpusStatistics
) -> tuple[CandidateQuestion, str]:
    """Return a question with its answer as its sentence words it, its section named if need be, and an objection."""
    place = answer_as_worded(candidate.answer, sentence, corpus)
    placed = replace(candidate, answer=place or candidate.answer)
    reason = objection(placed, corpus) or ("" if place else "the answer is worded otherwise in the document")
    reason = reason or ("the answer is cut short" if is_cut_short(placed, sentence.text) else "")
    reason = reason or ("cuts a phrase in two" if cuts_a_phrase(placed, sentence.text, corpus) else "")
    if place and not corpus.is_collection and section_may_help(reason, sentence):
        sections = corpus.sections[sentence.span.document_id]
        with_section = sections.with_section(placed, sentence, lemmas_of(placed, corpus))
        return (with_section, "") if with_section is not None else (placed, reason)
    return placed, reason


def _with_full_terms(candidate: CandidateQuestion, corpus: CorpusStatistics) -> CandidateQuestion:
    """Return a general question with the terms of the document written in full."""
    if not candidate.generic or candidate.kind in {"entry", "item"}:
        return candidate
    return replace(
        candidate, text=corpus.with_full_terms(candidate.text), indirect=corpus.with_full_terms(candidate.indirect)
    )


def _distinct_candidates(sentence: DocumentSentence, corpus: CorpusStatistics) -> Iterator[CandidateQuestion]:
    """Yield the candidates of all forms of a sentence, each question once."""
    seen: set[str] = set()
    for candidate in manual_candidates(sentence, corpus, lambda text: _candidates(text, corpus, first_person=True)):
        if candidate.text not in seen:
            seen.add(candidate.text)
            yield candidate
    forms = list(standalone_forms(sentence, corpus))
    in_story = sentence.span.document_id in corpus.stories
    for number, text in enumerate([*forms, *(() if sentence.in_speech or in_story else joined_statements(forms))]):
        for candidate in _candidates(text, corpus, first_person=bool(sentence.narrator) and bool(number)):
            # In a story too much is said of everything; a part of a sentence may hang on another.
            vague = candidate.kind == "stated_of" and (in_story or number >= len(forms))
            if candidate.text not in seen and not vague:
                seen.add(candidate.text)
                yield replace(candidate, penalty=candidate.penalty + (_REWORDED if number else 0.0))
    yield from corpus.entries[sentence.span.document_id].questions(sentence)
    yield from corpus.glossaries[sentence.span.document_id].questions(sentence)


def _candidates(
    text: str, corpus: CorpusStatistics, *, first_person: bool = False, within: bool = False
) -> Iterator[CandidateQuestion]:
    """Yield what the rules ask of a text; `within`: it is what another sentence reports."""
    if text_is_usable(re.sub("^There ", "Altogether ", text)):
        yield from appositions.there_are(text, corpus.is_name)
    if not text_is_usable(text, first_person=first_person):
        return
    yield from noun_questions.stands_for(text)
    yield from appositions.apposition(text, corpus.is_name)
    clause = parse(text, tag(text, corpus.is_name), corpus.is_name)
    if clause is None or not _has_known_subject(clause):
        return
    for rule in _NEGATIVE_RULES if clause.negative else _RULES:
        yield from rule(clause)
    for rule in () if clause.negative else _LOOSER_RULES:
        yield from (replace(candidate, penalty=candidate.penalty + _LOOSER) for candidate in rule(clause))
    if not within:
        yield from reported_candidates(
            clause, text, lambda said: _candidates(said, corpus, first_person=first_person, within=True)
        )


def _has_known_subject(clause: Clause) -> bool:
    """Return whether the subject can be understood outside: no pronoun, no `another`, no `its`."""
    first = clause.subject[0]
    if first.lower == "both" and not any(token.lower == "and" for token in clause.subject):
        return False
    if first.lower in {"both", "many", "most", "all"}:
        return clause.generic and len(clause.subject) > 1 and clause.subject[1].lower not in {"of", "these", "those"}
    return first.tag not in {"PRP", "PRP$", "EX", "WDT"} and first.lower not in _UNKNOWN_SUBJECTS
