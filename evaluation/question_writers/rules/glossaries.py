"""Questions for the entries of lists in manuals: `Term - description` under a heading."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from evaluation.question_writers.rules.document_sentences import DocumentSentence
from evaluation.question_writers.rules.inline_code import parted
from evaluation.question_writers.rules.phrasing import CandidateQuestion, worded_question
from rag_pipeline.english.function_words import STOP
from rag_pipeline.english.lemmas import content_lemmas, lower_words, parts_of_speech

_ENTRY = re.compile(r"^(?P<term>[^:–—]{2,60}?)(?: [-–—] |: )(?P<description>[A-Z0-9“\"(].{10,220})$")
_GLUED = re.compile(r"[:;“”\"]")
_PARTICIPLE = re.compile(r"\w+ed (?:per|by|for|in|to|with|from|on) ", re.IGNORECASE)
_SAME_BEGINNING = 6
_LONGEST_HEADING = 9
_OFTEN = 3
"""A word that begins this many entries is a label like `Status` and no term, as are those beside it."""


class Glossary:
    """The entries of a document's lists, found again by heading and term."""

    def __init__(self, sentences: Sequence[DocumentSentence]) -> None:
        self._terms: Counter[tuple[str, str]] = Counter()
        self._used: Counter[str] = Counter()
        self._beside: dict[str, set[str]] = defaultdict(set)
        self._parted: set[str] = set()
        sections: dict[str, list[int]] = defaultdict(list)
        previous = ""
        for at, one in enumerate(sentences):
            if one.heading != previous:
                sections[one.heading].append(at)
                previous = one.heading
            entry = _ENTRY.match(one.text) if one.is_list_item else None
            if entry is not None:
                if self._beside[one.heading] and not sentences[at - 1].is_list_item:
                    self._parted.add(one.heading)
                self._used[entry.group("term").lower()] += 1
                self._terms[one.heading, entry.group("term").lower()] += 1
                self._beside[one.heading].add(entry.group("term").lower())
        self._once = {heading for heading, places in sections.items() if len(places) == 1}

    def questions(self, sentence: DocumentSentence) -> Iterator[CandidateQuestion]:
        """Yield the question for a term's description in a list whose heading the document has once."""
        entry = _ENTRY.match(sentence.text) if sentence.is_list_item else None
        heading = sentence.heading
        if entry is None or not sentence.heading_marked or heading not in self._once or not self._may_be_named(heading):
            return
        term, description = entry.group("term").strip(), entry.group("description").strip()
        if self._terms[heading, term.lower()] != 1 or not _is_term(term) or _says_again(term, heading):
            return
        if not _is_answer(description, f"{heading} {term} {parted(term)}"):
            return
        label = _is_word(term) and any(self._used[one] >= _OFTEN and _is_label(one) for one in self._beside[heading])
        if label and heading in self._parted:
            return  # the status of which of them?
        direct = f"what is given as the {term.lower()}" if label else f"what is noted about {term}"
        yield worded_question(
            "item", f"under “{heading}”, {direct}", f"{direct} under “{heading}”", description.rstrip("."), term
        )

    @staticmethod
    def _may_be_named(heading: str) -> bool:
        """Return whether a heading identifies its section; `Functions` does not."""
        return 1 < len(lower_words(heading)) <= _LONGEST_HEADING and _GLUED.search(heading) is None


def _is_label(term: str) -> bool:
    """Return whether a term is a word of the language, like `Status`, and no name."""
    return _is_word(term) and "NOUN" in parts_of_speech(term.lower())


def _is_word(term: str) -> bool:
    return len(term.split()) == 1 and term[1:].islower()


def _is_term(term: str) -> bool:
    """Return whether a term names something: no `When removed`, `Replace with`, `Cached by name`, `Type-safe`."""
    lower = term.lower().split()
    if lower[0] in STOP or lower[-1] in STOP or _PARTICIPLE.match(term):
        return False
    *before, last = lower[-1].split("-")
    kinds = parts_of_speech(last)
    described = "ADJ" in kinds and (bool(before) or last.endswith(("able", "ible")))
    return not described and (not kinds or bool(kinds - {"ADJ", "ADV"}))


def _says_again(term: str, heading: str) -> bool:
    """Return whether a single word is a form of one of the heading: `Deprecation` under `… - Deprecated`."""
    begin = term.lower()[:_SAME_BEGINNING]
    return len(term.split()) == 1 and any(word[:_SAME_BEGINNING] == begin for word in lower_words(heading))


def _is_answer(description: str, question: str) -> bool:
    """Return whether a description is long enough, no question, and adds words to the term."""
    found = [word for word in lower_words(description) if word not in STOP]
    new = set(content_lemmas(description)) - set(content_lemmas(question))
    return (
        len(found) >= 3
        and len(new) >= 2
        and "?" not in description
        and description.count("(") == description.count(")")
    )
