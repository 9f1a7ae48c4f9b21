"""What the whole corpus says about its words: which are names, which terms run through it, what a sentence shares."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache

from evaluation.questions.entities import given_names
from evaluation.questions.sentences import Sentence, split_document
from evaluation.questions.topics import with_names
from evaluation.questions.words import STOP, content_stems, parts_of_speech
from rag_pipeline.types import SourceDoc

_CASED = re.compile(r"(?<![.!?:]\s)(?<![\"“'‘(*#\n])\b[^\W\d_][\w'’-]*")
_F_WORD = re.compile(r"\b[a-z]*f[a-z]+\b")
_FEW_SLIPS = 4
_COMMON_ENDING = re.compile(r"(?:ic|al|ous|ive|ary|oid|ed|ing|ly|ions?|isms?|osis|itis|able|ible|ful|less|otes|ytes)$")
_SLICES = 20


class CorpusWords:
    """Statistics of the documents that rules ask for."""

    def __init__(self, documents: Sequence[SourceDoc]) -> None:
        self.documents = documents
        self.sentences: dict[int, list[Sentence]] = {doc.id: with_names(split_document(doc)) for doc in documents}

    @cached_property
    def _cases(self) -> tuple[Counter[str], Counter[str]]:
        """How often each word stands inside a sentence with a small and with a capital letter."""
        small: Counter[str] = Counter()
        capital: Counter[str] = Counter()
        for sentence in self._all_sentences():
            for word in re.findall(r"[^\W\d_][\w'’-]*", sentence.text)[1:]:
                if word[0].isupper():
                    capital[word.lower()] += 1
                else:
                    small[word] += 1
        return small, capital

    def is_name(self, word: str) -> bool:
        """Return whether a capitalised word is a name, judged by how the corpus writes it inside sentences."""
        small, capital = self._cases
        lower = word.lower()
        if "-" in lower and not _capital_parts(word):
            return capital[lower] > 0
        if lower in STOP:
            return False
        if small[lower] or capital[lower]:
            return capital[lower] > 2 * small[lower]
        if lower in given_names():
            return True
        return not content_known(lower) and _COMMON_ENDING.search(lower) is None

    @cached_property
    def _lost_ligatures(self) -> bool:
        """Whether a PDF has lost its ligatures: `proft`, `confict`, `sufcient` stand where no such words are."""
        lost = {word for one in self._all_sentences() for word in _F_WORD.findall(one.text) if _mended(word)}
        return len(lost) >= _FEW_SLIPS

    def is_damaged(self, text: str) -> bool:
        """Return whether letters are missing from a sentence (`fled a brief` for `filed a brief`)."""
        if not self._lost_ligatures:
            return False
        return any(word in {"fled", "fling", "flings", "fle"} or _mended(word) for word in _F_WORD.findall(text))

    @cached_property
    def _definite(self) -> tuple[Counter[str], Counter[str]]:
        """Of each noun phrase `the x`: how often it occurs, and in how many of twenty slices of its best document."""
        best: Counter[str] = Counter()
        total: Counter[str] = Counter()
        for sentences in self.sentences.values():
            slices: dict[str, set[int]] = defaultdict(set)
            for position, sentence in enumerate(sentences):
                here = position * _SLICES // max(1, len(sentences))
                for match in re.finditer(r"\bthe ((?:[\w-]+ ){0,2}[\w-]+)", sentence.text.lower()):
                    parts = match.group(1).split()
                    for size in range(1, len(parts) + 1):
                        slices[" ".join(parts[:size])].add(here)
                        total[" ".join(parts[:size])] += 1
            for phrase, where in slices.items():
                best[phrase] = max(best[phrase], len(where))
        return total, best

    def runs_through(self, phrase: str) -> bool:
        """Return whether `the phrase` is a fixed term of a document: it is used in most parts of it."""
        return self._definite[1][phrase.lower()] >= 0.6 * _SLICES

    def is_vocabulary(self, phrase: str) -> bool:
        """Return whether `the phrase` is said often, and in more than one part of a document."""
        total, spread = self._definite
        return total[phrase.lower()] >= 8 and spread[phrase.lower()] >= 0.25 * _SLICES

    @cached_property
    def _postings(self) -> dict[str, set[int]]:
        found: dict[str, set[int]] = defaultdict(set)
        for number, text in enumerate(dict.fromkeys(sentence.text for sentence in self._all_sentences())):
            for stem in content_stems(text):
                found[stem].add(number)
        return found

    def sentences_with(self, stems: Iterable[str]) -> int:
        """Return how many sentences hold all the stems; a verbatim repeat does not count again."""
        sets = sorted((self._postings.get(stem, set()) for stem in set(stems)), key=len)
        if not sets:
            return 0
        return len(set.intersection(*sets))

    def _all_sentences(self) -> list[Sentence]:
        return [sentence for doc in self.documents for sentence in self.sentences[doc.id]]


@lru_cache(maxsize=16384)
def _mended(word: str) -> bool:
    """Return whether a word is none, and becomes one when a ligature is put back."""
    if content_known(word) or word in STOP:
        return False
    return any(
        content_known(word[:at] + ligature + word[at + 1 :])
        for at, letter in enumerate(word)
        if letter == "f"
        for ligature in ("fi", "fl", "ff", "ffi", "ffl")
    )


def content_known(word: str) -> bool:
    """Return whether the dictionary knows a word as anything at all."""
    return bool(parts_of_speech(word))


def _capital_parts(word: str) -> bool:
    """Return whether a hyphenated word has a capital letter after its hyphen (`Anglo-Saxon`)."""
    return any(part[:1].isupper() for part in word.split("-")[1:])
