"""Simple questions of a sentence, best first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from evaluation.questions import facts, things
from evaluation.questions.acceptance import objection, sentence_is_usable
from evaluation.questions.asked import Asked
from evaluation.questions.clauses import Clause, parse
from evaluation.questions.corpus import CorpusWords
from evaluation.questions.sentences import Sentence
from evaluation.questions.words import Token, tag


@dataclass(frozen=True, slots=True)
class SimpleQuestion:
    """A question that passed its checks, with the sentence that answers it."""

    asked: Asked
    sentence: Sentence


def ask(sentence: Sentence, corpus: CorpusWords) -> tuple[list[SimpleQuestion], list[tuple[Asked, str]]]:
    """Return the good questions of a sentence, best first, and the ones thrown away with the reason."""
    if not sentence_is_usable(sentence):
        return [], []
    tokens = tag(sentence.text, corpus.is_name)
    good: list[SimpleQuestion] = []
    bad: list[tuple[Asked, str]] = []
    for asked in _candidates(sentence, tokens, corpus):
        reason = objection(asked, sentence, corpus)
        if reason:
            bad.append((asked, reason))
        else:
            good.append(SimpleQuestion(asked, sentence))
    good.sort(key=lambda question: -question.asked.worth)
    return good, bad


def _candidates(sentence: Sentence, tokens: list[Token], corpus: CorpusWords) -> Iterator[Asked]:
    yield from things.stands_for(sentence.text)
    clause = parse(sentence.text, tokens, corpus.is_name)
    if clause is not None and _has_known_subject(clause):
        for rule in (facts.when, facts.where, facts.how_many, facts.share, facts.measure, facts.why):
            yield from rule(clause)
        for rule in (things.who, things.definition, things.called, things.required, things.used_for, things.what):
            yield from rule(clause)
        yield from things.listed(clause, tokens)


def _has_known_subject(clause: Clause) -> bool:
    """Return whether the subject can be understood outside: no pronoun, no `another`, no `its`."""
    first = clause.subject[0]
    return first.tag not in {"PRP", "PRP$", "EX", "WDT"} and first.lower not in {
        "this",
        "that",
        "these",
        "those",
        "such",
        "another",
        "one",
        "some",
        "many",
        "most",
        "several",
        "each",
        "other",
        "others",
        "both",
        "all",
        "few",
        "part",
        "much",
    }
