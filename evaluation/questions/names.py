"""Names and terms of the corpus with what they stand for, for questions that it does not answer."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from evaluation.questions.acceptance import sentence_is_usable
from evaluation.questions.corpus import CorpusWords
from evaluation.questions.entities import ORGANISATION_WORDS, PLACE_WORDS, looks_like_person
from evaluation.questions.words import MONTHS, STOP, parts_of_speech, word_set, words

_NAME = re.compile(r"(?<=[a-z,;)] )(?:the )?[A-Z][\w’'-]+(?: (?:(?:of|de|van|von|der|la|the|and the) )?[A-Z][\w’'-]+)*")
_WATER = word_set("river lake sea ocean bay")
_NO_PLACE = word_set("january february march april may june july august september october november december") | {
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "english", "french", "german",
}  # fmt: skip
_SETTLED = re.compile(r"\b(?:in|to|from|near|at) $")
_ROLE = re.compile(r"(?:ee|or|er|ist|ian|ant|ent|man|woman|ician)$")


@dataclass(frozen=True, slots=True)
class Name:
    """A name or term as a question would write it. `count`: how often it occurs."""

    text: str
    kind: str
    count: int


def names(corpus: CorpusWords) -> list[Name]:
    """Return the names of the corpus that are used often enough to be asked about, most frequent first."""
    counts: Counter[str] = Counter()
    placed: Counter[str] = Counter()
    articled: Counter[str] = Counter()
    for sentences in corpus.sentences.values():
        for sentence in sentences:
            for match in _NAME.finditer(sentence.text):
                text = re.sub(r"['’]s?$", "", match.group())
                name = text.removeprefix("the ")
                counts[name] += 1
                articled[name] += text != name
                placed[name] += bool(_SETTLED.search(sentence.text[: match.start()])) and text == name
    found = []
    for name, count in counts.items():
        kind = _kind(name, placed[name] / count, corpus)
        if kind and count >= (1 if kind == "person" else 2):
            written = f"the {name}" if articled[name] > 0.6 * count else name
            found.append(Name(written, kind, count))
    found += [*_terms(corpus)]
    return sorted(found, key=lambda name: (-name.count, name.text))


def _kind(name: str, share_placed: float, corpus: CorpusWords) -> str:
    parts = name.split()
    lower = [part.lower() for part in parts]
    if any(part in _NO_PLACE | MONTHS for part in lower) or len(name) < 4 or not corpus.is_name(parts[0]):
        return ""
    if looks_like_person(parts):
        return "person"
    head = lower[lower.index("of") - 1] if "of" in lower[1:] else lower[-1]
    if head in _WATER or lower[0] == "lake":
        return "water"
    if head in PLACE_WORDS:
        return "site"
    if head in ORGANISATION_WORDS and len(parts) > 1:
        return "organisation"
    if len(parts) <= 2 and share_placed > 0.5 and not name.isupper():
        return "settlement"
    return "any" if len(parts) >= 2 and "and the" not in name.lower() else ""


def _terms(corpus: CorpusWords) -> list[Name]:
    """Return two-word terms that run through the corpus, and the roles that people have in it."""
    pairs: Counter[str] = Counter()
    for sentences in corpus.sentences.values():
        for sentence in sentences:
            if sentence_is_usable(sentence):
                found = words(sentence.text)
                pairs.update(f"{first} {second}" for first, second in pairwise(found))
    terms = []
    for pair, count in pairs.items():
        first, second = pair.split()
        if count < 5 or first in STOP or second in STOP or not _noun(second) or not (_noun(first) or _adjective(first)):
            continue
        role = _ROLE.search(second) is not None and corpus.runs_through(pair)
        if role:
            article = "an" if first[0] in "aeiou" else "a"
            terms.append(Name(f"{article} {pair}", "role", count))
    return terms


def _noun(word: str) -> bool:
    return "NOUN" in parts_of_speech(word) and word.isalpha()


def _adjective(word: str) -> bool:
    return bool(parts_of_speech(word) & {"ADJ", "VERB"}) and word.isalpha()
