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

from evaluation.question_writers.rules.absence import WindowIndex
from evaluation.question_writers.rules.corpus import CorpusStatistics
from evaluation.question_writers.rules.entities import looks_like_person
from evaluation.question_writers.rules.names import Name
from evaluation.question_writers.rules.near_topics import NearNames

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

    def __init__(self, corpus: CorpusStatistics, seed: int) -> None:
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
        """Yield questions about names of the corpus, each name once before any comes again, attributes varied."""
        rng = random.Random(f"near:{self._seed}")
        names = NearNames(self._corpus, self._seed, rng)
        asked: set[str] = set()
        used: Counter[str] = Counter()
        varied = [names.plain] * 3 + [names.known] * 3 + [names.all] * 4
        for turn, most in [*((turn, _MOST_ALIKE) for turn in varied), *[(names.all, sys.maxsize)] * 4]:
            for name in turn:
                rows = _rows_for(name)
                rng.shuffle(rows)
                rows.sort(key=lambda row: used[row[1]])
                for _, template, keys in rows:
                    text = _write(template, name.text)
                    if text not in asked and used[template] < most and self._is_absent(name, keys.split()):
                        asked.add(text)
                        used[template] += 1
                        yield OutOfScope(text, "near", name.core or name.text, tuple(keys.split()))
                        break

    def _is_absent(self, name: Name, keys: list[str]) -> bool:
        """Return whether the corpus lacks the attribute near the name; for a frequent name, anywhere."""
        entity = name.core or re.sub(r"^(?:the|an?) ", "", name.text)
        if not name.core and looks_like_person(entity.split()):
            entity = entity.split()[-1]
        if name.count > 20 and any(self._index.count(key) for key in keys):
            return False
        return self._index.absent(entity, keys)


_MOST_ALIKE = 3
"""How many questions may ask for the same, as long as there are others."""
_CLERGY = frozenset({"pope", "bishop", "archbishop", "cardinal", "father", "saint", "rev.", "rabbi", "imam"})
"""Whose religion everybody knows."""


def _rows_for(name: Name) -> list[tuple[str, ...]]:
    kinds = set(name.kind.split())
    rows = [row for row in _rows("near_attributes.txt") if kinds & set(row[0].split())]
    if name.text.removeprefix("the ").split()[0].lower() in _CLERGY:
        rows = [row for row in rows if "religion" not in row[1]]
    return rows


def _write(template: str, name: str) -> str:
    template = template.replace("“{x}”", f"“{re.sub(r'^(?:the|an?) ', '', name)}”")
    if "{x}'s" in template and name.endswith("s") and not name.endswith("ss"):
        return template.replace("{x}'s", f"{name}'")
    return template.replace("{x}", name)
