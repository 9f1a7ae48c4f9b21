"""The final answer: the phrase or the sentence that was found, as the prompt asks for it."""

from __future__ import annotations

import re

from rag_pipeline.english.typed_spans import typed_spans
from rag_pipeline.extractive_qa.findings import Finding
from rag_pipeline.extractive_qa.matching import tagged
from rag_pipeline.extractive_qa.prompt_instructions import PromptInstructions
from rag_pipeline.extractive_qa.question_analysis import QuestionAnalysis

_LEAD = re.compile(r"^(?:\s*(?:[-*+•◦▪–#>|]+|\d{1,3}[.)])\s+)+")
_NO_PHRASE = frozenset({"yes_no", "reason", "manner"})
"""What no phrase answers: whether, why and how; the sentence does."""
_LONGEST_LIST = 30
"""Words."""


def answer_range(question: QuestionAnalysis, found: Finding, prompt: PromptInstructions) -> tuple[int, int]:
    """Return the characters of the sentence that are the answer.

    The phrase, unless the prompt asks for sentences or no phrase answers such a question; in no case more words than
    the prompt allows.
    """
    sentence = found.sentence.text
    whole = prompt.whole_sentences or (question.kind in _NO_PHRASE and not found.by_form)
    start, end = _without_marks(sentence) if whole else _phrase(question, found)
    if prompt.max_words is None:
        return start, end
    if whole and len(sentence[start:end].split()) > prompt.max_words:
        start, end = _phrase(question, found)
    return start, _cut(sentence, start, end, prompt.max_words)


def _without_marks(sentence: str) -> tuple[int, int]:
    """Leave out the bullet, number or heading mark before a sentence."""
    lead = _LEAD.match(sentence)
    start = lead.end() if lead else 0
    return (start, len(sentence)) if sentence[start:].strip() else (0, len(sentence))


def _phrase(question: QuestionAnalysis, found: Finding) -> tuple[int, int]:
    """Return the phrase in whole words, with the sign and the bracket that belong to it, and the rest of its list."""
    sentence, start, end = found.sentence.text, found.start, found.end
    if found.by_form:
        return start, end
    if question.plural and "," in sentence[start:end]:
        # Only a list that was begun: one that is merely around the phrase is mostly another (F1 .65 for .76).
        start, end = _whole_list(sentence, start, end)
    while start and _one_word(sentence, start):
        start -= 1
    while end < len(sentence) and _one_word(sentence, end):
        end += 1
    if start and sentence[start - 1] in "$£€¥":
        start -= 1
    if sentence[end : end + 1] in {"%", "°"}:
        end += 1
    return start, _balanced(sentence, start, end)


def _one_word(sentence: str, place: int) -> bool:
    """True where a cut before `place` would go through a word or a number such as 1,300,000."""
    left, right = sentence[place - 1], sentence[place]
    if left.isalnum() and right.isalnum():
        return True
    before, after = sentence[max(0, place - 2) : place], sentence[place : place + 2]
    return (left in ",." and before[:1].isdigit() and right.isdigit()) or (
        right in ",." and left.isdigit() and after[1:].isdigit()
    )


def _balanced(sentence: str, start: int, end: int) -> int:
    """Return the end with a bracket that is still open closed, or before one that was never opened."""
    depth = 0
    for place in range(start, end):
        depth += (sentence[place] == "(") - (sentence[place] == ")")
        if depth < 0:
            return place if sentence[start:place].strip() else end
    return end + 1 if depth == 1 and sentence[end : end + 1] == ")" else end


def _whole_list(sentence: str, start: int, end: int) -> tuple[int, int]:
    """Return the shortest list (a, b and c) that holds the phrase as one of its items, else the phrase."""
    words = tagged(sentence)
    lists = [words.range(span.first, span.last) for span in typed_spans(words) if span.kind == "list"]
    around = [(left, right) for left, right in lists if left <= start and end <= right]
    fitting = [(left, right) for left, right in around if len(sentence[left:right].split()) <= _LONGEST_LIST]
    return min(fitting, key=lambda each: each[1] - each[0], default=(start, end))


def _cut(sentence: str, start: int, end: int, most: int) -> int:
    """Return the end of the first `most` words from `start`."""
    ends = [word.end() for word in re.finditer(r"\S+", sentence[start:end])]
    return start + ends[most - 1] if len(ends) > most else end
