"""The rules by the kind of question that they ask, with the share of their questions that a strict reader accepted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from evaluation.question_writers.rules import asking_amounts, asking_arguments, asking_clauses
from evaluation.question_writers.rules.candidates import Ask
from evaluation.question_writers.rules.clauses import Clause


@dataclass(frozen=True)
class QuestionRule:
    """A transformation and the share of its questions that a strict reader accepted."""

    make: Callable[[Clause], Iterator[Ask]]
    precision: float


RULES: dict[str, QuestionRule] = {
    "who": QuestionRule(asking_arguments.subject, 0.9),
    "what": QuestionRule(asking_arguments.object_, 0.9),
    "definition": QuestionRule(asking_clauses.definition, 0.9),
    "named_thing": QuestionRule(asking_clauses.named_thing, 0.9),
    "apposition": QuestionRule(asking_clauses.apposition, 0.9),
    "statement": QuestionRule(asking_clauses.statement, 0.9),
    "purpose": QuestionRule(asking_clauses.purpose, 0.9),
    "cause": QuestionRule(asking_clauses.cause, 0.9),
    "manner": QuestionRule(asking_arguments.manner, 0.9),
    "identity": QuestionRule(asking_clauses.identity, 0.9),
    "called": QuestionRule(asking_clauses.called, 0.9),
    "when": QuestionRule(asking_arguments.when, 0.9),
    "how_long": QuestionRule(asking_amounts.how_long, 0.9),
    "where": QuestionRule(asking_arguments.where, 0.9),
    "by_whom": QuestionRule(asking_arguments.by_whom, 0.9),
    "what_with": QuestionRule(asking_arguments.stranded, 0.9),
    "used_as": QuestionRule(asking_arguments.used_as, 0.9),
    "why": QuestionRule(asking_clauses.why, 0.9),
    "how": QuestionRule(asking_clauses.how, 0.9),
    "how_many": QuestionRule(asking_amounts.how_many, 0.9),
    "how_much": QuestionRule(asking_amounts.how_much, 0.9),
    "share": QuestionRule(asking_amounts.share, 0.9),
    "how_large": QuestionRule(asking_amounts.how_large, 0.9),
    "list": QuestionRule(asking_arguments.includes, 0.9),
    "required": QuestionRule(asking_clauses.duty, 0.9),
    "condition": QuestionRule(asking_clauses.condition, 0.9),
    "happens": QuestionRule(asking_clauses.outcome, 0.9),
}
"""By kind of question, as stored with it."""
