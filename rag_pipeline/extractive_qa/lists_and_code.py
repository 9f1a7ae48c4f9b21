"""Answers that the form of a text gives: the description of a list entry, the line of code behind a colon.

The trained reader learned from running text; of lists and code it knows nothing. Where a question asks for no more than
what an entry says of a name, or how that is done which stands before a line of code, no reading is needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from rag_pipeline.english.words import stem, word_set
from rag_pipeline.extractive_qa.context_sentences import ContextSentence

_ENTRY = re.compile(
    r"(?:[-*+•]|\d{1,3}[.)])\s+\[?(?:\*\*|__)?\[?`{0,2}(?P<term>[^`*\n:\]]{1,60}?)`{0,2}(?:\](?:\([^()\s]*\))?)?"
    r"(?P<note>(?:\*\*|__)?(?: \([^()]{1,60}\))?)(?:\*\*|__)?"
    r"(?:\s*:(?:\*\*|__)?\s+| [-–—] |,? (?=(?:to|for) ))(?P<description>\S[\s\S]*)"
)
_HEADING = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+(.+?)[ \t]*#*|(.+)\n(?:={3,}|-{3,}))[ \t]*$", re.MULTILINE)
_QUOTED = re.compile(r"[“\"]([^“”\"]+)[”\"]")
_CODE_AFTER_COLON = re.compile(
    r":[ \t]*\s*\n[ \t]*(?P<fence>```|~~~)[^\n]*\n(?P<body>.*?)\n[ \t]*(?P=fence)", re.DOTALL
)
_CODE_AFTER_COMMENT = re.compile(r"[ \t]*\n[ \t]*(?!#|```)(?P<line>\S[^\n]*[^\s\\])[ \t]*(?=\n\s*(?:\n|#|```)|\s*\Z)")
_COMMENT = re.compile(r"\s*(?:#|//)")
_PROMPT = re.compile(r"[$>] ")
_ASKS_HOW = re.compile(r"\b(?:how (?:can|could|do|does|should|would|to|you)|(?:which|what) command)\b", re.IGNORECASE)
_LEAST_SHARED = 0.8
"""Share of the words of a question that must stand in a line of code or in the sentence before it."""
_REPLACES = re.compile(r"\b(?:[Uu]se|[Ii]nstead|[Rr]eplaced? (?:by|with))\b")


_DEFINING_WORDS = word_set(
    "what which is are does do did the a an of in on under for to about noted given mean means meant used use using "
    "purpose said say says stated describe described explain definition define as can could you tell me please know i "
    "would like should be instead look up find out am trying happen option argument parameter flag command setting "
    "field function method attribute variable property class metric fixture decorator key it that this my need from"
)
"""Words that ask for no more than what a thing is: with any other, the network reads."""
_VERBS_ASKED_ABOUT = word_set("return take accept raise")
"""Verbs that are asked about by themselves: `What does x return?` where the entry says `Returns …`."""
_ASKING_WORDS = word_set("which what how command code can could you do does i use used run to a the is are be should")


@dataclass(frozen=True, slots=True)
class FormAnswer:
    """A sentence of the contexts, and the characters of it that answer."""

    sentence: ContextSentence
    start: int
    end: int


def answer_by_form(question: str, sentences: Sequence[ContextSentence]) -> FormAnswer | None:
    """Return what a list entry or a line of code answers to `question`; None where neither does."""
    return _entry(question, sentences) or _example(question, sentences)


def _entry(question: str, sentences: Sequence[ContextSentence]) -> FormAnswer | None:
    heading = _QUOTED.search(question)
    section = _plain(heading.group(1)) if heading is not None else None
    rest = question[: heading.start()] + question[heading.end() :] if heading is not None else question
    asked = _words(rest)
    found = [(_place(sentence, section), one) for sentence in sentences for one in _description(sentence, asked)]
    under = [one for place, one in found if place == section]
    if section is None or under:
        return next(iter(under or [one for _, one in found]), None)
    unknown = [one for place, one in found if place is None]
    return unknown[0] if len(unknown) == 1 else None


def _description(sentence: ContextSentence, asked: Sequence[str]) -> Iterator[FormAnswer]:
    """Yield the description of an entry whose name is all that a question speaks of."""
    entry = _ENTRY.fullmatch(sentence.text)
    if entry is None:
        return
    term = _words(entry["term"] + entry["note"])
    names = [_words(entry["term"]), term]
    verb = re.match(r"\w+(?=\s)", entry["description"])
    does = verb is not None and verb.group().lower().removesuffix("s") in _VERBS_ASKED_ABOUT & set(asked)
    rest = [word for word in asked if not (does and word in _VERBS_ASKED_ABOUT)]
    if not any(name and _holds(rest, name) and _asks_only_for(rest, name) for name in names):
        return
    if "instead" in asked and _REPLACES.search(entry["description"]) is None:
        return
    end = len(sentence.text) - (sentence.text[-1] in ".;")
    yield FormAnswer(sentence, entry.start("description") + (verb.end() + 1 if does and verb is not None else 0), end)


def _holds(asked: Sequence[str], name: Sequence[str]) -> bool:
    return any(list(asked[at : at + len(name)]) == list(name) for at in range(len(asked) - len(name) + 1))


def _asks_only_for(asked: Sequence[str], name: Sequence[str]) -> bool:
    return all(word in name or word in _DEFINING_WORDS for word in asked)


def _place(sentence: ContextSentence, section: str | None) -> str | None:
    """Return the heading above a sentence, as far as its context shows it."""
    if section is None:
        return None
    above = list(_HEADING.finditer(sentence.context.text, 0, sentence.in_context.start))
    return _plain(above[-1].group(1) or above[-1].group(2)) if above else None


def _example(question: str, sentences: Sequence[ContextSentence]) -> FormAnswer | None:
    """Return the line of code after the sentence that shares most words with the question."""
    if _ASKS_HOW.search(question) is None:
        return None
    asked = {stem(word) for word in _words(question) if word not in _ASKING_WORDS}
    lines = [(sentence, line) for sentence in sentences if (line := _code_after(sentence))]
    shown = [(_shared(asked, sentence, line), sentence, line) for sentence, line in lines]
    share, before, line = max(shown, key=lambda each: each[0], default=(0.0, None, ""))
    if before is None or share < _LEAST_SHARED:
        return None
    for sentence in sentences:
        at = sentence.text.find(line)
        if sentence.context is before.context and sentence.start > before.start and at >= 0:
            return FormAnswer(sentence, at, at + len(line))
    return None


def _shared(asked: Set[str], sentence: ContextSentence, line: str) -> float:
    """Return the share of the stems asked for that a sentence and the line of code after it hold."""
    held = {stem(word) for word in _words(f"{sentence.text} {line}")}
    return len(asked & held) / len(asked) if asked else 0.0


def _code_after(sentence: ContextSentence) -> str:
    """Return the one line of code behind a sentence that ends in a colon, or behind a comment in code."""
    text, end = sentence.context.text, sentence.in_context.end
    if sentence.text.endswith(":"):
        block = _CODE_AFTER_COLON.match(text, end - 1)
        lines = [line.strip() for line in block["body"].splitlines() if line.strip()] if block is not None else []
        lines = [_PROMPT.sub("", line, count=1) for line in lines if not _COMMENT.match(line)]
        return lines[0] if len(lines) == 1 else ""
    if not _COMMENT.match(sentence.text) or text.count("```", 0, sentence.in_context.start) % 2 == 0:
        return ""
    explained = _CODE_AFTER_COMMENT.match(text, end)
    return _PROMPT.sub("", explained["line"], count=1) if explained is not None else ""


def _plain(text: str) -> str:
    return " ".join(_words(text))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())
