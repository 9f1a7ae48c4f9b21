"""Who says `I` in a document: the narrator of a story, the speaker of a speech, or nobody known."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from evaluation.question_writers.rules.document_sentences import DocumentSentence
from rag_pipeline.english.function_words import MODALS
from rag_pipeline.english.lemmas import verb_form, verb_lemma
from rag_pipeline.english.penn_tags import tokenize
from rag_pipeline.english.words import word_set
from rag_pipeline.types import SourceDoc

NARRATOR, SPEAKER = "the narrator", "the speaker"
_LEAST_SENTENCES = 30
_LEAST_SHARE = 0.2
_MOST_OTHERS = 0.15
_FIRST = re.compile(r"\b(?:I|my|me|My)\b")
_SAID_BY_I = re.compile(r"\bI (?:\w+ly |had |have |never |always )?([a-z]+)")
_PARAGRAPH = re.compile(r"(?:(?!\n\s*\n).)+", re.DOTALL)
_TURN = re.compile(r"^[A-Z][A-Z.’' -]{2,30}:")
_ROLES = re.compile(r"[\"']role[\"']\s*:\s*[\"']")
_CONTRACTED = (
    (re.compile(r"\b(I)[’']m\b"), r"\1 am"),
    (re.compile(r"\b([Ii]t|[Tt]hat|[Tt]here|[Hh]e|[Ss]he|[Ww]hat|[Hh]ere|[Ww]ho)[’']s\b"), r"\1 is"),
    (re.compile(r"\b([Ww]e|[Yy]ou|[Tt]hey)[’']re\b"), r"\1 are"),
    (re.compile(r"\b(I|[Ww]e|[Yy]ou|[Tt]hey)[’']ve\b"), r"\1 have"),
    (re.compile(r"\b(I|[Ww]e|[Yy]ou|[Tt]hey|[Ii]t|[Hh]e|[Ss]he)[’']ll\b"), r"\1 will"),
    (re.compile(r"\b([Cc]a)n[’']t\b"), r"\1nnot"),
    (re.compile(r"\b([Ww])on[’']t\b"), r"\1ill not"),
    (re.compile(r"\b(\w+)n[’']t\b"), r"\1 not"),
)
_UNPAUSED = re.compile(
    r"^(?P<lead>(?:In|On|At|From|Through|By|With|After|Before|Upon|Beyond|Near|Behind|Under|Above|Until|During|Along|"
    r"Inside|Outside|Across) (?:(?!\b(?:I|that|which|what|who|where|when|if|as|than|and|but|because)\b)"
    r"[^,;:]){3,80}) I\b"
)
_BETWEEN = word_set("also always never ever still just only really now then soon once again often")


def with_narrators(doc: SourceDoc, sentences: Sequence[DocumentSentence]) -> list[DocumentSentence]:
    """Return the sentences with their narrator, where they are not direct speech of others."""
    speeches = list(_speeches(doc.text))
    own = [not _inside(one, speeches) for one in sentences]
    narrator = (
        ""
        if _ROLES.search(doc.text)
        else _narrator_of([one for one, is_own in zip(sentences, own, strict=True) if is_own])
    )
    if not narrator:
        speeches = list(_speeches(doc.text, unfinished=True))
        own = [not _inside(one, speeches) for one in sentences]
    return [
        replace(one, narrator=narrator if is_own and not _TURN.match(one.text) else "", in_speech=not is_own)
        for one, is_own in zip(sentences, own, strict=True)
    ]


def _narrator_of(sentences: Sequence[DocumentSentence]) -> str:
    first = [one.text for one in sentences if _FIRST.search(one.text)]
    others = sum(_TURN.match(one.text) is not None for one in sentences)
    if len(sentences) < _LEAST_SENTENCES or others > _MOST_OTHERS * len(sentences):
        return ""
    if len(first) < _LEAST_SHARE * len(sentences):
        return ""
    verbs = [match.group(1) for text in first for match in _SAID_BY_I.finditer(text)]
    past = sum(_is_past(verb) for verb in verbs)
    return NARRATOR if past > 0.6 * len(verbs) else SPEAKER


def _is_past(verb: str) -> bool:
    lemma = verb_lemma(verb)
    return verb in {"was", "had", "did", "could", "would"} or (verb != lemma and verb_form(lemma, "VBD") == verb)


def _speeches(text: str, *, unfinished: bool = False) -> Iterator[tuple[int, int]]:
    """Yield the direct speech of others: quotations that end in the paragraph in which they begin.

    A quotation over several paragraphs is a story within the story and does not count; with `unfinished`
    its paragraphs count too.
    """
    goes_on = False
    # British books quote with single marks; one before a letter is an apostrophe.
    single = text.count("‘") > text.count("“")
    for match in _PARAGRAPH.finditer(text):
        opened = -1
        for at in range(match.start(), match.end()):
            sign = text[at]
            if sign == ("‘" if single else "“"):
                opened = at
            elif sign == ("’" if single else "”") and opened >= 0 and not text[at + 1 : at + 2].isalpha():
                story = goes_on and opened < match.start() + 3
                if not story and not text[match.start() : opened].rstrip(" ")[-1:].isalnum():
                    yield opened, at + 1
                opened = -1
        goes_on = opened >= 0
        if goes_on and unfinished:
            yield opened, match.end()


def _inside(sentence: DocumentSentence, stretches: Sequence[tuple[int, int]]) -> bool:
    low, high = 0, len(stretches)
    while low < high:
        middle = (low + high) // 2
        if stretches[middle][1] <= sentence.span.start:
            low = middle + 1
        else:
            high = middle
    return low < len(stretches) and stretches[low][0] < sentence.span.end


def written_out(text: str) -> str:
    """Return a text with contractions written out: `I’m`, `it’s`, `don’t`."""
    for pattern, whole in _CONTRACTED:
        text = pattern.sub(whole, text)
    return text


def in_third_person(text: str, narrator: str) -> str:
    """Return a sentence with `I` replaced by the narrator: `the narrator lit a match`."""
    text = _UNPAUSED.sub(r"\g<lead>, I", text)
    pieces: list[str] = []
    end = 0
    said = False
    for word, start, stop in tokenize(text):
        written = _in_third_person(word, narrator)
        if word == "I":
            said = True
        elif said and word not in _BETWEEN and not word.endswith("ly"):
            written, said = _third_person_verb(word), False
        pieces += [text[end:start], written]
        end = stop
    whole = "".join(pieces) + text[end:]
    return whole[:1].upper() + whole[1:]


def _in_third_person(word: str, narrator: str) -> str:
    if word in {"I", "me"}:
        return narrator
    if word in {"We", "we", "us"}:
        return f"{narrator} and others"
    return f"{narrator}’s" if word in {"my", "My"} else word


def _third_person_verb(verb: str) -> str:
    """Return the third-person form of a verb that followed `I`."""
    if verb in {"am", "have", "do"}:
        return {"am": "is", "have": "has", "do": "does"}[verb]
    base = verb.isalpha() and verb.islower() and verb not in MODALS | {"cannot"} and verb_lemma(verb) == verb
    # `put` and its like are their own past: a form in -s would change the time.
    return verb_form(verb, "VBZ") if base and verb_form(verb, "VBD") not in {verb, ""} else verb
