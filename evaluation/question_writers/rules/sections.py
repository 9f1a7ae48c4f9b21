"""Headings that a question can name, where its own words fit several passages."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from evaluation.question_writers.rules.document_sentences import DocumentSentence
from evaluation.question_writers.rules.phrasing import CandidateQuestion
from rag_pipeline.english.function_words import STOP
from rag_pipeline.english.lemmas import content_lemmas, lower_words

_HELPED = frozenset({"names too little", "names nothing particular", "could mean another passage"})
_MOST_WORDS = 9
_SIGNS = re.compile(r"[:;“”\"|=]|\d{3}")


class Sections:
    """The headings that a document has once, with the words of the sentences below them."""

    def __init__(self, sentences: Sequence[DocumentSentence]) -> None:
        runs: Counter[str] = Counter()
        self._below: dict[str, list[set[str]]] = defaultdict(list)
        previous = ""
        for one in sentences:
            runs[one.heading] += one.heading != previous
            previous = one.heading
            self._below[one.heading].append(set(content_lemmas(one.text)))
        self._once = {heading for heading, count in runs.items() if count == 1 and _reads_as_title(heading)}

    def with_section(
        self, candidate: CandidateQuestion, sentence: DocumentSentence, lemmas: set[str]
    ) -> CandidateQuestion | None:
        """Return the question with its section named, if only one sentence of that section has all its words."""
        heading = sentence.heading
        if heading not in self._once or not lemmas or candidate.text.startswith("According to"):
            return None
        if sum(lemmas <= below for below in self._below[heading]) > 1:
            return None
        direct = candidate.text[0].lower() + candidate.text[1:]
        return replace(
            candidate,
            text=f"In “{heading}”, {direct}",
            indirect=f"{candidate.indirect} in “{heading}”",
            penalty=candidate.penalty + 0.3,
        )


def section_may_help(reason: str, sentence: DocumentSentence) -> bool:
    """Return whether naming its section removes an objection to a question.

    In a manual `the nut` is the one that the section is about; a chapter of a story speaks of many.
    """
    return reason in _HELPED or (
        sentence.heading_marked and not sentence.narrator and reason.startswith("does not say which ")
    )


def _reads_as_title(heading: str) -> bool:
    """Return whether a heading can be named in a question: some words, all important ones capitalised."""
    found = lower_words(heading)
    if not 2 <= len(found) <= _MOST_WORDS or _SIGNS.search(heading):
        return False
    return all(word[0].isupper() or word.lower() in STOP for word in heading.split() if word[0].isalpha())
