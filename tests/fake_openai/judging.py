"""A simple but honest judge: words, names, numbers and negations decide, as somebody would check them by hand."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from tests.fake_openai.reading import content_words, sentences

_NEGATION = re.compile(r"\b(?:not|no|never|without|nobody|nothing)\b|n't\b", re.I)
_DECLINES = re.compile(
    r"not aware|(?:do|does|did|could|can)(?: not|n't) (?:know|find|mention|say|answer)|cannot|no information|unable to",
    re.I,
)
_HARD = re.compile(r"\d[\d.,:]*\d|\d|(?<=[\w,;:] )[A-ZÀ-Ý]\w+")
"""Numbers, and words with a capital letter that does not begin the sentence."""
_ENOUGH = 0.6
_ENOUGH_OF_A_VALUE = 0.3
"""Of a value with the question before it less will do: the question's words are not the claim."""


@lru_cache(maxsize=10_000)
def _words(text: str) -> frozenset[str]:
    return frozenset(content_words(text))


@lru_cache(maxsize=100)
def _sentences(text: str) -> tuple[str, ...]:
    return tuple(sentences(text))


def _last(prompt: str, tag: str) -> str:
    """Return what stands in the last such tag: the ones before are examples."""
    return prompt.rpartition(f"<{tag}>")[2].partition(f"</{tag}>")[0].strip()


def declines(text: str) -> bool:
    return _DECLINES.search(text) is not None and len(text.split()) < 25


def supports(text: str, claim: str) -> str:
    """Return why `text` does not support `claim`; empty where it does."""
    own, known = _words(claim), _words(text)
    asked, colon, value = claim.rpartition(": ")
    hard = {word for found in _HARD.findall(claim) for word in _words(found)}
    if colon:
        hard = _words(value) | (hard - _words(asked))
    lost = sorted(hard - known)
    if lost:
        return f"“{lost[0]}” is not in the text."
    if not own or len(own & known) < (_ENOUGH_OF_A_VALUE if colon else _ENOUGH) * len(own):
        return "The text says little of it."
    nearest = max(_sentences(text), key=lambda sentence: len(own & _words(sentence)), default="")
    if bool(_NEGATION.search(claim)) != bool(_NEGATION.search(nearest)):
        return f"The text has it the other way round: “{nearest}”."
    return ""


def _claims(prompt: str) -> dict[str, Any]:
    answer, asked = _last(prompt, "answer"), " ".join(_last(prompt, "asked").split()).rstrip("?？؟")
    if declines(answer):
        return {"claims": []}
    # A bare value says what was asked for with it.
    found = [each if len(each.split()) > 4 else f"{asked}: {each.rstrip('.')}" for each in sentences(answer)]
    return {"claims": [" ".join(each.split()) for each in found]}


def _checked(prompt: str) -> dict[str, Any]:
    text = _last(prompt, "text") if "<text>" in prompt else f"{_last(prompt, 'asked')} {_last(prompt, 'answer')}"
    claims = [line.partition(". ")[2] for line in _last(prompt, "claims").splitlines()]
    declined = "<text>" not in prompt and declines(_last(prompt, "answer"))
    verdicts = []
    for number, claim in enumerate(claims, 1):
        wrong = "The answer declines." if declined else supports(text, claim)
        verdicts.append({"number": number, "reason": wrong or "The text says so.", "supported": not wrong})
    return {"verdicts": verdicts}


def _questions_back(prompt: str) -> dict[str, Any]:
    answer = _last(prompt, "answer")
    topic = " ".join(dict.fromkeys(re.findall(r"\w{3,}", answer)))
    asked = [f"What is known about {topic}?", f"Which facts are there on {topic}?", f"Where does one read of {topic}?"]
    asked += [f"Who told of {topic}?", f"Why is there {topic}?"]
    wanted = re.findall(r"a list of (\w+) texts", prompt)[0]
    count = ["one", "two", "three", "four", "five"].index(wanted) + 1
    return {"questions": asked[:count], "evasive": declines(answer)}


def _relevant(prompt: str) -> dict[str, Any]:
    asked = content_words(_last(prompt, "asked"))
    passages = [each for passage in _last(prompt, "passages").split("\n---\n") for each in sentences(passage)]
    found = [each for each in passages if len(asked & content_words(each)) >= 0.4 * max(1, len(asked))]
    return {"sentences": found, "insufficient": not found}


def _useful(prompt: str) -> dict[str, Any]:
    asked = " ".join(_last(prompt, "asked").split()).rstrip("?")
    wrong = supports(_last(prompt, "passage"), f"{asked}: {_last(prompt, 'answer')}")
    return {"reason": wrong or "It holds the answer.", "useful": not wrong}


JUDGED: dict[str, Callable[[str], dict[str, Any]]] = {
    "ExtractedClaims": _claims,
    "CheckedClaims": _checked,
    "QuestionsBack": _questions_back,
    "RelevantSentences": _relevant,
    "Usefulness": _useful,
}
JUDGED_MARKS = {
    '"claims": a list of': "ExtractedClaims",
    '"verdicts": a list with one entry': "CheckedClaims",
    '"evasive" is true': "QuestionsBack",
    '"insufficient" to true': "RelevantSentences",
    '"useful" (true or false)': "Usefulness",
}
"""Words of the prompts by which a form is known where the request names no schema."""
