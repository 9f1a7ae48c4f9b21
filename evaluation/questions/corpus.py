"""What the whole corpus says about its words: which are names, which terms run through it, what a sentence shares."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property

from evaluation.questions.sentences import Sentence, split_document
from evaluation.questions.words import STOP, content_stems
from rag_pipeline.types import SourceDoc

_CASED = re.compile(r"(?<![.!?:]\s)(?<![\"“'‘(*#\n])\b[^\W\d_][\w'’-]*")
_SLICES = 20


class CorpusWords:
    """Statistics of the documents that rules ask for."""

    def __init__(self, documents: Sequence[SourceDoc]) -> None:
        self.documents = documents
        self.sentences: dict[int, list[Sentence]] = {doc.id: split_document(doc) for doc in documents}

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
        if lower in STOP:
            return False
        if small[lower] or capital[lower]:
            return capital[lower] > 2 * small[lower]
        return not content_known(lower)

    @cached_property
    def _spread(self) -> dict[str, int]:
        """In how many of twenty equal slices of its document a noun phrase `the x` occurs, best document."""
        best: Counter[str] = Counter()
        for sentences in self.sentences.values():
            slices: dict[str, set[int]] = defaultdict(set)
            for position, sentence in enumerate(sentences):
                here = position * _SLICES // max(1, len(sentences))
                for match in re.finditer(r"\bthe ((?:[\w-]+ ){0,2}[\w-]+)", sentence.text.lower()):
                    parts = match.group(1).split()
                    for size in range(1, len(parts) + 1):
                        slices[" ".join(parts[:size])].add(here)
            for phrase, where in slices.items():
                best[phrase] = max(best[phrase], len(where))
        return dict(best)

    def runs_through(self, phrase: str) -> bool:
        """Return whether `the phrase` is a fixed term of a document: it is used in most parts of it."""
        return self._spread.get(phrase.lower(), 0) >= 0.6 * _SLICES

    @cached_property
    def _postings(self) -> dict[str, set[int]]:
        found: dict[str, set[int]] = defaultdict(set)
        for number, sentence in enumerate(self._all_sentences()):
            for stem in content_stems(sentence.text):
                found[stem].add(number)
        return found

    def sentences_with(self, stems: Iterable[str]) -> int:
        """Return how many sentences hold all the stems."""
        sets = sorted((self._postings.get(stem, set()) for stem in set(stems)), key=len)
        if not sets:
            return 0
        return len(set.intersection(*sets))

    def _all_sentences(self) -> list[Sentence]:
        return [sentence for doc in self.documents for sentence in self.sentences[doc.id]]


def content_known(word: str) -> bool:
    """Return whether the dictionary knows a word as anything at all."""
    from evaluation.questions.words import parts_of_speech

    return bool(parts_of_speech(word))
