"""Questions that the corpus cannot answer: on another subject (far), or on its own names (near)."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from evaluation.questions.absence import WindowIndex
from evaluation.questions.corpus import CorpusWords
from evaluation.questions.entities import looks_like_person
from evaluation.questions.names import Name, names

_FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class OutOfScope:
    """A question without an answer. `entity` and `attribute` say what was checked for a near one."""

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

    def __init__(self, corpus: CorpusWords, seed: int) -> None:
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
        candidates = sorted(names(self._corpus), key=lambda name: _RANK.get(name.kind, 0))[:150]
        rng.shuffle(candidates)
        candidates.sort(key=lambda name: _RANK.get(name.kind, 0))
        asked: set[str] = set()
        used: dict[str, int] = {}
        known = [name for name in candidates if name.kind not in _RANK]
        for turn in (known, known, known, candidates, candidates, candidates):
            for name in turn:
                made = self._about(name, rng, asked, used)
                if made is not None:
                    asked.add(made.text)
                    yield made

    def _about(self, name: Name, rng: random.Random, asked: set[str], used: dict[str, int]) -> OutOfScope | None:
        rows = [row for row in _rows("near_attributes.txt") if row[0] == name.kind]
        if name.text.removeprefix("the ").split()[0].lower() in _CLERGY:
            rows = [row for row in rows if "religion" not in row[1]]
        rng.shuffle(rows)
        rows.sort(key=lambda row: used.get(row[1], 0))
        for _, template, keys in rows:
            text = _write(template, name.text)
            if text not in asked and self._silent(name, keys.split()):
                used[template] = used.get(template, 0) + 1
                return OutOfScope(text, "near", name.text, tuple(keys.split()))
        return None

    def _silent(self, name: Name, keys: list[str]) -> bool:
        """Return whether the corpus says nothing of it; a much used name must not have the words anywhere."""
        entity = re.sub(r"^(?:the|an?) ", "", name.text)
        if looks_like_person(entity.split()):
            entity = entity.split()[-1]
        if name.count > 20 and any(self._index.count(key) for key in keys):
            return False
        return self._index.absent(entity, keys)


_RANK = {"concept": 1, "concepts": 1, "any": 2}
"""Names that say what they are come before terms, and terms before names of unknown kind."""


_CLERGY = frozenset({"pope", "bishop", "archbishop", "cardinal", "father", "saint", "rev.", "rabbi", "imam"})
"""Whose religion everybody knows."""


def _write(template: str, name: str) -> str:
    template = template.replace("“{x}”", f"“{re.sub(r'^(?:the|an?) ', '', name)}”")
    if "{x}'s" in template and name.endswith("s"):
        return template.replace("{x}'s", f"{name}'")
    return template.replace("{x}", name)
