"""Questions for the entries of lists that are understood without their heading: `Cash Journal – a list of …`."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import takewhile

from evaluation.question_writers.rules.document_sentences import DocumentSentence
from evaluation.question_writers.rules.phrasing import CandidateQuestion, worded_question
from rag_pipeline.english.function_words import STOP
from rag_pipeline.english.lemmas import lower_words, verb_lemma
from rag_pipeline.english.penn_tags import tag

_ENTRY = re.compile(r"(?P<term>[A-Z][^:–—.(]{2,60}?)(?: \([^()]*\))?(?: [-–—] |: )(?P<description>[^:–—]{10,260}?)\.?")
_COVERS = re.compile(
    r"This (?P<what>(?:[a-z]+ )?[a-z]+) (?P<modal>should )?(?P<verb>includes?|covers?) (?P<description>.+)"
)
_COVERS_MORE = re.compile(r"(?:This|These|The) [a-z ]{0,20}(?:includes?|covers?|excludes?)\b|.*, and includes\b")
_SOMETHING = re.compile(r"(?:an?|the|list|listing|record) ")
_TERM = re.compile(r"[A-Z][a-z]+(?: (?:and )?[A-Za-z][a-z]+){1,6}")
_NEAR = 12
"""Sentences behind an entry that may continue it."""


class ListEntries:
    """The entries of a document's lists that explain a term, each with one description only."""

    def __init__(self, sentences: Sequence[DocumentSentence]) -> None:
        self._descriptions: dict[str, set[str]] = defaultdict(set)
        self._goes_on: set[str] = set()
        for at, one in enumerate(sentences):
            entry = _entry(one)
            if entry is not None:
                self._descriptions[entry["term"].lower()].add(" ".join(lower_words(entry["description"])))
                behind = takewhile(lambda other: not other.is_list_item, sentences[at + 1 : at + _NEAR])
                if any(_COVERS_MORE.match(other.text) for other in behind):
                    self._goes_on.add(one.text)

    def questions(self, sentence: DocumentSentence) -> Iterator[CandidateQuestion]:
        """Yield what a term includes, does or is, where its entry is complete."""
        entry = _entry(sentence)
        if entry is None or sentence.text in self._goes_on or len(self._descriptions[entry["term"].lower()]) > 1:
            return
        term, description = entry["term"], entry["description"]
        covers = _COVERS.fullmatch(description)
        if covers is not None:
            name, modal, verb = f"the {covers['what']} “{term}”", covers["modal"] or "", covers["verb"]
            direct, indirect = f"what {modal or 'does '}{name} {verb_lemma(verb)}", f"what {name} {modal}{verb}"
            yield worded_question("entry", direct, indirect, covers["description"], name)
        elif _TERM.fullmatch(term) and not set(term.lower().split()) & (STOP - {"and"}):
            yield from _of_term(term, description)


def _entry(sentence: DocumentSentence) -> re.Match[str] | None:
    """Return the term and its description where a sentence is an item of a list below a marked heading."""
    entry = _ENTRY.fullmatch(sentence.text) if sentence.is_list_item and sentence.heading_marked else None
    return entry if entry is not None and entry["description"].count("(") == entry["description"].count(")") else None


def _of_term(term: str, description: str) -> Iterator[CandidateQuestion]:
    """Yield the question for `Large check report – identifies all checks over x`, `General Ledger – a record of x`."""
    verb, _, rest = description.partition(" ")
    many = term.endswith("s")
    if tag(f"It {description}")[1].tag == "VBZ" and term[1:].islower() and rest:
        name = f"{'' if many else 'the '}{term[0].lower()}{term[1:]}"
        lemma = verb_lemma(verb)
        direct, indirect = f"what {'do' if many else 'does'} {name} {lemma}", f"what {name} {lemma if many else verb}"
        yield worded_question("entry", direct, indirect, rest, name)
    elif _SOMETHING.match(description) and term.istitle() and not many:
        yield worded_question("definition", f"what is the {term}", f"what the {term} is", description, f"the {term}")
