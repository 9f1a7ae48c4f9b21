"""Questions that the corpus cannot answer: on another subject (far), or on its own names (near)."""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from evaluation.question_writers.rules.absence import WINDOW, WindowIndex
from evaluation.question_writers.rules.asking import ask, passages
from evaluation.question_writers.rules.asking_absent import ABSENT, GIVEN_AWAY
from evaluation.question_writers.rules.asking_tables import ask_row, is_empty
from evaluation.question_writers.rules.candidates import Candidate
from evaluation.question_writers.rules.corpus import CorpusText
from evaluation.question_writers.rules.near_names import Name, names
from evaluation.question_writers.rules.near_topics import SOFTWARE, SYSTEM, programs, topics

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

    @cached_property
    def _is_software(self) -> bool:
        """Whether the documents are about programs: the people and firms that they name are nobody's subject."""
        words = sum(map(self._index.count, _OF_SOFTWARE))
        return words > sum(map(len, self._corpus.texts.values())) / _PER_WORD

    @cached_property
    def _names(self) -> list[Name]:
        kinds = {kind for row in _rows(_OF_TOPICS) for kind in row[0].split()}
        manuals = dict.fromkeys(known.topic.text for known in self._corpus.known.values() if known.topic.text)
        about = [Name(topic, SOFTWARE, self._index.count(topic), is_topic=True) for topic in manuals]
        about += topics(self._corpus, kinds)
        if self._is_software:
            about = [one for one in (*about, *programs(self._corpus)) if one.kind in {SOFTWARE, SYSTEM}]
            return list({one.text.lower(): one for one in about}.values())
        # Who is named a few times stands in a reference or an example: nobody asks these documents about them.
        found = [one for one in names(self._corpus, self._seed) if one.kind not in _CITED or one.count > _NAMED]
        return about + [one for one in found if one.text not in {each.text for each in about}]

    def far(self) -> Iterator[OutOfScope]:
        """Yield questions whose key words the corpus does not use at all."""
        rows = list(_rows("far_questions.txt"))
        random.Random(f"far:{self._seed}").shuffle(rows)
        for text, keys in rows:
            if not any(self._index.count(key) for key in keys.split()):
                yield OutOfScope(text, "far")

    def near(self) -> Iterator[OutOfScope]:
        """Yield, in turn, what tables and passages leave open, and what is not said of names and terms."""
        sources = [
            self._of_rows(),
            self._left_open(),
            self._of(self._names),
        ]
        seen: set[str] = set()
        while sources:
            for source in list(sources):
                question = next(source, None)
                if question is None:
                    sources.remove(source)
                elif question.text not in seen:
                    seen.add(question.text)
                    yield question

    def _of_rows(self) -> Iterator[OutOfScope]:
        """Yield what a table tells of other rows where it has an empty place."""
        for doc in self._corpus.documents:
            rows = [one for one in self._corpus.sentences[doc.id] if one.row is not None][:_READ]
            asked = [each for one in rows for each in ask_row(one)]
            forms = Counter(each.text.replace(each.topic, _ANY) for each in asked)
            there = {each.text for each in asked}
            for label in dict.fromkeys(each.topic for each in asked):
                for form, count in forms.items():
                    text = form.replace(_ANY, label)
                    if count > 1 and text not in there and is_empty(rows, label, text):
                        yield OutOfScope(text, "near")

    def _asked_absent(self) -> Iterator[Candidate]:
        """Yield what the rules for absent things ask about sentences drawn from each document."""
        rng = random.Random(f"open:{self._seed}")
        documents = self._corpus.documents
        documents = documents if len(documents) <= _READ else rng.sample(list(documents), _READ)
        for doc in documents:
            found = passages(self._corpus.sentences[doc.id], doc.text)
            found = rng.sample(found, min(len(found), _READ // len(documents)))
            known, same = self._corpus.known[doc.id], self._corpus.same_things[doc.id]
            asked = [candidate for candidate, reason in ask(found, known, same, ABSENT) if not reason]
            rng.shuffle(asked)
            yield from asked

    def _left_open(self) -> Iterator[OutOfScope]:
        """Yield what passages do not say of what they tell, where the corpus says it nowhere, every kind in turn."""
        for candidate in self._asked_absent():
            texts = self._corpus.texts
            around = [
                texts[one.span.document_id][max(0, one.span.start - WINDOW) : one.span.end + WINDOW]
                for one in candidate.sentences
            ]
            hint = GIVEN_AWAY.get(candidate.rule)
            evidence = [one.text for one in candidate.sentences]
            hinted = hint is not None and hint.search(" ".join(around))
            if not hinted and not self._corpus.index.elsewhere(candidate.text, evidence):
                yield OutOfScope(candidate.text, "near")

    def _of(self, found: Sequence[Name]) -> Iterator[OutOfScope]:
        """Yield what the corpus does not say of names, each once before any comes again, attributes varied."""
        rng = random.Random(f"near:{self._seed}")
        asked: set[str] = set()
        used: Counter[str] = Counter()
        for turn in range(_OF_ONE_TOPIC):
            for name in found:
                turns = _OF_ONE_TOPIC if name.is_topic else _OF_ONE_NAME
                most = _MOST_ALIKE if turn + 1 < turns else sys.maxsize
                rows = self._rows_about(name, rng, used) if turn < turns else []
                for _, template, keys in rows:
                    text = _write(template, name.text)
                    if text not in asked and used[template] < most and self._is_absent(name, keys.split()):
                        asked.add(text)
                        used[template] += 1
                        yield OutOfScope(text, "near", name.text, tuple(keys.split()))
                        break

    @staticmethod
    def _rows_about(name: Name, rng: random.Random, used: Counter[str]) -> list[tuple[str, ...]]:
        """Return what can be asked of such a name, what was asked least of others first."""
        rows = [row for row in _rows(_OF_TOPICS if name.is_topic else _OF_NAMES) if name.kind in row[0].split()]
        rng.shuffle(rows)
        return sorted(rows, key=lambda row: used[row[1]])

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
_ANY = "\0"
_OF_SOFTWARE = ("command", "server", "software", "click", "install", "directory", "plugin", "api", "menu", "program")
_PER_WORD = 2_000
"""Characters of a text on software for each of its words, at most."""
_FREQUENT = 20
_CITED, _NAMED = frozenset({"person", "organisation"}), 3
_OF_NAMES, _OF_TOPICS = "near_attributes.txt", "topic_attributes.txt"
_OF_ONE_NAME, _OF_ONE_TOPIC = 3, 12
"""Questions about one name and about one topic."""
_MOST_ALIKE = 2
"""How many questions may ask for the same, as long as there are others."""


def _write(template: str, name: str) -> str:
    template = template.replace("“{x}”", f"“{re.sub(r'^(?:the|an?) ', '', name)}”")
    if "{x}'s" in template and name.endswith("s") and not name.endswith("ss"):
        return template.replace("{x}'s", f"{name}'")
    return template.replace("{x}", name)
