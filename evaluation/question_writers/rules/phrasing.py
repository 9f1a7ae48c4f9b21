"""A question as the rules make it: direct, and as a clause that other sentences can carry."""

from __future__ import annotations

import re
from dataclasses import dataclass

from evaluation.question_writers.rules.clauses import Clause
from evaluation.question_writers.rules.phrases import Tokens
from rag_pipeline.english.lemmas import verb_form, verb_lemma

WORTH = {
    "when": 1.0,
    "how_many": 1.0,
    "share": 0.95,
    "measure": 1.0,
    "where": 0.95,
    "why": 0.95,
    "definition": 0.9,
    "identity": 0.95,
    "who": 1.0,
    "list": 0.9,
    "called": 0.95,
    "stands_for": 0.7,
    "required": 0.9,
    "condition": 0.95,
    "how": 0.9,
    "content": 0.85,
    "quality": 0.85,
    "used_for": 0.9,
    "what": 0.8,
    "with_what": 0.75,
    "which": 0.7,
    "said": 0.75,
    "sought": 0.8,
    "done_to": 0.7,
    "when_event": 0.75,
    "item": 0.6,
    "entry": 0.85,
    "happens": 0.8,
    "deed": 0.65,
    "described": 0.6,
    "stated_of": 0.4,
    "how_much": 0.9,
    "held": 0.85,
    "how_to": 0.95,
    "in_case": 0.9,
    "needed": 0.95,
    "term": 0.9,
    "shown": 0.95,
}
"""How well each kind of question turns out, by reading many; the first choice of a sentence."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its answer. `clause` follows `Could you tell me …`; `topic` names what it is about.

    `generic`: it asks what holds in general, not what happened once. `worth_less`: by how much the way in which it was
    found makes it a later choice.
    """

    kind: str
    text: str
    clause: str
    answer: str
    topic: str
    generic: bool = False
    worth_less: float = 0.0

    @property
    def worth(self) -> float:
        """How well questions of this kind turn out."""
        return WORTH[self.kind] - self.worth_less


def about(clause: Clause, kind: str, wh: str, rest: Tokens | str, answer: str, *, lead: bool = True) -> Asked:
    """Ask with the subject kept: `When did the Empire annex Warsaw?`"""
    after = rest if isinstance(rest, str) else clause.text(rest)
    before = clause.lead_text() if lead else ""
    return Asked(
        kind,
        _finish(before, f"{wh} {clause.inverted()} {after}"),
        _tidy(f"{wh} {clause.plain()} {after}{_trailing(before)}"),
        answer,
        clause.subject_text(),
        clause.generic,
    )


def of_subject(clause: Clause, kind: str, wh: str, rest: Tokens | str, answer: str, *, topic: str) -> Asked:
    """Ask for the subject: `Who founded the company?`"""
    after = rest if isinstance(rest, str) else clause.text(rest)
    before = clause.lead_text()
    said = f"{wh} {clause.text(clause.group)} {after}"
    return Asked(kind, _finish(before, said), _tidy(said + _trailing(before)), answer, topic, clause.generic)


def active_of_passive(clause: Clause, wh: str, rest: Tokens, answer: str) -> Asked:
    """Turn `was built by X in 1840` into `Who built … in 1840?`"""
    verb = clause.main.text
    present = clause.group[0].lower in {"is", "are"}
    form = verb_form(verb_lemma(verb), "VBZ" if present else "VBD")
    before = clause.lead_text()
    said = f"{wh} {form} {clause.subject_text()} {clause.text(rest)}"
    after = _tidy(said + _trailing(before))
    kind = "who" if wh == "who" else "which"
    return Asked(kind, _finish(before, said), after, answer, clause.subject_text(), clause.generic)


def standing(kind: str, text: str, clause: str, answer: str, topic: str) -> Asked:
    """Make a question that no clause carries: `What does UNESCO stand for?`"""
    return Asked(kind, _finish("", text), _tidy(clause), answer, topic, generic=True)


def _finish(before: str, said: str) -> str:
    whole = f"{before}, {said}" if before else said
    whole = re.sub(r"\.([”\"])$", r"\1", _tidy(whole))
    return whole[0].upper() + whole[1:] + "?"


def _trailing(before: str) -> str:
    return f" {before}" if before else ""


def _tidy(text: str) -> str:
    text = re.sub(r"\s+", " ", text).strip(" ,;:.")
    return re.sub(r"\s+((?!\.[a-z])[,.;:?!)])", r"\1", text)  # `.env` is no end of a sentence
