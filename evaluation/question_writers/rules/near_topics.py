"""What near questions ask about: names of the corpus, those of a clear kind before terms and unclear ones."""

from __future__ import annotations

import random

from evaluation.question_writers.rules.characters import characters
from evaluation.question_writers.rules.corpus import CorpusStatistics
from evaluation.question_writers.rules.names import Name, names, people_named_once
from evaluation.question_writers.rules.technical_names import TechnicalNames

_MOST = 150
_RANK = {"concept": 1, "concepts": 1, "idea": 2, "somebody": 2, "any": 3}


class NearNames:
    """The names of a corpus in an order drawn from the seed: all, those of a clear kind, those of any known kind."""

    def __init__(self, corpus: CorpusStatistics, seed: int, rng: random.Random) -> None:
        named = sorted(names(corpus), key=_rank)[:_MOST]
        rng.shuffle(named)
        speakers = characters(corpus)
        technical = TechnicalNames.of(corpus)
        further = (speakers + technical.names)[:_MOST] + people_named_once(corpus)
        random.Random(f"further:{seed}").shuffle(further)
        if technical.throughout:
            # What is capitalised in such a text is hardly ever a town, and nobody would sing of the rest.
            named, further = [], [name for name in further if name.core]
        acting = {name.core.split()[-1] for name in speakers}
        others = [name for name in named if not (speakers and _lone(name)) and not acting & set(name.text.split())]
        mixed = further + others
        if any(_rank(name) == 0 for name in further):
            random.Random(f"mixed:{seed}").shuffle(mixed)  # else the documents of one kind would all come first
        self.all = sorted(mixed, key=_rank)
        self.plain = [name for name in self.all if _rank(name) == 0]
        self.known = [name for name in self.all if name.kind != "any"]


def _rank(name: Name) -> int:
    return _RANK.get(name.kind, 0)


def _lone(name: Name) -> bool:
    """Return whether somebody is called by a single name."""
    return name.kind == "person" and " " not in name.text.removeprefix("the ")
