"""Complex twins of a simple question: rephrased, complicated, or asked in a situation."""

from __future__ import annotations

import random
import re

from evaluation.question_writers.rules.phrasing import CandidateQuestion
from rag_pipeline.english.function_words import STOP
from rag_pipeline.english.lemmas import lower_words
from rag_pipeline.english.penn_tags import tag

TRANSFORMATIONS = ("rephrase", "complicate", "situational")

_CARRIERS = (
    "Can you tell me {clause}?",
    "Do you happen to know {clause}?",
    "I would like to know {clause}.",
    "Please tell me {clause}.",
    "Could you look up {clause}?",
    "I am trying to find out {clause}.",
)
_PLAINER = {
    "purchased": "bought", "purchase": "buy", "began": "started", "begin": "start", "begins": "starts",
    "constructed": "built", "commenced": "started", "obtain": "get", "largest": "biggest", "occurred": "happened",
    "occur": "happen", "occurs": "happens", "permit": "allow", "permits": "allows",
    "concluded": "ended", "completed": "finished", "selected": "chosen", "annually": "every year",
    "assistance": "help", "demonstrate": "show", "departed": "left", "remodelled": "redesigned",
    "approximately": "about", "utilize": "use", "initially": "at first", "subsequently": "later", "major": "main",
}  # fmt: skip
_INVOLVED = {
    "when": (
        "Suppose that everything known about {topic} were put into the order in which it happened: at which point in "
        "time would one have to enter that {statement}?",
        "If somebody had to write the exact point in time beside the statement that {statement}, leaving aside all "
        "that came before and after it, what would have to be written there?",
    ),
    "where": (
        "Suppose somebody wanted to mark on a map the very spot where {statement}, and no other that has to do with "
        "{topic}: which place would have to be marked?",
        "Of all the places that could be connected with {topic}, which is the one where {statement}?",
    ),
    "why": (
        "Many circumstances may have played a part, but if one had to name the single reason that explains why "
        "{statement}, which would it be?",
        "If somebody were to object that it came about by mere chance, what reason could one hold against it to "
        "explain why {statement}?",
    ),
    "how_many": (
        "If a report had to give one figure and could not leave it at “some” or “several”, {direct}",
        "Setting aside all about {topic} that cannot be counted, and looking only at the figure itself, {direct}",
    ),
    "who": (
        "Several people or bodies may come to mind in this connection, but if only one of them could be named as the "
        "one responsible, {direct}",
    ),
    "definition": (
        "If somebody who had never come across {topic} before asked for an explanation in a few words, leaving out all "
        "that only surrounds it, how would one have to explain {clause}?",
    ),
}
_WITH_PREMISE = (
    "Given that {premise}, and leaving aside whatever may follow from that, {direct}",
    "Although it is already known that {premise}, that does not yet tell {clause}, so what is the answer to that?",
    "Somebody who has just learned that {premise} may well go on to ask something quite different, namely: {direct}",
    "Taking it as settled that {premise}, one thing still remains to be found out, and that is {clause}: do you know?",
)
_INVOLVED_ANY = (
    "Leaving aside everything else that could be said about {topic}, and looking at this one point alone, {direct}",
    "Among the many things that one might ask about {topic}, there is one that has to be settled before all others, "
    "namely this: {direct}",
    "If one sets aside what came before and what followed, and does not go into how it is judged, {direct}",
    "Assuming that somebody has to rely on the answer and therefore needs it exactly rather than roughly, {direct}",
)
_ABOUT_DEEDS = frozenset({"how_to", "in_case", "needed", "shown"})
"""Kinds whose topic is an action, so that `about` cannot precede it."""


def make_twin(
    candidate: CandidateQuestion, transformation: str, rng: random.Random, *, situation: str = "", premise: str = ""
) -> str:
    """Return the question in other words with the same answer, not yet with slips.

    `situation` comes before a situational question, `premise`, a true statement, before a complicated one.
    """
    if transformation == "rephrase":
        return rephrase(candidate, rng)
    if transformation == "complicate":
        return complicate(candidate, rng, premise)
    return situate(candidate, rng, situation)


def rephrase(candidate: CandidateQuestion, rng: random.Random) -> str:
    """Ask the same in other words."""
    forms = [*_own_forms(candidate), rng.choice(_CARRIERS).format(clause=candidate.indirect)]
    chosen = rng.choice(forms)
    return _with_plainer_words(chosen)


def _own_forms(candidate: CandidateQuestion) -> list[str]:
    """Return other ways to ask that belong to one kind of question."""
    text, clause = candidate.text, candidate.indirect
    if candidate.kind == "when" and text.startswith("When ") and re.fullmatch(r"\d{4}", candidate.answer):
        return [f"In which year {text[5:]}", f"What is the year in which {clause[5:]}?"]
    if candidate.kind == "why" and text.startswith("Why "):
        return [f"For what reason {text[4:]}", f"What is the reason why {clause[4:]}?"]
    if candidate.kind == "where" and text.startswith("Where "):
        return [f"In what place {text[6:]}"]
    if candidate.kind == "who" and text.startswith("Who "):
        return [f"Who was it that {text[4:]}"] if not text.startswith(("Who is ", "Who are ")) else []
    if candidate.kind == "which" and clause.startswith("which "):
        noun, rest = clause[6:].split(" ", 1)
        return [f"What is the name of the {noun} that {rest}?"]
    if candidate.kind == "what" and text.startswith("What ") and clause.startswith("what "):
        return [f"What is it that {clause[5:]}?"]
    if candidate.kind == "said":
        return [f"Whose words are {candidate.text[9:]}", f"By whom was it said: {candidate.text[9:]}"]
    if candidate.kind == "stands_for":
        return [f"What are the letters {candidate.topic} short for?", f"What is the full form of {candidate.topic}?"]
    if candidate.kind == "definition":
        return [f"Could you explain {clause}?"]
    return []


def _with_plainer_words(text: str) -> str:
    return re.sub(r"\b[a-z]+\b", lambda match: _PLAINER.get(match.group(), match.group()), text)


def complicate(candidate: CandidateQuestion, rng: random.Random, premise: str = "") -> str:
    """Ask the same in a much more involved way."""
    direct = candidate.text[0].lower() + candidate.text[1:]
    if premise:
        return rng.choice(_WITH_PREMISE).format(premise=premise, direct=direct, clause=candidate.indirect)
    forms = [] if _needs_plain_form(candidate) else list(_INVOLVED.get(candidate.kind, ()))
    statement = candidate.indirect.split(" ", 1)[1] if " " in candidate.indirect else candidate.indirect
    if candidate.kind in _ABOUT_DEEDS:
        forms = [form for form in _INVOLVED_ANY if "{topic}" not in form]
    chosen = rng.choice(forms or list(_INVOLVED_ANY))
    return chosen.format(topic=candidate.topic, statement=statement, clause=candidate.indirect, direct=direct)


def _needs_plain_form(candidate: CandidateQuestion) -> bool:
    """Return whether a form for this kind of question would not read well."""
    if candidate.kind in {"when", "where", "why"}:
        return not candidate.indirect.startswith(f"{candidate.kind} ")
    return candidate.kind == "definition" and (
        len(candidate.topic.split()) > 4 or " of " in candidate.topic or " for " in candidate.topic
    )


def situate(candidate: CandidateQuestion, rng: random.Random, situation: str) -> str:
    """Put a situation of the asker before the question."""
    question = rng.choice(
        (candidate.text, f"Can you tell me {candidate.indirect}?", f"I need to know {candidate.indirect}.")
    )
    return f"{situation} {question}"


def protected_words(candidate: CandidateQuestion) -> set[str]:
    """Return the words of a question that a slip must not spoil: its names and nouns; all of a short question."""
    content = [word for word in lower_words(candidate.text) if word not in STOP]
    if candidate.kind == "said":
        return set(lower_words(candidate.text))
    asking = {"when", "where", "why", "who", "what", "which", "how", "many"}
    if len(content) < 4:
        return set(content) | asking
    return asking | {token.lower for token in tag(candidate.text) if token.is_noun or token.text[0].isupper()}
