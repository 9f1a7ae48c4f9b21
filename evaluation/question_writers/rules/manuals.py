"""Questions for sentences of technical documents: with code masked, for instructions and for code examples."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from evaluation.question_writers.rules.code_examples import examples_behind
from evaluation.question_writers.rules.corpus import CorpusStatistics
from evaluation.question_writers.rules.document_sentences import DocumentSentence
from evaluation.question_writers.rules.inline_code import MaskedSentence
from evaluation.question_writers.rules.instructions import instructed, shown
from evaluation.question_writers.rules.phrasing import CandidateQuestion
from rag_pipeline.english.penn_tags import is_plural, tag
from rag_pipeline.english.words import word_set

_TIES = re.compile(
    r"(?:Or|Then|Now|First|For example|Alternatively|Also|Finally|Next|Additionally|Optionally|In addition|Note that|"
    r"Please note that|Tip|Note|Warning|Important),?:? |(?:Yes|No)[.,] "
)
_NOT_ASKED = re.compile(
    r"\W*v?\d+\.\d+|(?:Added|Changed|Fixed|Removed|Deprecated|Security|Improved|Bug ?fixes|Features|Misc)$|.*\b"
    r"(?:Change ?log|Release notes|Release history|What['’]s new|History|Thanks|Acknowledge?ments?|Credits|Authors|"
    r"Contributors|Sponsors|Testimonials|Related projects)\b",
    re.IGNORECASE,
)
"""Headings of change logs and of acknowledgements, which nobody asks a manual about."""
_EXAMPLE = re.compile(
    r"\b(?:following|here|below|example|examples|such as|including|like|this|these)\b|\w+ (?:is|are):$", re.IGNORECASE
)
"""Sentences that end in a colon and mean nothing without what follows."""
_LISTS_ON = re.compile(r"(?:, [\w-]+(?: [\w-]+)?)+,? (?:and|or) ")
"""The rest of a list that an answer begins with: `supports text | , audio and video`."""
_KINDS = word_set(
    "how_to in_case needed term shown item definition stands_for when where how_many share measure why how "
    "condition used_for list called who said"
)
"""The kinds of questions that are asked about manuals: of the other forms every second turned out badly."""
_LONGEST = 500
"""Characters of a sentence with its code masked: longer ones are lists that lost their marks."""
_DOTTED = re.compile(r"\w+(?:[._]\w+)+")
_IDLE = re.compile(
    r"^In some cases|^What is (?:[Ee]very|[Ee]ach|[Aa]ny) |^What (?:is|are|do|does) no |"
    r"^(?:If|When) (?:omitted|specified|set|given|provided|present),|"
    r"\b(?:[a-z]+[^aeiou ]ed|continue) to\?$|\bfound on\?$"
)
Rules = Callable[[str], Iterator[CandidateQuestion]]


def manual_candidates(
    sentence: DocumentSentence, corpus: CorpusStatistics, rules: Rules
) -> Iterator[CandidateQuestion]:
    """Yield the candidates of a sentence of a technical document; `rules` ask about any sentence."""
    if not is_asked_about(sentence, corpus):
        return
    yield from corpus.terms[sentence.span.document_id].questions(sentence)
    masked = MaskedSentence(sentence.text, sentence.codes)
    if not masked.readable or len(masked.text) > _LONGEST:
        return
    text = _untied(masked.text)
    if text.endswith((".", ":")):
        for candidate in instructed(text, corpus.is_name, colon=text.endswith(":")):
            yield masked.unmask(candidate)
    statement = f"{text[:-1]}." if text.endswith(":") and not _EXAMPLE.search(text) else text
    if statement != sentence.text:
        for candidate in rules(statement):
            yield masked.unmask(candidate)


def example_candidates(
    sentence: DocumentSentence, corpus: CorpusStatistics
) -> Iterator[tuple[CandidateQuestion, DocumentSentence]]:
    """Yield the questions for the code behind a sentence, each with its evidence."""
    if not is_asked_about(sentence, corpus):
        return
    text = _text(sentence, corpus)
    masked = MaskedSentence(sentence.text, sentence.codes)
    for example in examples_behind(text, sentence.span.end):
        if example.comment and text.count(f"# {example.comment}") == 1:
            span = replace(sentence.span, start=example.start, end=example.end)
            whole = replace(sentence, span=span, text=f"{example.comment}: {example.line}")
            for candidate in shown(f"{example.comment}:", example.line, command=True):
                yield candidate, whole
        elif not example.comment and sentence.text.endswith(":") and masked.readable:
            whole = replace(
                sentence, span=replace(sentence.span, end=example.end), text=f"{sentence.text} {example.line}"
            )
            for candidate in shown(_untied(masked.text), example.line, command=example.is_command):
                yield masked.unmask(candidate), whole


def _text(sentence: DocumentSentence, corpus: CorpusStatistics) -> str:
    return next(doc.text for doc in corpus.documents if doc.id == sentence.span.document_id)


def _untied(text: str) -> str:
    tie = _TIES.match(text)
    text = text[tie.end() :] if tie is not None else text
    return text[:1].upper() + text[1:]


def is_asked_about(sentence: DocumentSentence, corpus: CorpusStatistics) -> bool:
    """Return whether a sentence is of a technical document, outside its change log and acknowledgements."""
    unasked = _NOT_ASKED.match(sentence.heading) or _NOT_ASKED.match(sentence.title)
    return is_manual(sentence, corpus) and unasked is None


def is_manual(sentence: DocumentSentence, corpus: CorpusStatistics) -> bool:
    """Return whether a sentence is of a technical document."""
    return sentence.span.document_id in corpus.technical_documents


def manual_objection(candidate: CandidateQuestion, sentence: DocumentSentence, corpus: CorpusStatistics) -> str:
    """Return an objection to a question that suits an article but no manual, or an empty string."""
    at = sentence.text.find(candidate.answer)
    if at >= 0 and candidate.kind != "item" and _LISTS_ON.match(sentence.text, at + len(candidate.answer)):
        return "the answer is cut short"
    own_words = re.sub("“[^”]*”", "", candidate.text)  # a section has its own
    if any(name not in sentence.text for name in _DOTTED.findall(own_words)):
        return "writes a name as nobody would"
    linked = candidate.kind == "item" and _text(sentence, corpus).startswith("[", sentence.span.start)
    return "asks as nobody would" if linked or _is_idle(candidate, sentence) or _is_misread(candidate.text) else ""


def _is_idle(candidate: CandidateQuestion, sentence: DocumentSentence) -> bool:
    """Return whether a question is of a form that turns out badly, or asks for something incomplete."""
    kind, text, answer, topic = candidate.kind, candidate.text, candidate.answer, candidate.topic
    if kind not in _KINDS or _IDLE.search(text):
        return True
    if kind == "item":
        return (
            answer.startswith("If ")
            or not re.search("[A-Za-z]", topic)
            or re.search(r"[{}\\^$]| - ", topic) is not None
        )
    if kind == "used_for":
        return answer.startswith("to be ")
    if kind == "definition":  # `the async variant`: of what?
        bare = re.sub(r"^(?:an?|the) ", "", topic, flags=re.IGNORECASE)
        opens = sentence.text.lower().startswith(topic.lower()) or bare in sentence.text
        return not opens or re.fullmatch(r"(?:an?|the) (?:(?!of |for )[\w-]+ ){0,2}[\w-]+", answer) is not None
    return False


def _is_misread(text: str) -> bool:
    """Return whether the subject ends in a verb or does not agree: `What do the RSS column measures peak?`"""
    many = re.match(r"What are (the .+)\?$", text)
    if many is not None and not is_plural(tag(many.group(1))):
        return True
    asks = re.match(r"(?:.*, )?what (?:do|does|did) (.+)\?$", text, re.IGNORECASE)
    return asks is not None and any(one.tag == "VBZ" for one in tag(f"It {asks.group(1)}")[1:])
