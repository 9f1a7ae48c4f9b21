"""The purpose of the bot as an introduction of situational questions."""

from __future__ import annotations

import re

from rag_pipeline.english.lemmas import base_form

_ASKERS = re.compile(
    r"^(?:helps?|helping|for|answers?|answering|supports?|support for|questions (?:of|from)|serves?)?\s*"
    r"(?P<who>[\w -]+?) (?:who (?:ask|want|need|look)[\w ]*?(?:about|for)|asking (?:about|for)|"
    r"with questions (?:about|on)|looking (?:for|up)|that ask about|about|on) (?P<what>.+?)\.?$",
    re.IGNORECASE,
)


def situation(purpose: str) -> str:
    """Return how somebody for whom the bot is there would introduce a question; empty where that is not said."""
    match = _ASKERS.match(" ".join(purpose.split()))
    if match is None:
        return ""
    role = _singular(match.group("who").strip().lower())
    what = re.sub(r"\btheir\b", "my", match.group("what"))
    article = "an" if role[0] in "aeiou" else "a"
    return f"I am {article} {role} with a question about {what}."


def _singular(role: str) -> str:
    *before, last = role.split()
    return " ".join([*before, base_form(last, "NOUN")])
