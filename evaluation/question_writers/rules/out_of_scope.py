"""Questions that the corpus cannot answer: on another subject (far), or on its own names (near)."""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from evaluation.question_writers.rules.absence import WINDOW, WindowIndex
from evaluation.question_writers.rules.asking import ask, passages
from evaluation.question_writers.rules.asking_absent import ABSENT
from evaluation.question_writers.rules.corpus import CorpusText
from evaluation.question_writers.rules.near_names import Name, names

_FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class OutOfScope:
    """A question without an answer. `entity` and `attribute`: what was found to be absent, for a near one."""

    text: str
    kind: str
    entity: str = ""
    attribute: tuple[str, ...] = ()


@lru_cache(maxsize=2)
def _rows(file: str) -> tuple[tuple[str, ...], ...]:
    lines = (_FOLDER / file).read_text(encoding="utf-8").splitlines()
    return tuple(tuple(line.split("\t")) for line in lines if line and not line.startswith("#"))


class OutOfScopeQuestions:
    """Makes them for one corpus, in an order drawn from the seed."""

    def __init__(self, corpus: CorpusText, seed: int) -> None:
        self._corpus = corpus
        self._seed = seed

    @cached_property
    def _index(self) -> WindowIndex:
        return WindowIndex([doc.text for doc in self._corpus.documents])

    def far(self) -> Iterator[OutOfScope]:
        """Yield questions whose key words the corpus does not use at all."""
        rows = list(_rows("far_questions.txt"))
        random.Random(f"far:{self._seed}").shuffle(rows)
        for text, keys in rows:
            if not any(self._index.count(key) for key in keys.split()):
                yield OutOfScope(text, "far")

    def near(self) -> Iterator[OutOfScope]:
        """Yield, in turn, what passages leave open and what the corpus does not say of its names."""
        sources = [self._left_open(), self._of_names()]
        while sources:
            for source in list(sources):
                question = next(source, None)
                if question is None:
                    sources.remove(source)
                else:
                    yield question

    def _left_open(self) -> Iterator[OutOfScope]:
        """Yield when or where something happened of which the corpus says it nowhere."""
        rng = random.Random(f"open:{self._seed}")
        for doc in self._corpus.documents:
            found = passages(self._corpus.sentences[doc.id], doc.text)
            found = rng.sample(found, min(len(found), _READ // len(self._corpus.documents)))
            known, same = self._corpus.known[doc.id], self._corpus.same_things[doc.id]
            asked = [candidate for candidate, reason in ask(found, known, same, ABSENT) if not reason]
            rng.shuffle(asked)
            for candidate in asked:
                around = [slice(max(0, one.span.start - WINDOW), one.span.end + WINDOW) for one in candidate.sentences]
                near = " ".join(doc.text[each] for each in around)
                dated = candidate.rule == "no_date" and re.search(r"\b\d{4}\b|\b\d{1,2}(?:st|nd|rd|th)\b", near)
                evidence = [one.text for one in candidate.sentences]
                if not dated and not self._corpus.index.elsewhere(candidate.original, evidence):
                    yield OutOfScope(candidate.original, "near")

    def _of_names(self) -> Iterator[OutOfScope]:
        """Yield questions about names of the corpus, each name once before any comes again, attributes varied."""
        rng = random.Random(f"near:{self._seed}")
        found = names(self._corpus, self._seed)
        asked: set[str] = set()
        used: Counter[str] = Counter()
        for most in (*[_MOST_ALIKE] * 4, *[sys.maxsize] * 4):
            for name in found:
                rows = [row for row in _rows("near_attributes.txt") if name.kind in row[0].split()]
                rng.shuffle(rows)
                rows.sort(key=lambda row: used[row[1]])
                for _, template, keys in rows:
                    text = _write(template, name.text)
                    if text not in asked and used[template] < most and self._is_absent(name, keys.split()):
                        asked.add(text)
                        used[template] += 1
                        yield OutOfScope(text, "near", name.text, tuple(keys.split()))
                        break

    def _is_absent(self, name: Name, keys: list[str]) -> bool:
        """Return whether the corpus lacks the attribute near the name; for a frequent name, anywhere."""
        entity = re.sub(r"^(?:the|an?) ", "", name.text)
        if name.kind == "person":
            entity = entity.split()[-1]
        if name.count > _FREQUENT and any(self._index.count(key) for key in keys):
            return False
        return self._index.absent(entity, keys)


_READ = 200
"""Sentences that are read for what they leave open."""
_FREQUENT = 20
_MOST_ALIKE = 2
"""How many questions may ask for the same, as long as there are others."""


def _write(template: str, name: str) -> str:
    template = template.replace("“{x}”", f"“{re.sub(r'^(?:the|an?) ', '', name)}”")
    if "{x}'s" in template and name.endswith("s") and not name.endswith("ss"):
        return template.replace("{x}'s", f"{name}'")
    return template.replace("{x}", name)
