"""Questions for the descriptions of names in technical lists: `` `--quiet` - hides the progress bar ``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from evaluation.question_writers.rules.document_sentences import DocumentSentence
from evaluation.question_writers.rules.inline_code import STANDS_FOR_CODE, MaskedSentence, parted
from evaluation.question_writers.rules.phrasing import CandidateQuestion, worded_question
from rag_pipeline.english.function_words import BE, MODALS
from rag_pipeline.english.lemmas import content_lemmas, lower_words, parts_of_speech, verb_lemma
from rag_pipeline.english.penn_tags import tag
from rag_pipeline.english.words import word_set
from rag_pipeline.types import Span

_NAME = r"(?:the )?(?P<term>(?:[A-Z][\w-]*[a-z0-9][A-Z]\w*|Code[b-z]x))(?: \([^()]*\))?"
_ENTRY = re.compile(rf"{_NAME}(?: [-–—] | ?: )(?P<description>[^:]{{8,300}}?)[.:]?")
_NAMED = re.compile(r"@?-{0,2}\w[\w./:@*-]*(?:\(.*\))?(?:\.\w+)?$")
_FOR = re.compile(rf"{_NAME},? (?P<description>(?:to|for) [^:]{{6,200}}?)[.:]?")
_INSTEAD = re.compile(
    r"(?:Use|use|Replaced by|replaced by|Replace with|Migrate to|Switch to) (?P<new>.+?)(?: instead)?"
)
_POINTS = re.compile(r"\?|\be\.g$|\bsee\b|^(?:Set|Change|Replace) (?:to|that|this|it)\b", re.IGNORECASE)
"""Descriptions that are questions, refer elsewhere, or instruct instead of describing."""
_TYPED = re.compile(r"[\w\[\] |]+, optional\b")
"""`str, optional Specify …`, as docstrings have it."""
_BEHIND_NOUNS = word_set("for of you we that which who whose")
"""A word in -s before one of these is a noun: `Bugs you have verified`."""
_GONE = re.compile(r"deprecat|remov|legacy|migrat|renam|obsolete", re.IGNORECASE)
_AGAIN = 2
_KINDS = {
    **{f"{noun}s": noun for noun in ("option", "argument", "parameter", "flag", "command", "setting", "field",
       "function", "method", "attribute", "variable", "property", "keyword", "hook", "fixture", "decorator", "backend",
       "key", "metric", "class")},
    "classes": "class", "properties": "property", "configuration": "setting", "subcommands": "subcommand",
}  # fmt: skip
"""The kind of the entries below a heading, by its words."""


class TechnicalTerms:
    """The names that the lists of a document explain, each once."""

    def __init__(self, sentences: Sequence[DocumentSentence]) -> None:
        self._counts: Counter[str] = Counter()
        self._obsolete: set[Span] = set()
        announcing = ""
        for one in sentences:
            announcing = announcing if one.is_list_item else one.text
            found = _entry(one)
            if found is not None:
                self._counts[found[0]] += 1
                if _announces_past(announcing):
                    self._obsolete.add(one.span)

    def questions(self, sentence: DocumentSentence) -> Iterator[CandidateQuestion]:
        """Yield what a name does, is or is for, where one entry says it."""
        found = _entry(sentence)
        if found is None or self._counts[found[0]] > 1 or not found[2].readable or sentence.span in self._obsolete:
            return
        name, description, masked = found
        if (called := _called(name, sentence.heading)) is not None:
            for candidate in _of_name(called, description, sentence.heading):
                yield masked.unmask(candidate)


def _entry(sentence: DocumentSentence) -> tuple[str, str, MaskedSentence] | None:
    """Return the name that an item of a list explains, its description with code masked, and the mask."""
    if not sentence.is_list_item:
        return None
    masked = MaskedSentence(sentence.text, sentence.codes)
    found = _ENTRY.fullmatch(masked.text) or _FOR.fullmatch(masked.text)
    if found is None or found["description"].count("(") != found["description"].count(")"):
        return None
    return masked.plain(found["term"]), found["description"], masked


def _announces_past(announcing: str) -> bool:
    """Return whether the sentence before a list is in the past tense: `The old system required two functions:`."""
    return announcing.endswith(":") and any(one.tag == "VBD" for one in tag(announcing))


def _called(name: str, heading: str) -> str | None:
    """Return how a question writes a name: `the -o option`, `RougeScore`; None for a common word."""
    kind = next((_KINDS[word] for word in reversed(lower_words(heading)) if word in _KINDS), "")
    if re.search("[A-Z]", name) and kind not in {"class", "metric"}:
        kind = ""
    if name.startswith("-") and not kind:
        kind = "option"
    if kind and re.fullmatch(r"[\w.-]+", name):
        return f"the {name} {kind}"
    if not _NAMED.match(name):
        return None  # a value of something, a pattern
    common = name.islower() and (name.isalpha() or " " in name)
    return None if common or len(name) > 60 or not re.search(r"[A-Za-z]", name) else name


def _of_name(name: str, description: str, heading: str) -> Iterator[CandidateQuestion]:
    new = _INSTEAD.fullmatch(description)
    if new is None:
        yield from _of_description(name, description)
    elif "instead" in description or _GONE.search(heading):
        direct = f"what should be used instead of {name}"
        yield worded_question("term", direct, direct, new["new"], name)


def _of_description(name: str, description: str) -> Iterator[CandidateQuestion]:
    tokens = tag(f"It {description[:1].lower()}{description[1:]}")[1:]
    if len(tokens) < 2 or _POINTS.search(description) or _TYPED.match(description):
        return
    first, second = tokens[0], tokens[1]
    does = name.endswith(")") or name.startswith("the -")  # a function or an option
    if first.lower in BE:
        return
    if (does or first.lower == "return") and _is_verb(first.lower, ""):
        yield _done(name, first.text, description)
    elif first.tag == "TO" or (first.lower == "for" and description.startswith("for")):
        yield worded_question("term", f"what is {name} for", f"what {name} is for", description, name)
    elif _is_verb(first.lower, "s") and second.lower not in BE | MODALS | _BEHIND_NOUNS:
        yield _done(name, first.text, description)
    elif _repeats(name, description):
        return
    elif not any(one.tag in {"VBZ", "VBP", "MD"} or one.lower in BE for one in _main(tokens)) and _is_thing(
        description
    ):
        yield worded_question("term", f"what is {name}", f"what {name} is", description, name)
    elif _is_verb(first.lower, "") and not re.search(r"\b[A-Z]", name):
        yield worded_question("term", f"what does {name} do", f"what {name} does", description, name)


def _repeats(name: str, description: str) -> bool:
    """Return whether half of the description repeats the name: `ExactMatch - Exact string matching`."""
    again, new = set(content_lemmas(parted(name))), set(content_lemmas(description))
    return len(again & new) >= _AGAIN and 2 * len(again & new) >= len(new)


def _done(name: str, verb: str, description: str) -> CandidateQuestion:
    """Return the question for `returns a list`, `hides the bar and does x`."""
    lemma, rest = verb_lemma(verb.lower()), description.partition(" ")[2]
    if lemma in {"return", "take", "accept", "raise"} and "; " not in rest and " and " not in rest:
        return worded_question("term", f"what does {name} {lemma}", f"what {name} {lemma}s", rest, name)
    return worded_question("term", f"what does {name} do", f"what {name} does", description, name)


def _is_verb(word: str, ending: str) -> bool:
    lemma = verb_lemma(word)
    return "VERB" in parts_of_speech(word) and (
        word == lemma if not ending else word != lemma and word.endswith(ending)
    )


def _main(tokens: Sequence) -> Sequence:
    """Return the tokens before a relative clause."""
    end = next((at for at, one in enumerate(tokens) if one.tag in {"WDT", "WP", "WRB"} or one.lower == "that"), None)
    return tokens[:end]


def _is_thing(description: str) -> bool:
    """Return whether a description begins with a noun phrase: `a list`, `the default`, `Edit distance`."""
    first = tag(f"It is {description[:1].lower()}{description[1:]}")[2]
    return first.tag in {"DT", "NN", "NNS", "JJ", "CD", "NNP"} and STANDS_FOR_CODE.match(description) is None
