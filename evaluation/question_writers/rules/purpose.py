"""The purpose of the bot as an introduction of situational questions."""

from __future__ import annotations

import re

_ASKERS = re.compile(
    r"^(?:helps?|helping|for|answers?|answering|supports?|support for|questions (?:of|from)|serves?)?\s*"
    r"(?P<who>[\w -]+?) (?:who (?:ask|want|need|look)[\w ]*?(?:about|for)|asking (?:about|for)|"
    r"with questions (?:about|on)|looking (?:for|up)|that ask about|about|on) (?P<what>.+?)\.?$",
    re.IGNORECASE,
)
_GENERAL = (
    "I am preparing a short talk for my class and have only ten minutes left before it begins.",
    "My colleague and I have been arguing about this over lunch, and neither of us would give in.",
    "I read about this on the train some weeks ago but have forgotten the detail since.",
    "My daughter has to hand in her homework tomorrow and her book was left at school.",
    "I am writing to somebody who is very particular about facts, so a guess will not do.",
    "We are putting together a quiz for the village fair, and one of the cards has lost its answer.",
    "I have just moved here, everything is still in boxes, and I cannot find my notes.",
    "A friend who usually knows such things is on holiday and does not pick up the phone.",
    "I am new in this job and do not want to ask my manager the same thing twice.",
    "Our newsletter goes to print tonight and the editor has put a question mark in the margin.",
    "I am listening to a recording with a lot of noise in it, and just at this point I cannot make out the words.",
    "My grandfather keeps telling a different story each time, and now I would like to be sure.",
    "I promised to help a neighbour with some paperwork and it turned out harder than we had thought.",
    "There are two versions of this in my notes and they contradict each other.",
)


def situations(purpose: str) -> tuple[str, ...]:
    """Return introductions in which the asker describes a situation, each with the purpose where there is one."""
    purpose = " ".join(purpose.split())
    if not purpose:
        return _GENERAL
    opening = _opening(purpose)
    return tuple(f"{opening} {situation}" for situation in _GENERAL)


def _opening(purpose: str) -> str:
    match = _ASKERS.match(purpose)
    if match is None:
        return f"I was told that this is the right place to ask, since it is meant for “{purpose.rstrip('.')}”."
    role = _singular(match.group("who").strip().lower())
    what = re.sub(r"\btheir\b", "my", match.group("what"))
    article = "an" if role[0] in "aeiou" else "a"
    return f"I am {article} {role} with a question about {what}."


def _singular(role: str) -> str:
    from lemminflect import getLemma

    *before, last = role.split()
    lemma = getLemma(last, upos="NOUN")
    return " ".join([*before, str(lemma[0]) if lemma else last])
