"""Questions for actions: what somebody wanted to do or did to something, where, when, why and what for."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.question_writers.rules.clauses import Clause
from evaluation.question_writers.rules.entities import is_somebody
from evaluation.question_writers.rules.fact_questions import date_inside
from evaluation.question_writers.rules.phrases import Tokens, date_phrase, long_noun_phrase, noun_phrase, of_phrase
from evaluation.question_writers.rules.phrasing import CandidateQuestion, question_about, worded_question
from rag_pipeline.english.function_words import BE, PERSONAL
from rag_pipeline.english.lemmas import verb_lemma
from rag_pipeline.english.words import word_set

_SEEKING = word_set(
    "seek refuse want try fail attempt plan decide intend promise agree choose need hope vow offer threaten propose "
    "resolve determine pledge manage help begin aim prepare"
)
_EVENTS = word_set("after before when until while once")
_LIGHT = word_set(
    "be have do make take give get come go seem appear become let keep remain lead begin know think mean want like "
    "say tell suppose see"
)
_NO_OBJECT = word_set("place part care way advantage account note use sight hold time day year moment")
_BEHIND = word_set(
    "to from into onto against on upon with for under through at in within during over across toward towards by "
    "without between"
)
_PLACES = word_set("in at on under inside near behind beside beneath over upon into within through across")
_SPANS = word_set(
    "decade decades year years month months week weeks day days hour hours minute minutes time long shortly soon just "
    "even only never well right moment moments while instant hurry"
)
_REASONS = (("because",), ("thanks", "to"), ("due", "to"), ("owing", "to"), ("because", "of"))


def sought(clause: Clause) -> Iterator[CandidateQuestion]:
    """`Cruz sought to inform the jury of …`: ask what he sought to do."""
    lemma = verb_lemma(clause.main.text)
    if clause.passive or clause.copula or lemma not in _SEEKING or len(clause.rest) < 4:
        return
    if clause.rest[0].tag != "TO" or not clause.rest[1].tag.startswith("VB"):
        return
    yield question_about(clause, "sought", "what", "to do", clause.text(clause.rest[1:]))


def done_to(clause: Clause) -> Iterator[CandidateQuestion]:
    """`The spring exerts a force on the bolt`: ask what it exerts on the bolt."""
    lemma = verb_lemma(clause.main.text)
    if clause.passive or clause.copula or lemma in _LIGHT or len(clause.rest) < 4:
        return
    end = of_phrase(clause.rest, 0)
    thing, after = clause.rest[:end], clause.rest[end:]
    reach = after and after[0].lower == "from" and any(token.lower == "to" for token in after)
    if (
        not thing
        or len(after) < 2
        or thing[-1].lower in _NO_OBJECT
        or thing[0].is_number
        or reach
        or thing[0].tag == "VBG"
    ):
        return
    if after[0].lower not in _BEHIND or not _whole_phrases(after) or any(token.is_number for token in after):
        return
    yield question_about(clause, "done_to", "who" if is_somebody(thing) else "what", after, clause.text(thing))


def done_with(clause: Clause) -> Iterator[CandidateQuestion]:
    """`Lynch reversed X in Y`, `the jury sentenced Cruz to death`: ask for the thing behind the preposition."""
    lemma = verb_lemma(clause.main.text)
    if clause.copula or lemma in _LIGHT or len(clause.rest) < 3:
        return
    end = 0 if clause.passive else of_phrase(clause.rest, 0)
    if end == 0 and not clause.passive and clause.rest[0].lower not in _BEHIND:
        return
    after = clause.rest[end:]
    if len(after) < 2 or after[0].lower not in {"to", "from", "into", "against", "with", "for", "on"}:
        return
    thing_end = noun_phrase(after, 1) if after[0].lower == "from" else of_phrase(after, 1)
    thing = after[1:thing_end]
    if thing_end != len(after) or not thing or date_phrase(after, 1) > 1 or thing[0].is_number:
        return
    if thing[-1].lower in _SPANS or any(token.is_number for token in thing):
        return
    wh = "who" if is_somebody(thing) else "what"
    yield question_about(clause, "with_what", wh, [*clause.rest[:end], after[0]], clause.text(thing))


def placed(clause: Clause) -> Iterator[CandidateQuestion]:
    """`He found a box of matches in one of the cases`: ask where."""
    if clause.copula or clause.generic or verb_lemma(clause.main.text) in _LIGHT or len(clause.rest) < 3:
        return
    end = 0 if clause.rest[0].lower in _PLACES else of_phrase(clause.rest, 0)
    after = clause.rest[end:]
    if len(after) < 4 or after[0].lower not in _PLACES or long_noun_phrase(after, 1) != len(after):
        return
    if not any(token.lower in _SPOTS or token.lower.rstrip("s") in _SPOTS for token in after[1:]):
        return
    yield question_about(clause, "where", "where", clause.rest[:end], clause.text(after))


_SPOTS = word_set(
    "room hall house hill wood forest tree garden table gallery street valley river shore beach floor corner wall "
    "case chair box cave tunnel well shaft kitchen door window pool court field road bank slope laboratory pocket "
    "drawer building palace roof ship deck bed stair island mountain sea"
)


def when_event(clause: Clause) -> Iterator[CandidateQuestion]:
    """`After the conviction became final, the Court held …`: ask when."""
    if clause.generic or len(clause.rest) < 2 or date_inside(clause.rest):
        return
    lead = clause.lead
    if lead and lead[0].lower in _EVENTS and _has_verb(lead[1:]) and not _bare_pronoun(lead[1:]):
        yield question_about(clause, "when_event", "when", clause.rest, clause.text(lead), lead=False)
        return
    words = [*clause.rest, *clause.tail]
    for at, token in enumerate(words[:-3]):
        if token.tag in {"WDT", "WP"} or token.lower == "that":
            return
        measured = token.lower in {"after", "before"} and words[at - 1].lower in _SPANS
        if token.lower in _EVENTS and at > 1 and not measured and at <= len(clause.rest) and _has_verb(words[at + 1 :]):
            if not _bare_pronoun(words[at + 1 :]) and not any(word.text in {";", "—", ":"} for word in words[at:]):
                yield question_about(clause, "when_event", "when", words[:at], clause.text(words[at:]))
            return


def why_first(clause: Clause) -> Iterator[CandidateQuestion]:
    """`Because the law banned it, Kate had to leave`: ask why."""
    lead = [token.lower for token in clause.lead]
    for opening in sorted(_REASONS, key=len, reverse=True):
        if tuple(lead[: len(opening)]) == opening and len(lead) > len(opening) + 1:
            if not _bare_pronoun(clause.lead[len(opening) :]):
                yield question_about(
                    clause, "why", "why", clause.rest, clause.text(clause.lead[len(opening) :]), lead=False
                )
            return


def in_order_to(clause: Clause) -> Iterator[CandidateQuestion]:
    """`… in order to do x`, `… so that …`: ask for what purpose; `To do x, y must …`: ask what must be done."""
    lead = clause.lead
    modal = (
        clause.group[0].lower in {"must", "shall", "should"}
        and len(clause.group) == 2
        and clause.group[1].lower != "be"
    )
    if lead and lead[0].tag == "TO" and modal and len(clause.rest) > 1:
        answer = clause.text([*clause.group[1:], *clause.rest, *clause.tail])
        said, subject, before = clause.group[0].lower, clause.subject_text(), clause.lead_text()
        yield worded_question(
            "required", f"{before}, what {said} {subject} do", f"what {subject} {said} do {before}", answer, subject
        )
        return
    words = clause.rest
    for at in range(1, len(words) - 3):
        if words[at].tag in {"WDT", "WP"} or words[at].lower == "that":
            return
        trio = tuple(token.lower for token in words[at : at + 3])
        if trio == ("in", "order", "to") or (trio[:2] == ("so", "that")) or _aim(clause, at):
            yield question_about(clause, "why", "why", words[:at], clause.text(words[at:]))
            return


def _aim(clause: Clause, at: int) -> bool:
    """Return whether `to rotate …` behind an object or a passive is a purpose."""
    words = clause.rest
    if (
        words[at - 1].lower in _OPEN_NOUNS
        or words[at].tag != "TO"
        or words[at + 1].tag != "VB"
        or verb_lemma(clause.main.text) in _SEEKING | _LIGHT | _TO_DO | _COMING_OUT
    ):
        return False
    if clause.passive and clause.main.lower in _SAID_OF:
        return False
    return (
        noun_phrase(words, 0) == at
        if not clause.passive
        else words[0].tag in {"IN", "TO"} and long_noun_phrase(words, 1) == at
    )


_TO_DO = word_set(
    "require allow enable permit encourage authorize force oblige instruct ask cause lead order urge help invite "
    "compel persuade expect cite use leave advise teach entitle free tell direct receive request select appoint "
    "designate prompt motivate push pressure remind assist train refer place seek get command"
)
_COMING_OUT = word_set("beat defeat win lose score draw tie finish rise fall grow advance return survive live")
"""Verbs behind which `to` introduces a result: `won to reach the final`."""
_OPEN_NOUNS = word_set(
    "authority contract right ability opportunity permission power plan effort attempt decision order request need "
    "duty time way chance agreement proposal responsibility intention desire failure motion petition bill law "
    "rules rule "
    "license option tendency capacity promise offer reason privilege obligation steps action"
)
_SAID_OF = word_set("used designed intended meant required expected allowed permitted obliged said known found held")


def _has_verb(tokens: Tokens) -> bool:
    return any(token.tag in {"VBD", "VBZ", "VBP", "MD"} or token.lower in BE for token in tokens)


def _bare_pronoun(tokens: Tokens) -> bool:
    """Return whether a clause begins with a pronoun, which only its context resolves."""
    return not tokens or tokens[0].lower in PERSONAL


def _whole_phrases(after: Tokens) -> bool:
    """Return whether nothing but prepositional phrases follows."""
    at = 0
    while at < len(after):
        if after[at].tag not in {"IN", "TO"}:
            return False
        end = long_noun_phrase(after, at + 1)
        if end == at + 1:
            return False
        at = end
    return True
