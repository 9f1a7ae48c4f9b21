"""Simple questions of a sentence, best first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from evaluation.questions import duties, facts, things
from evaluation.questions.acceptance import objection, sentence_is_usable
from evaluation.questions.asked import Asked
from evaluation.questions.clauses import Clause, parse
from evaluation.questions.corpus import CorpusWords
from evaluation.questions.sayings import who_said
from evaluation.questions.sentences import Sentence
from evaluation.questions.words import Token, tag, word_set

_RULES: tuple[Callable[[Clause], Iterator[Asked]], ...] = (
    facts.when, facts.where, facts.how_many, facts.share, facts.measure, facts.why,
    things.who, things.definition, things.identity, things.called, things.listed, things.what,
    duties.required, duties.condition, duties.how, duties.purpose, duties.found_in, duties.used_for, duties.aim,
    duties.content, duties.quality, duties.with_what,
)  # fmt: skip
_UNTOLD = word_set("this that these those such another one some several each other others few part much")


@dataclass(frozen=True, slots=True)
class SimpleQuestion:
    """A question that passed its checks, with the sentence that answers it."""

    asked: Asked
    sentence: Sentence


def ask(sentence: Sentence, corpus: CorpusWords) -> tuple[list[SimpleQuestion], list[tuple[Asked, str]]]:
    """Return the good questions of a sentence, best first, and the ones thrown away with the reason."""
    if corpus.is_damaged(sentence.text):
        return [], []
    saying = who_said(sentence.text, corpus)
    if saying is not None:
        return [SimpleQuestion(saying, sentence)], []
    if not sentence_is_usable(sentence):
        return [], []
    good: list[SimpleQuestion] = []
    bad: list[tuple[Asked, str]] = []
    text = corpus.mended(sentence.told or sentence.text)
    for asked in _candidates(text, tag(text, corpus.is_name), corpus):
        reason = objection(asked, corpus)
        if not reason and asked.answer not in sentence.text:
            reason = "the answer is worded otherwise in the document"
        if reason:
            bad.append((asked, reason))
        else:
            good.append(SimpleQuestion(asked, sentence))
    good.sort(key=lambda question: -question.asked.worth)
    return good, bad


def _candidates(text: str, tokens: list[Token], corpus: CorpusWords) -> Iterator[Asked]:
    yield from things.stands_for(text)
    clause = parse(text, tokens, corpus.is_name)
    if clause is not None and _has_known_subject(clause):
        for rule in _RULES:
            yield from rule(clause)


def _has_known_subject(clause: Clause) -> bool:
    """Return whether the subject can be understood outside: no pronoun, no `another`, no `its`."""
    first = clause.subject[0]
    if first.lower == "both" and not any(token.lower == "and" for token in clause.subject):
        return False
    if first.lower in {"both", "many", "most", "all"}:
        return clause.generic and len(clause.subject) > 1 and clause.subject[1].lower not in {"of", "these", "those"}
    return first.tag not in {"PRP", "PRP$", "EX", "WDT"} and first.lower not in _UNTOLD
