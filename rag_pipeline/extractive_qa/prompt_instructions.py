"""What the built-in reader understands of a prompt: whether it may decline, and how long the answer may be."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NUMBERS = {
    **{"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10},
    **{"twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "a hundred": 100},
    **{"a single": 1, "single": 1},
}
_NUMBER = rf"(\d+|{'|'.join(sorted(map(re.escape, _NUMBERS), key=len, reverse=True))})"
_RANGE = rf"(?:{_NUMBER}\s*(?:-|–|to|or)\s*)?{_NUMBER}"

_INSTRUCTION = re.compile(r"(?:[^.!?;\n]|[.!?;](?!\s|$))+")
"""A sentence, clause or line of the prompt."""

_NOT = r"(?:not|n't|n’t|never)"
_SAY = (
    r"(?:say|reply|respond|answer|state|write|return|output|print|tell|admit|acknowledge|indicate|inform|explain|report|"
    r"use|give|apologi[sz]e|decline|refuse|abstain)"
)
_REFUSAL_SLOT = "{refusal}"
_WHEN = re.compile(r"\b(?:if|when|whenever|where|unless|in\s+case|otherwise|should|else|for\s+questions)\b", re.I)
_MISSING = re.compile(
    rf"""
      \b(?:{_NOT}|no|nothing|none|cannot|unable|lacks?|lacking|missing|absent|insufficient|unclear|unsure|uncertain)\b
    | n't\b | n’t\b | \b(?:without|outside|beyond|unrelated|irrelevant|unanswerable|unless|otherwise|else)\b
    """,
    re.I | re.X,
)
_SPEAKS = re.compile(rf"\b{_SAY}\b", re.I)
_ADMITS = re.compile(
    rf"""
      \b{_SAY}\b .{{0,60}}
      (?: (?:do|does|did|are|is|was|can|could)(?:\s+not|n't|n’t)\s+(?:\w+\s+)?
          (?:know|answer|find|help|sure|aware|able|have|contain|mention)
        | cannot | unable | not\s+(?:known|found|available|mentioned|aware|sure|enough)
        | no\s+(?:answer|information|idea)
        | unknown | unanswerable | \bn/?a\b | sorry )
    | \b(?:decline|refuse|abstain)\b
    | \bask\s+for\s+clarification\b
    """,
    re.I | re.X | re.S,
)
_HOLDS_BACK = re.compile(
    r"\b(?:do\s+not|don't|don’t|never)\s+(?:try\s+to\s+)?(?:answer|guess|make\s+(?:\w+\s+)?up|invent)\b", re.I
)
_FORBIDS = re.compile(
    rf"""
      \b(?:never|do\s+not|don't|don’t|avoid|must\s+not|instead\s+of|rather\s+than|no\s+need\s+to)\s+
      (?:ever\s+|just\s+|simply\s+|only\s+)?
      (?:{_SAY}|saying|replying|responding|stating|writing|telling|refusing|declining|abstaining|using)\b
    | \b(?:always|in\s+any\s+case|no\s+matter\s+what)\s+(?:give|provide|answer|attempt|try|make|guess)\b
    | \beven\s+(?:if|when|where)\b
    | \b(?:guess|make\s+(?:your\s+best|an?)\s+(?:\w+\s+)?guess|best\s+guess)\b
    """,
    re.I | re.X,
)
_WHOLE = re.compile(r"\b(?:complete|full|whole|entire|grammatical)\s+sentences?\b|\bin\s+sentences\b", re.I)
_LIMIT = (
    r"(?:at\s+most|no\s+more\s+than|not\s+more\s+than|up\s+to|within|under|below|fewer\s+than|less\s+than|maximum(?:\s+of)?|max\.?|"
    r"not\s+exceed(?:ing)?|limit(?:ed)?\s+(?:\w+\s+){0,4}to|in|using|with|of|exactly|only|use)"
)
_WORDS = re.compile(
    rf"{_LIMIT}\s+{_RANGE}\s+words?\b|\b{_RANGE}\s+words?\s+(?:or\s+(?:less|fewer)|at\s+most|max(?:imum)?|limit)", re.I
)
_SENTENCES = re.compile(
    rf"{_LIMIT}\s+{_RANGE}\s+(?:\w+\s+){{0,3}}?sentences?\b|\b{_RANGE}\s+(?:\w+\s+){{0,2}}?sentences?\b", re.I
)
_A_SENTENCE = re.compile(r"\bin\s+an?\s+(?:\w+\s+){0,3}?sentence\b", re.I)
_STRICT = re.compile(r"(?:under|below|fewer\s+than|less\s+than)\s", re.I)


@dataclass(frozen=True, slots=True)
class PromptInstructions:
    """What a prompt asks of the reader.

    `declines`: reply with the refusal where the context has no answer. `max_words`: None = no limit.
    `whole_sentences`: a sentence rather than a phrase.
    """

    declines: bool = False
    max_words: int | None = None
    whole_sentences: bool = False

    def explain(self, strictness: float | None = None) -> list[str]:
        """Return what was understood, one plain sentence each, to show beside the prompt.

        `strictness`: the probability below which is declined, where it is known.
        """
        return [self._declining(strictness), self._length()]

    def _declining(self, strictness: float | None) -> str:
        if not self.declines:
            without = "" if strictness is None else " Strictness changes nothing then."
            return f"Always attempts an answer: the prompt does not tell it to decline.{without}"
        if strictness is None:
            return "Declines with the refusal when the context does not hold the answer."
        if strictness <= 0:
            return "Always attempts an answer: it may decline, but not at strictness 0."
        return (
            "Declines with the refusal when the probability that the context holds the answer is below "
            f"{strictness:g}, or nothing in it is near the question."
        )

    def _length(self) -> str:
        longest = None if self.max_words is None else _count(self.max_words, "word")
        if self.whole_sentences:
            otherwise = f"; with the phrase where that has more than {longest}" if longest else ""
            return f"Answers with the sentence of the documents that holds the answer{otherwise}."
        phrase = "Answers with a phrase of the documents; with its sentence where the question asks why, how or whether"
        return f"{phrase}; in at most {longest}." if longest else f"{phrase}."


def read_instructions(template: str, refusal: str) -> PromptInstructions:
    """Return what `template` asks for. Its wording is free; a literal copy of `refusal` counts as `{refusal}`."""
    text = _mark_refusal(template, refusal)
    text = text.replace("{context}", " . ").replace("{question}", " . ")
    max_words = _limit(_WORDS, text)
    in_sentences = any(pattern.search(text) for pattern in (_SENTENCES, _A_SENTENCE, _WHOLE))
    return PromptInstructions(
        declines=_declines(text),
        max_words=max_words,
        whole_sentences=in_sentences,
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _mark_refusal(template: str, refusal: str) -> str:
    words = re.findall(r"\w+", refusal)
    if len(words) < 2:
        return template
    literal = r"\W+".join(map(re.escape, words))
    return re.sub(literal, lambda _: _REFUSAL_SLOT, template, flags=re.I)


def _declines(text: str) -> bool:
    """True when some instruction tells to decline and is not itself forbidden."""
    return any(_tells_to_decline(found.group()) for found in _INSTRUCTION.finditer(text))


def _tells_to_decline(instruction: str) -> bool:
    conditional = _WHEN.search(instruction) is not None and _MISSING.search(instruction) is not None
    if conditional and _HOLDS_BACK.search(instruction):
        return True
    if _FORBIDS.search(instruction):
        return False
    if _REFUSAL_SLOT in instruction or _ADMITS.search(instruction):
        return True
    return conditional and _SPEAKS.search(instruction) is not None


def _limit(pattern: re.Pattern[str], text: str) -> int | None:
    """Return the smallest limit that `pattern` finds (the upper end of a range), None without one."""
    limits = []
    for found in pattern.finditer(text):
        numbers = [_value(group) for group in found.groups() if group]
        limits.append(max(1, max(numbers) - (1 if _STRICT.match(found.group()) else 0)))
    return min(limits, default=None)


def _value(number: str) -> int:
    return int(number[:6]) if number.isdigit() else _NUMBERS[number.lower()]
