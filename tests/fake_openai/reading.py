"""A simple reader, so that the fake model's answers make sense: the sentence with most of the question's words."""

from __future__ import annotations

import re

_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n{2,}")
_REFUSAL = re.compile(r"reply exactly with:\s*(.+)")
_STOP = frozenset(
    re.findall(
        r"\w+",
        """a an the of in on at to for by is are was were be been do does did what which who whom whose when where why
        how many much and or not it its this that these those from with as their his her has have had can could will
        would should i you we they my your our me us if but so than then there about into over under also""",
    )
)


def read_answer(prompt: str) -> str:
    """Return the sentence of the context that answers the question, or the refusal that the prompt asks for."""
    context, question = _split(prompt)
    asked = content_words(question)
    best, share = "", 0.0
    for sentence in sentences(context):
        common = len(asked & content_words(sentence)) / max(1, len(asked))
        if common > share:
            best, share = sentence, common
    refusal = _REFUSAL.search(prompt)
    if share < 0.5 and refusal:
        return refusal.group(1).strip()
    return best or "I cannot say."


def sentences(text: str) -> list[str]:
    return [part.strip() for part in _SENTENCE.split(text) if part.strip()]


def content_words(text: str) -> set[str]:
    """Words that mean something, without a plural s."""
    return {word.rstrip("s") for word in _WORD.findall(text.lower()) if word not in _STOP}


def _split(prompt: str) -> tuple[str, str]:
    head, found, tail = prompt.rpartition("Question:")
    if not found:
        return "", prompt
    return head.partition("Context:")[2] or head, tail.partition("\nAnswer:")[0]
