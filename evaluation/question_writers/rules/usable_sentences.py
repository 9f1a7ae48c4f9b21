"""Whether a sentence can be asked about: whole, understood by itself, and free of markup, quotations and formulas."""

from __future__ import annotations

import re

from evaluation.question_writers.rules.document_sentences import DocumentSentence
from rag_pipeline.english.function_words import FIRST_SECOND, PERSONAL
from rag_pipeline.english.lemmas import lower_words
from rag_pipeline.english.words import word_set

_SHORTENED = re.compile(r"\b(?:I|[Ww]e|[Yy]ou|[Tt]hey)[’'](?:m|re|ve|ll|d)\b|\ba (?=[aeio][a-z])(?!one\b|once\b|eu)")
"""`I’ve`, whose pronoun no list of words finds, and careless grammar (`a added burden`)."""
POINTING = word_set(
    "this these those such here there thus hence above below aforementioned former latter respectively same "
    "another following previous previously accompanying preceding earlier later aforesaid said today now "
    "currently recently yesterday tomorrow ago let's other others only even so too yet likewise accordingly "
    "again once elsewhere similar different thereafter afterwards"
)
"""Words that refer to what was said before, or to when and where it was said."""
_ENDED = re.compile(r"\.[”\")]?$")


def sentence_is_usable(sentence: DocumentSentence) -> bool:
    """Return whether a sentence is standalone as it is written."""
    return text_is_usable(sentence.text)


def text_is_usable(text: str, *, first_person: bool = False) -> bool:
    """Return whether a sentence is whole, with no quotation, citation, formula or markup; `I` where it is known."""
    found = lower_words(text)
    if (
        not (5 if first_person else 6) <= len(found) <= 45
        or not _ENDED.search(text)
        or not (text[0].isupper() or text[0].isdigit())
    ):
        return False
    if re.search(r"<unk>|https?:|www\.|[§{}<>=|\\~^_#*•]|\b(?:Id|Ibid|cf|supra|infra|et al|i\.e|e\.g)\b", text):
        return False
    if re.search(r"\.\.|…|\?|!|(?<!\w)['‘]\w", text) or text.count("(") != text.count(")") or _quotes_much(text):
        return False
    if (
        _SHORTENED.search(text)
        or (set(found) & FIRST_SECOND and not first_person)
        or found[0] in PERSONAL | POINTING | {"see", "note", "that"}
    ):
        return False
    digits = sum(character.isdigit() for character in text)
    return digits < 0.2 * len(text) and sum(word.isupper() and len(word) > 3 for word in text.split()) < 4


def _quotes_much(text: str) -> bool:
    """Return whether quotation marks enclose more than a title or a term."""
    without = re.sub(r"(?<=[\s(])(?:\"[^\"]{1,40}\"|“[^“”]{1,40}”)", "", text)
    return re.search(r"[\"“”]", without) is not None
