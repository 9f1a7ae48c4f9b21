"""Questions for outcomes, for what somebody did at a time or place, for amounts, and for how a thing is described."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from evaluation.question_writers.rules.clauses import Clause
from evaluation.question_writers.rules.entities import is_somebody
from evaluation.question_writers.rules.narrators import NARRATOR, SPEAKER
from evaluation.question_writers.rules.phrases import Tokens
from evaluation.question_writers.rules.phrasing import CandidateQuestion, question_about, worded_question
from rag_pipeline.english.function_words import BE, PERSONAL
from rag_pipeline.english.lemmas import content_lemmas, parts_of_speech, verb_lemma
from rag_pipeline.english.words import word_set

_EVENTS = word_set("if when after before once unless until whenever")
_STATES = word_set(
    "be have know think believe feel seem mean want like love hate need hope remember understand suppose consider "
    "see hear find notice perceive realize contain include consist belong depend exist remain become hold argue appear"
)
_CHANGES = word_set("drop fall rise grow increase decrease decline cut reduce go climb shrink jump raise lower plunge")
_MONEY = frozenset("$£€¥")
_SCALES = word_set("hundred thousand million billion trillion percent dollars pounds euros cents")
_NO_QUALITY = word_set(
    "able going likely sure ready clear possible true due about such same different wrong right glad"
)


def outcome(clause: Clause) -> Iterator[CandidateQuestion]:
    """`When the nut is tightened, the shoulder is pulled down`: ask what happens then."""
    lead = clause.lead
    if (
        len(lead) < 3
        or lead[0].lower not in _EVENTS
        or lead[1].tag == "VBG"
        or not _is_clause(lead[1:])
        or len(clause.rest) < 2
    ):
        return
    if clause.tail and clause.tail[0].lower not in {"and", ","}:
        return
    answer = clause.text([*clause.subject, *clause.group, *clause.rest])
    event = f"{lead[0].lower} {clause.text(lead[1:])}"
    verb = "happens" if clause.generic else "happened"
    direct = f"what {verb} {event}"
    yield replace(worded_question("happens", direct, direct, answer, clause.text(lead[1:3])), generic=clause.generic)


def action_in_setting(clause: Clause) -> Iterator[CandidateQuestion]:
    """`On the roof of the palace, the king lit a fire`: ask what the king did there."""
    lead = clause.lead
    if not lead or clause.passive or clause.copula or clause.generic or len(clause.group) != 1:
        return
    if verb_lemma(clause.main.text) in _STATES or len(clause.rest) < 3 or len(content_lemmas(clause.text(lead))) < 2:
        return
    if clause.main.tag not in {"VBD", "VBN"} or _bare(lead[1:]) or not _acts(clause):
        return
    subject, before = clause.subject_text(), clause.lead_text()
    answer = clause.text([*clause.group, *clause.rest])
    candidate = worded_question(
        "deed", f"{before}, what did {subject} do", f"what {subject} did {before}", answer, subject
    )
    yield replace(candidate, generic=False)


def action_at_event(clause: Clause) -> Iterator[CandidateQuestion]:
    """`Cruz moved for a new trial after the jury had spoken`: ask what he did then."""
    if clause.copula or clause.passive or clause.lead or len(clause.group) != 1:
        return
    if verb_lemma(clause.main.text) in _STATES or clause.main.tag not in {"VBD", "VBN"} or not _acts(clause):
        return
    words = clause.rest
    for at in range(2, len(words) - 3):
        if words[at].tag in {"WDT", "WP"} or words[at].lower == "that":
            return
        if words[at].lower in _EVENTS - {"if"} and _is_clause(words[at + 1 :]):
            subject, event = clause.subject_text(), clause.text(words[at:])
            answer = clause.text([*clause.group, *words[:at]])
            direct = f"what did {subject} do {event}"
            yield replace(
                worded_question("deed", direct, f"what {subject} did {event}", answer, subject), generic=False
            )
            return


def stated_of(clause: Clause) -> Iterator[CandidateQuestion]:
    """`The novelty of x arises from y`: ask what is stated about the subject, where nothing closer can be asked."""
    subject = clause.subject_text()
    governed = clause.lead and (clause.lead[0].lower in _EVENTS or clause.lead[0].tag == "TO")
    cut = clause.tail and clause.tail[0].text not in {",", ";", "and", "but"}
    few = len(content_lemmas(subject)) < (1 if any(token.is_name for token in clause.subject) else 2)
    if governed or cut or few or len(clause.rest) < 3 or _bare(clause.rest):
        return
    if (
        clause.subject[0].lower in {"no", "none", "nothing", "nobody", "whose"}
        or len(clause.subject) > 12
        or _doubtful(clause)
    ):
        return
    one_who_did = (
        clause.main.tag == "VBD" and len(clause.group) == 1 and not clause.copula and is_somebody(clause.subject)
    )
    if not clause.generic and (clause.subject[0].lower in {"a", "an"} or _second_verb(clause)):
        return
    answer_tokens: Tokens = [*clause.group, *clause.rest]
    direct = indirect = f"what is stated about {subject}"
    named_as = clause.rest[0].tag in {"TO", "DT"} or clause.rest[0].lower == "that"
    if (
        clause.copula
        and len(clause.group) == 1
        and named_as
        and (clause.group[0].lower in {"are", "were"}) == clause.plural
    ):
        be = clause.text(clause.group)
        answer_tokens, direct, indirect = clause.rest, f"what {be} {subject}", f"what {subject} {be}"
    elif one_who_did:
        direct, indirect = f"what did {subject} do", f"what {subject} did"
    yield replace(
        worded_question("stated_of", direct, indirect, clause.text(answer_tokens), subject), generic=clause.generic
    )


def _second_verb(clause: Clause) -> bool:
    """Return whether a later verb shows that the first is a participle: `systems based on x depend on y`."""
    before = ["", *(token.lower for token in clause.rest)]
    return any(
        token.tag in {"VB", "VBP", "VBZ"} and last not in {"to", "that", "which", "who", "not"}
        for last, token in zip(before, clause.rest, strict=False)
    )


def _doubtful(clause: Clause) -> bool:
    """Return whether the verb may be a noun: `new manufacturing jobs`."""
    only = clause.group[0]
    return len(clause.group) == 1 and only.tag in {"VBZ", "VBP"} and only.lower not in BE and _is_noun_too(only.lower)


def _is_noun_too(word: str) -> bool:
    return "NOUN" in parts_of_speech(word)


def _acts(clause: Clause) -> bool:
    """Return whether the subject is somebody who can do things."""
    named = any(token.is_name for token in clause.subject) or is_somebody(clause.subject)
    return named or clause.subject_text() in {NARRATOR, SPEAKER}


def described(clause: Clause) -> Iterator[CandidateQuestion]:
    """`The decision was unprecedented and unforeseeable`: ask how it is described."""
    if not clause.copula or clause.lead or len(clause.rest) < 3 or len(clause.group) != 1:
        return
    first = clause.rest[0]
    if first.tag not in {"JJ", "RB"} or first.lower in _NO_QUALITY or not clause.rest[-1].tag.startswith(("JJ", "NN")):
        return
    joined = len(clause.rest) >= 3 and any(token.lower == "and" for token in clause.rest[1:4])
    if not joined or any(token.tag in {"WDT", "WP", "TO"} or token.lower == "that" for token in clause.rest):
        return
    be = "is" if clause.group[0].lower in {"is", "was"} else "are"
    subject = clause.subject_text()
    direct = f"how {be} {subject} described"
    indirect = f"how {subject} {be} described"
    yield replace(
        worded_question("described", direct, indirect, clause.text(clause.rest), subject), generic=clause.generic
    )


def how_much(clause: Clause) -> Iterator[CandidateQuestion]:
    """`The plan costs $35 a month`, `cut the deficit by $160 billion`: ask how much."""
    words = clause.rest
    for at, token in enumerate(words):
        if token.tag in {"WDT", "WP", "VBG"} or token.lower in {"that", "and", "or"}:
            return
        sum_of = token.text[0] in _MONEY or (token.is_number and _is_scale(words, at + 1, "percent"))
        if not sum_of:
            continue
        end = at + 1
        while end < len(words) and (words[end].is_number or words[end].lower in _SCALES):
            end += 1
        before, after = words[:at], words[end:]
        if any(word.is_number or word.text[0] in _MONEY for word in after) or (
            after and after[0].lower in {"of", "to"}
        ):
            return
        if before and before[-1].lower == "by":
            yield question_about(clause, "how_much", "by how much", [*before[:-1], *after], clause.text(words[at:end]))
        elif not before and (not after or after[0].tag in {"IN", "TO", "DT"}):
            yield question_about(clause, "how_much", "how much", after, clause.text(words[at:end]))
        return


def from_to(clause: Clause) -> Iterator[CandidateQuestion]:
    """`Inflation has dropped from 9 percent to 3 percent`: ask from what to what."""
    words = clause.rest
    if verb_lemma(clause.main.text) not in _CHANGES or len(words) < 4:
        return
    start = next((at for at, token in enumerate(words[:6]) if token.lower == "from"), -1)
    to_at = next((at for at in range(start + 1, len(words)) if words[at].lower == "to"), -1)
    if start < 0 or to_at < 0 or not _has_figure(words[start:to_at]) or not _has_figure(words[to_at:]):
        return
    end = to_at + 1
    while end < len(words) and (words[end].is_number or words[end].lower in _SCALES or words[end].text[0] in _MONEY):
        end += 1
    kept = [*words[:start], *words[end:]]
    yield question_about(clause, "how_much", "from what to what", kept, clause.text(words[start:end]))


def _is_scale(words: Tokens, at: int, scale: str) -> bool:
    return at < len(words) and words[at].lower == scale


def _has_figure(tokens: Tokens) -> bool:
    return any(token.is_number or token.text[0] in _MONEY for token in tokens)


def _is_clause(tokens: Tokens) -> bool:
    """Return whether these are a subject that is named and a finite verb."""
    finite = any(token.tag in {"VBD", "VBZ", "VBP", "MD"} or token.lower in BE for token in tokens)
    return len(tokens) > 2 and finite and not _bare(tokens)


def _bare(tokens: Tokens) -> bool:
    """Return whether the words contain a pronoun, which only the context resolves."""
    return any(token.lower in PERSONAL - word_set("its their his her") for token in tokens)
