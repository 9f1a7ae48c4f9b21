"""Questions for reported statements: the clause after `that` is read as a sentence of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from evaluation.question_writers.rules.clauses import Clause, lower_first
from evaluation.question_writers.rules.phrases import of_phrase, text_of
from evaluation.question_writers.rules.phrasing import CandidateQuestion, worded_question
from rag_pipeline.english.function_words import BE, PERSONAL
from rag_pipeline.english.lemmas import lower_words, verb_lemma
from rag_pipeline.english.penn_tags import tag
from rag_pipeline.english.words import word_set

_SAYING = word_set(
    "hold find conclude argue explain note observe reason say state report claim believe suggest show rule decide "
    "contend assert maintain acknowledge concede stress emphasize recognize warn determine declare announce admit "
    "think estimate insist object respond reply add testify reaffirm agree predict propose discover demonstrate"
)
_NO_SOURCE = word_set("it this that these those there what some many others few one everyone nobody somebody")

Rules = Callable[[str], Iterator[CandidateQuestion]]


def reported_candidates(clause: Clause, text: str, rules: Rules) -> Iterator[CandidateQuestion]:
    """Yield the candidates of what a source says, `According to the source, …`; `rules` ask about a sentence."""
    said = _statement(clause, text)
    if not said:
        return
    source = clause.subject_text()
    if clause.subject[0].lower in _NO_SOURCE | PERSONAL or len(lower_words(source)) > 8:
        return
    yield from _about_its_subject(clause, said, source)
    for candidate in rules(said):
        direct = candidate.text[0].lower() + candidate.text[1:]
        yield replace(
            candidate,
            text=f"According to {source}, {direct}",
            indirect=f"{candidate.indirect} according to {source}",
            penalty=candidate.penalty + 0.1,
        )


def _about_its_subject(clause: Clause, said: str, source: str) -> Iterator[CandidateQuestion]:
    """Ask what was held about the subject of the clause: the whole of it is the answer."""
    inner = tag(said, clause.is_name)
    end = of_phrase(inner, 0)
    if not 0 < end < len(inner) - 2 or inner[0].lower in _NO_SOURCE | PERSONAL:
        return
    if inner[end].tag not in {"VBZ", "VBD", "VBP", "MD", "VBN"} or not any(token.is_name for token in inner[:end]):
        return
    verb = verb_lemma(clause.main.text)
    did = "did" if clause.main.tag in {"VBD", "VBN"} else "do" if clause.plural else "does"
    topic = lower_first(text_of(inner[:end], said), inner[0], clause.is_name)
    answer = said[0].lower() + said[1:] if not inner[0].is_name else said
    before = clause.lead_text()
    direct = f"{before + ', ' if before else ''}what {did} {source} {verb} about {topic}"
    indirect = f"what {source} {clause.main.text} about {topic}{' ' + before if before else ''}"
    yield worded_question("held", direct, indirect, answer.rstrip('.”"'), source)


def _statement(clause: Clause, text: str) -> str:
    """Return the clause after `that` as a sentence, or an empty string."""
    if clause.passive or clause.copula or len(clause.group) > 2 or clause.group[0].tag == "MD":
        return ""
    if verb_lemma(clause.main.text) not in _SAYING:
        return ""
    opening = next((at for at, token in enumerate(clause.rest[:6]) if token.lower == "that"), -1)
    if opening < 0:
        return _without_that(clause, text)
    if opening == len(clause.rest) - 1 or (clause.rest[opening].tag == "DT" and opening):
        return ""
    if any(token.tag.startswith(("NN", "VB")) for token in clause.rest[:opening]) and clause.rest[0].tag != "IN":
        return ""
    return _as_sentence(text[clause.rest[opening].end :])


def _without_that(clause: Clause, text: str) -> str:
    """Return what follows `conceded` where it is a clause without `that`: `Lynch was a clear break`."""
    end = of_phrase(clause.rest, 0)
    if not 0 < end < len(clause.rest) - 1 or not clause.rest[0].is_name:
        return ""
    finite = clause.rest[end].tag in {"VBZ", "VBD", "MD"} or clause.rest[end].lower in BE
    return _as_sentence(text[clause.rest[0].start :]) if finite else ""


def _as_sentence(text: str) -> str:
    said = re.sub(r"^[“\"]", "", text.strip())
    return said[:1].upper() + said[1:]
