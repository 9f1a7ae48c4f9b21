"""Candidate questions: worded as direct questions and as indirect ones, which other sentences can take in."""

from __future__ import annotations

import re
from dataclasses import dataclass

from evaluation.question_writers.rules.clauses import Clause
from evaluation.question_writers.rules.phrases import Tokens
from rag_pipeline.english.lemmas import verb_form, verb_lemma

QUALITY_OF_KIND = {
    "when": 1.0, "how_many": 1.0, "share": 0.95, "measure": 1.0, "where": 0.95, "why": 0.95, "definition": 0.9,
    "identity": 0.95, "who": 1.0, "list": 0.9, "called": 0.95, "stands_for": 0.7, "required": 0.9, "condition": 0.95,
    "how": 0.9, "content": 0.85, "quality": 0.85, "used_for": 0.9, "what": 0.8, "with_what": 0.75, "which": 0.7,
    "said": 0.75, "sought": 0.8, "done_to": 0.7, "when_event": 0.75, "item": 0.6, "entry": 0.85, "happens": 0.8,
    "deed": 0.65, "described": 0.6, "stated_of": 0.4, "how_much": 0.9, "held": 0.85, "how_to": 0.95, "in_case": 0.9,
    "needed": 0.95, "term": 0.9, "shown": 0.95,
}  # fmt: skip
"""How well each kind of question turns out, by reading many: the best is chosen first."""


@dataclass(frozen=True, slots=True)
class CandidateQuestion:
    """A question that a rule makes of a sentence, with its answer, before it is checked.

    `indirect` is the same as an indirect question, which follows `Could you tell me …`; `topic` names what it is about.
    `generic`: it asks what holds in general, not what happened once. `penalty`: what its quality loses by the way in
    which it was found.
    """

    kind: str
    text: str
    indirect: str
    answer: str
    topic: str
    generic: bool = False
    penalty: float = 0.0

    @property
    def quality(self) -> float:
        """How well questions of this kind turn out, less the penalty."""
        return QUALITY_OF_KIND[self.kind] - self.penalty


def question_about(
    clause: Clause, kind: str, wh: str, rest: Tokens | str, answer: str, *, lead: bool = True
) -> CandidateQuestion:
    """Ask with the subject kept: `When did the Empire annex Warsaw?`"""
    after = rest if isinstance(rest, str) else clause.text(rest)
    before = clause.lead_text() if lead else ""
    return CandidateQuestion(
        kind,
        _finish(before, f"{wh} {clause.inverted()} {after}"),
        _tidy(f"{wh} {clause.plain()} {after}{_trailing(before)}"),
        answer,
        clause.subject_text(),
        clause.generic,
    )


def question_for_subject(
    clause: Clause, kind: str, wh: str, rest: Tokens | str, answer: str, *, topic: str
) -> CandidateQuestion:
    """Ask for the subject: `Who founded the company?`"""
    after = rest if isinstance(rest, str) else clause.text(rest)
    before = clause.lead_text()
    said = f"{wh} {clause.text(clause.group)} {after}"
    return CandidateQuestion(
        kind, _finish(before, said), _tidy(said + _trailing(before)), answer, topic, clause.generic
    )


def active_question(clause: Clause, wh: str, rest: Tokens, answer: str) -> CandidateQuestion:
    """Turn `was built by X in 1840` into `Who built … in 1840?`"""
    verb = clause.main.text
    is_present = clause.group[0].lower in {"is", "are"}
    form = verb_form(verb_lemma(verb), "VBZ" if is_present else "VBD")
    before = clause.lead_text()
    said = f"{wh} {form} {clause.subject_text()} {clause.text(rest)}"
    after = _tidy(said + _trailing(before))
    kind = "who" if wh == "who" else "which"
    return CandidateQuestion(kind, _finish(before, said), after, answer, clause.subject_text(), clause.generic)


def worded_question(kind: str, text: str, indirect: str, answer: str, topic: str) -> CandidateQuestion:
    """Make a question in words of its own: `What does UNESCO stand for?`"""
    return CandidateQuestion(kind, _finish("", text), _tidy(indirect), answer, topic, generic=True)


def _finish(before: str, said: str) -> str:
    whole = f"{before}, {said}" if before else said
    whole = re.sub(r"\.([”\"])$", r"\1", _tidy(whole))
    return whole[0].upper() + whole[1:] + "?"


def _trailing(before: str) -> str:
    return f" {before}" if before else ""


def _tidy(text: str) -> str:
    text = re.sub(r"\s+", " ", text).strip(" ,;:.")
    return re.sub(r"\s+((?!\.[a-z])[,.;:?!)])", r"\1", text)  # `.env` is no end of a sentence
