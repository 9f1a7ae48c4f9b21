"""The question that is asked, without greetings, thanks, fillers and the asker's circumstances.

Written for English; a question in another language comes back as it is. In doubt a sentence stays: a condition that is
lost ("I have a Model X200") harms more than a circumstance that is searched with.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from rag_pipeline.english.sentences import split_sentences
from rag_pipeline.english.words import word_set, words_of
from rag_pipeline.rewriting import fillers

InCorpus = Callable[[str], bool]
"""Whether the corpus has a word, given in lower case."""

_FIRST_PERSON = re.compile(r"\b(?:i|i['’]\w+|me|my|mine|myself|we|we['’]\w+|us|our|ours)\b", re.I)
_PEOPLE_AROUND = re.compile(
    r"\A(?:a|the|one of|some|an)\s+(?:\w+\s+)?(?:friends?|colleagues?|co-?workers?|boss|manager|teacher|professor|"
    r"neighbou?rs?|room-?mate|classmates?|customer|client|relative|cousin|uncle|aunt|somebody|someone)\b",
    re.I,
)
_POINTS_BACK = re.compile(
    r"\b(?:it|its|this|that|these|those|they|them|their|he|him|his|she|her|hers|such|one|ones|there)\b", re.I
)
_CONDITION = re.compile(
    rf"\A\W*(?:and |but |so )?(?:{fillers.CLAUSE}|in case|unless|given|suppose|assuming|when|once)", re.I
)
_QUESTION = re.compile(
    rf"\A\W*(?:{fillers.CLAUSE}|(?:is|are|was|were|do|does|did|can|could|may|must|should|will|would|has|have|had)\b)",
    re.I,
)
_ORDER = re.compile(
    r"\A\W*(?:name|list|describe|explain|define|compare|summari[sz]e|state|identify|give|outline)\b", re.I
)
_DOUBLED = re.compile(
    r"\b(the|a|an|of|to|in|on|at|for|and|or|is|are|was|were|be|has|have|what|who|when|you|it)\s+\1\b", re.I
)
_LOWER_CASE_START = re.compile(rf"(?<=[a-z]{{2}}[.!?])\s+(?={fillers.CLAUSE}|(?:i|we|can|could|please)\b)")
"""Between sentences that begin with a small letter: `a guess will not do. who was ...`."""
_ENDS = "?.!… \t\r\n"
_EMPTY_WORDS = word_set(
    "happen happened happens mean means meant work works know say said go going thing things way use used make made "
    "right true please ok okay sure exactly"
)


def core_question(text: str, in_corpus: InCorpus) -> str:
    """Return what is asked in `text`; `text` itself, to the letter, where nothing can be taken off."""
    now = text
    while True:
        shorter = _once(now, in_corpus)
        if shorter == now or len(shorter) > len(now) + 1 or not _has_content(shorter):
            return now
        now = shorter


def _once(text: str, in_corpus: InCorpus) -> str:
    sentences = [part for sentence in split_sentences(text) for part in _LOWER_CASE_START.split(sentence.text)]
    parts = [_part(sentence, in_corpus) for sentence in sentences]
    asked = [core for core, asks in parts if asks and core]
    alone = bool(asked) and all(map(_stands_alone, asked))
    said = [(core, asks) for core, asks in parts if core and not fillers.COURTESY.match(core)]
    kept = [core for core, asks in said if asks or not alone or not _is_circumstance(core, in_corpus)]
    changed = kept != sentences
    joined = _DOUBLED.sub(r"\1", " ".join(_polished(part) for part in kept) if changed else text)
    return joined if _has_content(joined) else text


def _part(sentence: str, in_corpus: InCorpus) -> tuple[str, bool]:
    """Return what a sentence is without what stands around it, and whether it asks; of one that asks, its core."""
    plain = _plain(sentence)
    asks = _asks(sentence, plain, in_corpus)
    return _core(plain, in_corpus) if asks else plain, asks


def _plain(sentence: str) -> str:
    """Take off what stands around a sentence: greetings, openers, thanks."""
    rest = sentence
    while True:
        before = rest
        for pattern in (fillers.GREETING, fillers.OPENER):
            rest = pattern.sub("", rest, count=1)
        closing = fillers.CLOSER.search(rest)
        if closing and rest[: closing.start()].strip():
            rest = rest[: closing.start()] + closing.group("end").strip()
        if rest == before:
            return rest if rest.strip(_ENDS) or not sentence.strip(_ENDS) else ""


def _asks(sentence: str, plain: str, in_corpus: InCorpus) -> bool:
    if fillers.COURTESY.match(plain):
        return False
    ends = sentence.rstrip("\"'”) \n").endswith("?")
    return ends or bool(_QUESTION.match(plain) or _ORDER.match(plain)) or _core(plain, in_corpus) != plain


def _core(sentence: str, in_corpus: InCorpus) -> str:
    """Return a sentence without the words that ask for an answer (`Could you tell me`), and what stands before them."""
    body = sentence.rstrip(_ENDS)
    end = sentence[len(body) :].strip()
    for shorten in (_without_asking_words, _after_preamble, _before_reason):
        shorter = shorten(body, in_corpus)
        if shorter != body and _has_content(shorter):
            body = shorter
    return body + end


def _without_asking_words(body: str, in_corpus: InCorpus) -> str:
    for pattern in (fillers.WHETHER_YOU_KNOW, fillers.TELL_ABOUT, fillers.ASIDE):
        if match := pattern.match(body):
            return body[match.end() :]
    for pattern in (fillers.CARRIER, fillers.INFORMATION, fillers.ASKED_ME):
        for match in pattern.finditer(body):
            before = body[: match.start()]
            alone = not before.strip(" ,;:–—-") and pattern is not fillers.ASKED_ME
            if alone or (_is_circumstance(before, in_corpus) and not _CONDITION.match(before)):
                return re.sub(r"\A(?:more )?about\s+(?!wh|how)", "", body[match.end() :], flags=re.I)
    return body


def _after_preamble(body: str, in_corpus: InCorpus) -> str:
    for match in fillers.COMMA_CLAUSE.finditer(body):
        before, after = body[: match.start()], body[match.end() :]
        droppable = _is_circumstance(before, in_corpus) and not _CONDITION.match(before)
        if droppable and _stands_alone(after):
            return after
    return body


def _before_reason(body: str, in_corpus: InCorpus) -> str:
    for pattern in (fillers.BECAUSE_OF_ME, fillers.FOR_MY_WORK):
        if match := pattern.search(body):
            before, reason = body[: match.start()], match.group()
            if _stands_alone(before) and not _names_something(reason, in_corpus):
                return before
    return body


def _is_circumstance(text: str, in_corpus: InCorpus) -> bool:
    """Tell whether words speak of the asker and those around them, and name nothing that the corpus knows."""
    speaks = _FIRST_PERSON.search(text) or _PEOPLE_AROUND.match(text.strip())
    return bool(speaks) and "?" not in text and not _names_something(text, in_corpus)


def _names_something(text: str, in_corpus: InCorpus) -> bool:
    """Tell whether there is a code, a number with a unit's worth of digits, or a name of the corpus in the text."""
    for place, word in enumerate(words_of(text)):
        if any(letter.isdigit() for letter in word.text):
            return True
        inside = place > 0 and word.is_capital and not word.lower.startswith(("i'", "i’")) and word.lower != "i"
        if inside and (in_corpus(word.lower) or (word.text.isupper() and len(word.text) > 1)):
            return True
    return False


def _stands_alone(core: str) -> bool:
    """Tell whether a question is understood without what was said before it, and is not about the asker."""
    if not _has_content(core) or len(_content(core)) < 2 or _FIRST_PERSON.search(core):
        return False
    back = _POINTS_BACK.search(core)
    if back is None:
        return True
    before = [word for word in words_of(core[: back.start()]) if word.is_content]
    return any(word.is_capital and word.start for word in before) or len(before) > 2


def _content(text: str) -> list[str]:
    return [word.text for word in words_of(text) if word.is_content and word.lower not in _EMPTY_WORDS]


def _has_content(text: str) -> bool:
    return bool(_content(text))


def _polished(part: str) -> str:
    """Begin with a capital letter, and end with a mark that fits."""
    body = part.strip().lstrip(",;:–—- ")
    stem = body.rstrip(_ENDS + ",;:")
    ends = body[len(stem) :].strip(" ,;:\t\r\n")
    if _QUESTION.match(stem):
        ends = "?"
    return (stem[:1].upper() + stem[1:] + (ends or "")).strip()
