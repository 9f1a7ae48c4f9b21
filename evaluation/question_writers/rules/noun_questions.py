"""Questions for a noun phrase: a person, a thing, a name, a definition or a list."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evaluation.question_writers.rules.clauses import Clause
from evaluation.question_writers.rules.entities import is_person, is_somebody, not_a_person
from evaluation.question_writers.rules.phrases import Tokens, date_phrase, long_noun_phrase, noun_phrase, of_phrase
from evaluation.question_writers.rules.phrasing import (
    CandidateQuestion,
    active_question,
    question_about,
    question_for_subject,
    worded_question,
)
from rag_pipeline.english.lemmas import verb_lemma
from rag_pipeline.english.words import word_set

_VAGUE = word_set(
    "way thing example result case part kind one some piece matter number variety lot type form fact instance "
    "source reason member issue problem question first second third most step aspect effect idea place time duty deal"
)
_HEADS = word_set(
    "empire company university museum river city country club team agency bank newspaper party church school army "
    "court council king queen theatre orchestra government committee hospital airline publisher station ship "
    "society association organization organisation festival album song film novel island mountain state county "
    "prize award battle treaty library institute college studio label network bridge palace castle park battalion "
    "regiment"
)
_OBJECTLESS = word_set(
    "be have do go come seem appear remain say think know believe argue want like let make get begin start "
    "finish end continue take attribute allow enable permit require cause note mention describe discuss stress "
    "consider inhabit"
)
_DONE_BY_PEOPLE = word_set(
    "invent write compose paint discover describe patent design coin marry publish translate illustrate propose "
    "formulate sculpt direct edit observe deduce demonstrate argue devise"
)
_NAMING = word_set("call name term nickname dub know title entitle")
_LISTING = word_set("include comprise contain feature consist cover offer encompass produce")
_WHEN_AND_BY_WHOM = word_set("in since until from by because after before during when between")
_CIRCUMSTANCES = word_set("if when before after during until unless upon once within while")
_ABBREVIATED = re.compile(
    r"((?:[A-Z][\w’'-]+|of|the|and|for|in|on|to|&)(?: (?:[A-Z][\w’'-]+|of|the|and|for|in|on|to|&)){1,9}) "
    r"\([“\"]?([A-Z]{2,8})[”\"]?\)"
)


def who(clause: Clause) -> Iterator[CandidateQuestion]:
    """`was built by X`, `X founded the city`: ask for the one who did it."""
    if clause.passive:
        for at, token in enumerate(clause.rest):
            if token.lower != "by":
                continue
            end = long_noun_phrase(clause.rest, at + 1, frozenset({"of", "and"}))
            agent = clause.rest[at + 1 : end]
            if not agent or clause.aux != 1 or len(clause.group) != 2 or not _named(agent):
                return
            wh = "who" if _human(clause, agent) else _asking_for(agent)
            if wh != "what":
                yield active_question(clause, wh, [*clause.rest[:at], *clause.rest[end:]], clause.text(agent))
            return
    elif clause.lead and clause.lead[0].tag == "TO":
        return  # whoever did it had the aim: the lead tells half of the answer
    elif _named(clause.subject) and not clause.copula and clause.rest and len(clause.subject) <= 8:
        wh = "who" if _human(clause, clause.subject) else _asking_for(clause.subject)
        kind = "who" if wh == "who" else "which"
        if wh != "what" and not clause.plural:
            yield question_for_subject(
                clause, kind, wh, clause.rest, clause.text(clause.subject), topic=_last_name(clause)
            )


def _named(tokens: Tokens) -> bool:
    return any(token.is_name for token in tokens)


def _human(clause: Clause, agent: Tokens) -> bool:
    """Return whether the verb is done by people and the doer is named like one (`invented by Taqi al-Din`)."""
    named = all(token.is_name for token in agent) and len(agent) <= 4
    return named and verb_lemma(clause.main.text) in _DONE_BY_PEOPLE and not_a_person([t.text for t in agent]) is False


def _last_name(clause: Clause) -> str:
    names = [token for token in clause.rest if token.is_name]
    return names[-1].text if names else clause.text(clause.rest[:6])


def _asking_for(tokens: Tokens) -> str:
    """Return `who`, `which company`, or `what` where the kind is unknown."""
    if is_person(tokens):
        return "who"
    head = [token for token in tokens if token.is_noun]
    first_of = next((at for at, token in enumerate(tokens) if token.lower == "of"), len(tokens))
    heads = [token for token in tokens[:first_of] if token.is_noun] or head
    if heads and heads[-1].lower in _HEADS and len(tokens) > 1:
        return f"which {heads[-1].lower}"
    return "what"


def definition(clause: Clause) -> Iterator[CandidateQuestion]:
    """`X is a y that …`: ask what X is; `X is the y of Z`: ask also for X."""
    if clause.apposition and _named(clause.subject) and len(clause.apposition) > 3 and not clause.plural:
        wh = "who" if _is_somebody(clause.subject, clause.apposition) else "what"
        verb = "is" if clause.generic else "was"
        name = clause.subject_text()
        yield worded_question(
            "definition", f"{wh} {verb} {name}", f"{wh} {name} {verb}", clause.text(clause.apposition), name
        )
    if not clause.copula or clause.lead or not clause.rest or len(clause.group) != 1:
        return
    end = noun_phrase(clause.rest, 0)
    plural = end > 0 and clause.plural and clause.rest[end - 1].tag == "NNS" and end < len(clause.rest)
    if clause.rest[0].tag != "DT" and not (plural and clause.rest[0].tag in {"JJ", "NN", "NNS"}):
        return
    head = clause.rest[end - 1].lower
    sort_of = head in {"type", "kind", "form", "class"} and end < len(clause.rest) and clause.rest[end].lower == "of"
    vague = head in _VAGUE and clause.rest[0].lower != "the" and not sort_of
    if end == 0 or vague or len(clause.rest) < 3 or head in {token.lower for token in clause.subject}:
        return
    wh = "who" if _is_somebody(clause.subject, clause.rest) else "what"
    if clause.plural == (clause.group[0].lower in {"are", "were"}):
        yield question_about(clause, "definition", wh, "", clause.text(clause.rest))
    if clause.rest[0].lower == "the" and _named(clause.subject) and (_named(clause.rest) or _superlative(clause.rest)):
        topic = clause.text(clause.rest)
        yield question_for_subject(clause, "identity", wh, clause.rest, clause.subject_text(), topic=topic)


def main_thing(clause: Clause) -> Iterator[CandidateQuestion]:
    """`The main threat to the ray is incidental capture by trawlers`: ask what that threat is."""
    if not clause.copula or clause.lead or len(clause.group) != 1 or clause.subject[0].lower != "the":
        return
    complement = clause.rest
    until = date_phrase(complement, 0)
    if until and until + 1 < len(complement) and complement[until].lower in {"to", "–"} and not clause.plural:
        if date_phrase(complement, until + 1) == len(complement):  # `The fiscal year is May 1 to April 30`
            yield question_about(clause, "definition", "what", "", clause.text(complement))
        return
    if len(clause.subject) < 4 or not complement or complement[0].tag not in {"JJ", "NN", "NNS"} or clause.plural:
        return
    end = long_noun_phrase(complement, 0)
    if 0 < end < len(complement) and complement[end].lower == "by":
        end = long_noun_phrase(complement, end + 1)
    if len(complement) > 2 and end == len(complement) and complement[-1].is_noun:
        yield question_about(clause, "definition", "what", "", clause.text(complement))


def identity(clause: Clause) -> Iterator[CandidateQuestion]:
    """`The first president was X`: ask who the first president was."""
    if (
        not clause.copula
        or clause.lead
        or clause.subject[0].lower != "the"
        or len(clause.group) != 1
        or not clause.rest
    ):
        return
    end = of_phrase(clause.rest, 0)
    complement = clause.rest[:end]
    if (
        end != len(clause.rest)
        or not complement
        or complement[0].tag == "DT"
        or not all(token.is_name for token in complement[:2])
    ):
        return
    if _named(clause.subject) or _superlative(clause.subject):
        wh = "who" if is_person(complement) else "what"
        yield question_about(clause, "identity", wh, "", clause.text(complement))


def _is_somebody(subject: Tokens, complement: Tokens) -> bool:
    """Return whether a subject is a person, by its name or by its complement."""
    end = noun_phrase(complement, 0)
    return is_person(subject) or (end > 0 and is_somebody(complement[:end]) and _named(subject))


def _superlative(tokens: Tokens) -> bool:
    return any(token.tag in {"JJS", "RBS"} or token.lower in {"first", "last", "only"} for token in tokens[:4])


def called(clause: Clause) -> Iterator[CandidateQuestion]:
    """`is known as Y`: ask for the name."""
    if clause.passive and clause.main.lower == "referred" and clause.text(clause.rest[:2]) == "to as":
        yield question_about(clause, "called", "what", "to as", clause.text(clause.rest[2:]))
        return
    if not clause.passive or verb_lemma(clause.main.text) not in _NAMING or not clause.rest:
        return
    knows = clause.main.lower == "known"
    start = 1 if clause.rest[0].lower == "as" else 0
    if knows != (start == 1):
        return
    end = of_phrase(clause.rest, start)
    name = clause.rest[start:end]
    if not name or clause.rest[start].text in {'"', "“"} or not _named(name):
        return
    after = clause.rest[end:]
    if after and after[0].lower not in _WHEN_AND_BY_WHOM:
        return
    yield question_about(clause, "called", "what", [*clause.rest[:start], *after], clause.text(name))


def stands_for(sentence: str) -> Iterator[CandidateQuestion]:
    """`World Health Organization (WHO)`: ask what the letters stand for."""
    for match in _ABBREVIATED.finditer(sentence):
        words, letters = match.group(1).split(), match.group(2)
        for size in range(2, len(words) + 1):
            part = words[-size:]
            initials = "".join(word[0] for word in part if word[0].isupper())
            if initials == letters and part[0][0].isupper():
                full = " ".join(part)
                yield worded_question(
                    "stands_for", f"what does {letters} stand for", f"what {letters} stands for", full, letters
                )
                break


def listed(clause: Clause) -> Iterator[CandidateQuestion]:
    """`includes A, B and C`, `the symptoms are A, B and C`: ask for the list."""
    of_definite = clause.copula and clause.plural and clause.subject[0].lower == "the"
    if clause.passive or clause.lead or not (verb_lemma(clause.main.text) in _LISTING or of_definite):
        return
    start = 1 if clause.rest and clause.rest[0].lower == "of" else 0
    items = clause.rest[start:]
    commas = sum(token.text == "," for token in items)
    commas += bool(items) and of_definite and _superlative(clause.subject) and items[-1].is_name
    if commas and items[0].tag != "IN" and any(token.lower in {"and", "or"} for token in items) and _only_nouns(items):
        yield question_about(clause, "list", "what", clause.rest[:start], clause.text(items))


def _only_nouns(items: Tokens) -> bool:
    return all(
        token.tag.startswith(("NN", "JJ", "DT", "CC", "CD", "POS", "VBG"))
        or token.text == ","
        or token.lower in {"of", "for", "in", "at"}
        for token in items
    )


def what(clause: Clause) -> Iterator[CandidateQuestion]:
    """`The Empire annexed Warsaw in 1815`: ask for the object."""
    if clause.passive or clause.copula or verb_lemma(clause.main.text) in _OBJECTLESS or not clause.rest:
        return
    end = long_noun_phrase(clause.rest, 0)
    if 0 < end < len(clause.rest) and clause.rest[end].lower in {"that", "which"}:
        end = len(clause.rest)
    thing, after = clause.rest[:end], clause.rest[end:]
    if not thing or thing[0].is_number or not _may_follow(after):
        return
    cut_short = verb_lemma(clause.main.text) in _LISTING and clause.tail
    if cut_short or any(token.lower in {"it", "them", "him"} for token in after):
        return
    yield question_about(clause, "what", "who" if is_somebody(thing) else "what", after, clause.text(thing))


def _may_follow(after: Tokens) -> bool:
    """Return whether what follows an object is an adjunct: a time, a condition, a purpose."""
    if not after:
        return True
    if after[0].lower in _CIRCUMSTANCES:
        return True
    return after[0].tag == "IN" and date_phrase(after, 1) > 1
