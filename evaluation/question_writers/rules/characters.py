"""The characters of stories: those who speak, each by the fullest name."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator

from evaluation.question_writers.rules.corpus import CorpusStatistics
from evaluation.question_writers.rules.names import Name
from rag_pipeline.english.function_words import FIRST_SECOND, PERSONAL, STOP
from rag_pipeline.english.numbers import NUMBER_WORDS
from rag_pipeline.english.words import word_set

_SAYS = r"(?:said|asked|replied|answered|cried|whispered|added|remarked|exclaimed|shouted|continued|began|repeated)"
_CALLED = r"[A-Z][a-z]+(?: [A-Z][a-z]+){0,2}(?: of [A-Z][a-z]+)?"
_NAME = re.compile(rf"(?:\b(the )|(?<=[a-z,;)] ))({_CALLED})\b(?!['’](?!s\b)\w)")
_SPEAKS = re.compile(rf"\b{_SAYS} (?:the )?({_CALLED})\b|(?<![.!?] )\b(?:the )?({_CALLED}) {_SAYS}\b")
_NOBODY = (
    STOP
    | PERSONAL
    | FIRST_SECOND
    | NUMBER_WORDS
    | word_set("everybody nobody somebody anybody everyone someone anyone none others yet")
)
_LEAST = 4


def characters(corpus: CorpusStatistics) -> list[Name]:
    """Return the speakers in the stories of a corpus that are named often enough, most frequent first."""
    counts: Counter[str] = Counter()
    articled: Counter[str] = Counter()
    speak: set[str] = set()
    for number in corpus.stories:
        for sentence in corpus.sentences[number]:
            for article, name in _NAME.findall(sentence.text):
                counts[name] += 1
                articled[name] += bool(article)
            speak |= {before or after for before, after in _SPEAKS.findall(sentence.text)}
    found = []
    for called, core in _people([name for name in counts if counts[name] >= _LEAST], speak):
        count = sum(counts[name] for name in called)
        article = "the " if 2 * sum(articled[name] for name in called) > count else ""
        found.append(Name(f"{article}{called[0]}", "character", count, core))
    return sorted(found, key=lambda one: (-one.count, one.text))


def _people(names: list[str], speak: set[str]) -> Iterator[tuple[list[str], str]]:
    """Yield the names of each speaker, the fullest first, and the word that identifies it.

    A short name (`the Rabbit`) identifies a speaker unless several share it.
    """
    by_head: dict[str, list[str]] = defaultdict(list)
    for name in names:
        words = name.replace(" of ", " ").split()
        if not any(word.lower() in _NOBODY for word in words):
            by_head[name.split(" of ")[0].split()[-1]].append(name)
    for head, shared in by_head.items():
        if speak & set(shared):
            full = sorted(name for name in shared if " " in name)
            if len(full) > 1:
                yield from (([name], name) for name in full)
            else:
                yield full + [name for name in shared if " " not in name], head
