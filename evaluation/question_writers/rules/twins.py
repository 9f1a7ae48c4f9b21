"""Twins of a simple question: the same asked in other words, as key words, or by somebody whom the bot is for."""

from __future__ import annotations

import random
import re

from evaluation.question_writers.rules.candidates import Candidate
from rag_pipeline.english.function_words import STOP
from rag_pipeline.english.lemmas import lower_words

_CARRIERS = (
    "Do you know {clause}?", "Can you tell me {clause}?", "I would like to know {clause}.", "Could you say {clause}?",
)  # fmt: skip
_ASKED_FOR = {
    "when": "date", "how_many": "number", "why": "reason",
    "definition": "meaning", "called": "name",
}  # fmt: skip
_FEWEST, _MOST = 3, 6
_EMPTY = frozenset(
    {"did", "does", "do", "was", "were", "is", "are", "has", "have", "had", "year", "many", "much", "long", "happens"}
)
_NO_KEYWORDS = frozenset({"what_with", "happens", "yes_no", "is_so", "does", "what_can_i", "advice"})
"""Kinds whose key words alone leave open what is asked."""
_LIMITS = re.compile(r"not|no|never|only|without|except|unless|\w+n['’]t", re.IGNORECASE)
"""Words without which another thing is asked."""
_CARRIED = frozenset({"definition", "named_thing", "faq", "term"})


def rephrase(candidate: Candidate, rng: random.Random) -> str:
    """Return the question in other words: another wording of its rule, else as somebody asks who is polite."""
    others = [text for text in dict.fromkeys(candidate.others) if text not in {"", candidate.text}]
    if others:
        return rng.choice(others)
    if candidate.rule in _CARRIED and (match := re.fullmatch(r"(What|Who) (is|are|was|were) (.+)\?", candidate.text)):
        asking, verb, rest = match.groups()
        if rest.rsplit(" ", 1)[-1].lower() in STOP:
            return ""  # `What is it good for?`: `what it good for is` is no English
        return rng.choice(_CARRIERS).format(clause=f"{asking.lower()} {rest} {verb}")
    return ""


def keywords(candidate: Candidate) -> str:
    """Return what somebody would type into a search field; empty where too few or too many words are left."""
    original = [word.strip("\"'“”‘’(),;:?") for word in candidate.text.split()]
    if candidate.rule in _NO_KEYWORDS or any(_LIMITS.fullmatch(word) for word in original):
        return ""
    kept = [word for word in original if word and word.lower() not in STOP | _EMPTY]
    name = candidate.rule == "definition" and any(word[:1].isupper() for word in original[1:])
    hint = _ASKED_FOR.get(candidate.rule, "") if len(kept) >= _FEWEST - 1 and not name else ""
    kept = [*kept, hint] if hint and hint not in kept else kept
    kept = ["who", *kept] if original[0] == "Who" else kept
    return " ".join(kept).lower() if _FEWEST <= len(kept) <= _MOST else ""


def situate(candidate: Candidate, situation: str) -> str:
    """Return the question behind what its asker says of themselves."""
    return f"{situation} {candidate.text}" if situation else ""


def protected_words(candidate: Candidate) -> set[str]:
    """Return the words that a slip must not spoil: names, and all of a question with few words of its own."""
    content = [word for word in lower_words(candidate.text) if word not in STOP]
    names = {word for part in candidate.text.split()[1:] if part[:1].isupper() for word in lower_words(part)}
    return names | (set(content) if len(content) < 4 else set()) | {"who", "what", "when", "where", "why", "how"}
