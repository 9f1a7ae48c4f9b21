"""The rules by the kind of question that they ask."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from evaluation.question_writers.rules import asking_amounts, asking_arguments, asking_clauses, asking_widely
from evaluation.question_writers.rules.asking_closed import CLOSED, closed
from evaluation.question_writers.rules.candidates import Ask
from evaluation.question_writers.rules.clauses import Clause

Rules = Mapping[str, Callable[[Clause], Iterator[Ask]]]
"""Rules by the kind of question."""

RULES: Rules = {
    "who": asking_arguments.subject,
    "what": asking_arguments.object_,
    "does": asking_arguments.does,
    "definition": asking_clauses.definition,
    "named_thing": asking_clauses.named_thing,
    "called": asking_clauses.called,
    "when": asking_arguments.when,
    "by_whom": asking_arguments.by_whom,
    "what_with": asking_arguments.stranded,
    "why": asking_clauses.why,
    "how": asking_clauses.how,
    "how_many": asking_amounts.how_many,
    "happens": asking_clauses.outcome,
    CLOSED: closed,
    "where": asking_widely.where,
    "on_condition": asking_widely.on_condition,
    "what_can_i": asking_widely.what_can_i,
    "by_what": asking_widely.by_what,
    "purpose": asking_widely.purpose,
    "during": asking_widely.during,
    "is_so": asking_widely.is_so,
}
"""By kind of question, as stored with it."""
