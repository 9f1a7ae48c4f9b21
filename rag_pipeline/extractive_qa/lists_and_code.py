"""What the form of a text answers: the entry of a list tells of its name, a line of code is what a colon announces.

The trained reader learned from running text; of lists and code it knows nothing. Where a question asks for no more than
what an entry says of a name, or how that is done which stands before a line of code, no reading is needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag_pipeline.english.words import stem, word_set
from rag_pipeline.extractive_qa.context_sentences import Passage

_ENTRY = re.compile(
    r"(?:[-*+•]|\d{1,3}[.)])\s+\[?(?:\*\*|__)?\[?`{0,2}(?P<term>[^`*\n:\]]{1,60}?)`{0,2}(?:\](?:\([^()\s]*\))?)?"
    r"(?P<note>(?:\*\*|__)?(?: \([^()]{1,60}\))?)(?:\*\*|__)?"
    r"(?:\s*:(?:\*\*|__)?\s+| [-–—] |,? (?=(?:to|for) ))(?P<told>\S[\s\S]*)"
)
_HEADING = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+(.+?)[ \t]*#*|(.+)\n(?:={3,}|-{3,}))[ \t]*$", re.MULTILINE)
_QUOTED = re.compile(r"[“\"]([^“”\"]+)[”\"]")
_ANNOUNCED = re.compile(r":[ \t]*\s*\n[ \t]*(?P<fence>```|~~~)[^\n]*\n(?P<body>.*?)\n[ \t]*(?P=fence)", re.DOTALL)
_EXPLAINED = re.compile(r"[ \t]*\n[ \t]*(?!#|```)(?P<line>\S[^\n]*[^\s\\])[ \t]*(?=\n\s*(?:\n|#|```)|\s*\Z)")
_COMMENT = re.compile(r"\s*(?:#|//)")
_PROMPT = re.compile(r"[$>] ")
_ASKS_HOW = re.compile(r"\b(?:how (?:can|could|do|does|should|would|to|you)|(?:which|what) command)\b", re.IGNORECASE)
_HELD = 0.8
"""How many of the words of a question must stand in what announces a line of code, or in the line."""
_REPLACES = re.compile(r"\b(?:[Uu]se|[Ii]nstead|[Rr]eplaced? (?:by|with))\b")


_ASKS_NO_MORE = word_set(
    "what which is are does do did the a an of in on under for to about noted given mean means meant used use using "
    "purpose said say says stated describe described explain definition define as can could you tell me please know i "
    "would like should be instead look up find out am trying happen option argument parameter flag command setting "
    "field function method attribute variable property class metric fixture decorator key it that this my need from"
)
"""Words that ask for no more than what a thing is: with any other, the network reads."""
_DONE = word_set("return take accept raise")
"""Verbs that are asked about by themselves: `What does x return?` where the entry says `Returns …`."""
_ASKS_BY = word_set("which what how command code can could you do does i use used run to a the is are be should")


@dataclass(frozen=True, slots=True)
class Told:
    """A sentence of the contexts, and the characters of it that answer."""

    passage: Passage
    start: int
    end: int


def told(question: str, passages: Sequence[Passage]) -> Told | None:
    """Return what an entry or an example answers to `question`; None where the form of the text answers nothing."""
    return _entry(question, passages) or _example(question, passages)


def _entry(question: str, passages: Sequence[Passage]) -> Told | None:
    heading = _QUOTED.search(question)
    section = _plain(heading.group(1)) if heading is not None else None
    rest = question[: heading.start()] + question[heading.end() :] if heading is not None else question
    asked = _words(rest)
    found = [(_place(passage, section), one) for passage in passages for one in _tells(passage, asked)]
    under = [one for place, one in found if place == section]
    if section is None or under:
        return next(iter(under or [one for _, one in found]), None)
    unknown = [one for place, one in found if place is None]
    return unknown[0] if len(unknown) == 1 else None


def _tells(passage: Passage, asked: Sequence[str]) -> Iterator[Told]:
    """Yield the description of an entry whose name is all that a question speaks of."""
    entry = _ENTRY.fullmatch(passage.text)
    if entry is None:
        return
    term = _words(entry["term"] + entry["note"])
    names = [_words(entry["term"]), term]
    verb = re.match(r"\w+(?=\s)", entry["told"])
    does = verb is not None and verb.group().lower().removesuffix("s") in _DONE & set(asked)
    rest = [word for word in asked if not (does and word in _DONE)]
    if not any(name and _holds(rest, name) and _asks_no_more(rest, name) for name in names):
        return
    if "instead" in asked and _REPLACES.search(entry["told"]) is None:
        return
    end = len(passage.text) - (passage.text[-1] in ".;")
    yield Told(passage, entry.start("told") + (verb.end() + 1 if does and verb is not None else 0), end)


def _holds(asked: Sequence[str], name: Sequence[str]) -> bool:
    return any(list(asked[at : at + len(name)]) == list(name) for at in range(len(asked) - len(name) + 1))


def _asks_no_more(asked: Sequence[str], name: Sequence[str]) -> bool:
    return all(word in name or word in _ASKS_NO_MORE for word in asked)


def _place(passage: Passage, section: str | None) -> str | None:
    """Return the heading above a sentence, as far as its context shows it."""
    if section is None:
        return None
    above = list(_HEADING.finditer(passage.context.text, 0, passage.sentence.start))
    return _plain(above[-1].group(1) or above[-1].group(2)) if above else None


def _example(question: str, passages: Sequence[Passage]) -> Told | None:
    """Return the line of code that is announced by the sentence which says what is asked."""
    if _ASKS_HOW.search(question) is None:
        return None
    asked = {stem(word) for word in _words(question) if word not in _ASKS_BY}
    best: tuple[float, Passage, str] | None = None
    for passage in passages:
        line = _line_behind(passage)
        held = {stem(word) for word in _words(f"{passage.text} {line}")} if line else set()
        share = len(asked & held) / len(asked) if asked and held else 0.0
        if share >= _HELD and (best is None or share > best[0]):
            best = share, passage, line
    if best is None:
        return None
    _, announcing, line = best
    for passage in passages:
        at = passage.text.find(line)
        if passage.context is announcing.context and passage.start > announcing.start and at >= 0:
            return Told(passage, at, at + len(line))
    return None


def _line_behind(passage: Passage) -> str:
    """Return the one line of code behind a sentence that ends in a colon, or behind a comment in code."""
    text, end = passage.context.text, passage.sentence.end
    if passage.text.endswith(":"):
        block = _ANNOUNCED.match(text, end - 1)
        lines = [line.strip() for line in block["body"].splitlines() if line.strip()] if block is not None else []
        lines = [_PROMPT.sub("", line, count=1) for line in lines if not _COMMENT.match(line)]
        return lines[0] if len(lines) == 1 else ""
    if not _COMMENT.match(passage.text) or text.count("```", 0, passage.sentence.start) % 2 == 0:
        return ""
    explained = _EXPLAINED.match(text, end)
    return _PROMPT.sub("", explained["line"], count=1) if explained is not None else ""


def _plain(text: str) -> str:
    return " ".join(_words(text))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())
