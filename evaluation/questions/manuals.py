"""Questions for the sentences of technical documents: with their code as names, and for what they tell one to do."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from evaluation.questions.asked import Asked
from evaluation.questions.coded import Masked
from evaluation.questions.corpus import CorpusWords
from evaluation.questions.examples import examples_behind
from evaluation.questions.instructions import instructed, shown
from evaluation.questions.sentences import Sentence

_TIES = re.compile(
    r"(?:Or|Then|Now|First|For example|Alternatively|Also|Finally|Next|Additionally|Optionally|In addition|Note that|"
    r"Please note that|Tip|Note|Warning|Important),?:? "
)
_LOG = re.compile(
    r"\W*v?\d+\.\d+|(?:Added|Changed|Fixed|Removed|Deprecated|Security|Improved|Bug ?fixes|Features|Misc)$|.*\b"
    r"(?:Change ?log|Release notes|Release history|What['’]s new|History)\b",
    re.IGNORECASE,
)
"""Headings of what was changed from version to version: nobody asks for that of a manual."""
_EXAMPLE = re.compile(
    r"\b(?:following|here|below|example|examples|such as|including|like|this|these)\b|\w+ (?:is|are):$", re.IGNORECASE
)
"""What ends in a colon and says nothing without what follows."""
_IDLE = re.compile(r"^In some cases|\b(?:[a-z]+[^aeiou ]ed|continue) to\?$|\bfound on\?$")
Rules = Callable[[str], Iterator[Asked]]


def technical(sentence: Sentence, corpus: CorpusWords, rules: Rules) -> Iterator[Asked]:
    """Yield the questions of a sentence of a technical document; `rules` ask about any sentence."""
    if not is_asked_about(sentence, corpus):
        return
    yield from corpus.terms[sentence.span.document_id].questions(sentence)
    masked = Masked(sentence.text, sentence.codes)
    if not masked.readable:
        return
    text = _untied(masked.text)
    statement = f"{text[:-1]}." if text.endswith(":") and not _EXAMPLE.search(text) else text
    if statement != sentence.text:
        for asked in rules(statement):
            yield masked.asked(asked)
    if text.endswith((".", ":")):
        for asked in instructed(text, corpus.is_name, colon=text.endswith(":")):
            yield masked.asked(asked)


def of_examples(sentence: Sentence, corpus: CorpusWords) -> Iterator[tuple[Asked, Sentence]]:
    """Yield the questions for the code behind a sentence, each with its evidence."""
    if not is_asked_about(sentence, corpus):
        return
    text = next(doc.text for doc in corpus.documents if doc.id == sentence.span.document_id)
    masked = Masked(sentence.text, sentence.codes)
    for example in examples_behind(text, sentence.span.end):
        if example.said and text.count(f"# {example.said}") == 1:
            span = replace(sentence.span, start=example.start, end=example.end)
            whole = replace(sentence, span=span, text=f"{example.said}: {example.line}")
            for asked in shown(f"{example.said}:", example.line, command=True):
                yield asked, whole
        elif not example.said and sentence.text.endswith(":") and masked.readable:
            whole = replace(
                sentence, span=replace(sentence.span, end=example.end), text=f"{sentence.text} {example.line}"
            )
            for asked in shown(_untied(masked.text), example.line, command=example.is_command):
                yield masked.asked(asked), whole


def _untied(text: str) -> str:
    tie = _TIES.match(text)
    text = text[tie.end() :] if tie is not None else text
    return text[:1].upper() + text[1:]


def is_asked_about(sentence: Sentence, corpus: CorpusWords) -> bool:
    """Return whether a sentence stands in a technical document, and not in its history."""
    return is_manual(sentence, corpus) and not (_LOG.match(sentence.heading) or _LOG.match(sentence.title))


def is_manual(sentence: Sentence, corpus: CorpusWords) -> bool:
    """Return whether a sentence stands in a technical document."""
    return sentence.span.document_id in corpus.technical


def is_idle(asked: Asked) -> bool:
    """Return whether nobody would ask a manual so: what is stated about x, what x continues to."""
    if asked.kind == "stated_of":
        return " stated about " in asked.text
    idle = _IDLE.search(asked.text) is not None
    if asked.kind == "what" and re.search(r"\breplaces?\?$", asked.text):
        return " with " in asked.answer
    if asked.kind == "with_what":
        return idle or asked.text.endswith(" for?")
    return idle or (asked.kind == "used_for" and asked.answer.startswith("to be "))
