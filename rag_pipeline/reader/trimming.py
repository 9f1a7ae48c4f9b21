"""The chosen sentence and phrase as an answer of the length that the prompt asks for."""

from __future__ import annotations

import re

from rag_pipeline.reader.prompt_reading import PromptReading
from rag_pipeline.reader.questions import QuestionReading
from rag_pipeline.reader.scoring import Choice

_LEAD = re.compile(r"^(?:\s*(?:[-*+•◦▪–#>|]+|\d{1,3}[.)])\s+)+")


def answer_text(question: QuestionReading, choice: Choice, prompt: PromptReading) -> tuple[int, int]:
    """Return the characters of the chosen sentence that are the answer."""
    sentence = choice.passage.text
    start, end = _without_marks(sentence)
    phrase = _phrase(sentence, choice)
    wants_phrase = prompt.trims and question.kind != "yes_no"
    if wants_phrase or (prompt.max_words is not None and _words(sentence[start:end]) > prompt.max_words):
        start, end = phrase
    if prompt.max_words is not None:
        end = _cut(sentence, start, end, prompt.max_words)
    return start, end


def _without_marks(sentence: str) -> tuple[int, int]:
    """Leave out the bullet, number or heading mark before a sentence."""
    lead = _LEAD.match(sentence)
    start = lead.end() if lead else 0
    return (start, len(sentence)) if sentence[start:].strip() else (0, len(sentence))


def _phrase(sentence: str, choice: Choice) -> tuple[int, int]:
    """Return the phrase with the currency sign or the closing bracket that belongs to it."""
    start, end = choice.start, choice.end
    if start and sentence[start - 1] in "$£€¥":
        start -= 1
    if sentence[end : end + 1] in {"%", "°"}:
        end += 1
    return start, end


def _words(text: str) -> int:
    return len(text.split())


def _cut(sentence: str, start: int, end: int, most: int) -> int:
    """Return the end of the first `most` words from `start`."""
    ends = [word.end() for word in re.finditer(r"\S+", sentence[start:end])]
    return start + ends[most - 1] if len(ends) > most else end
