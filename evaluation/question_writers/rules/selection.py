"""Which candidates are asked: region by region, as hard as people's questions are, kinds and answers varied."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from evaluation.question_writers.rules.asking import Passage, ask, is_answered_elsewhere, is_english, passages
from evaluation.question_writers.rules.candidates import Candidate
from evaluation.question_writers.rules.corpus import CorpusText
from evaluation.question_writers.rules.document_sentences import DocumentSentence
from evaluation.question_writers.rules.objections import FOREIGN, WEIGHED
from evaluation.question_writers.rules.ranker import Ranker
from evaluation.question_writers.rules.regions import regions
from evaluation.types import QUALITIES
from rag_pipeline.embedders.base import Embed

ELSEWHERE = "another sentence has all its words"
UNLIKELY = "it reads poorly"
ASKED_ABOUT = "another question of the set asks about its sentence or has its answer"
TOO_MANY_ALIKE = "a third of the set asks for yes or no already"

_HARDNESS = (0.2, 0.6, 1.0, 1.0, 1.3, 1.6, 1.85, 2.2, 2.65, 3.8)
"""How much the evidence of people's questions stands out: every tenth of 1,589 questions on nine documents."""
_LIKED = 3.0
"""How much what a reader would accept and find natural counts, beside hardness and variety."""
_HARDER, _VARIETY, _TWICE = 0.4, 0.8, 0.15
"""What a candidate loses by the distance from the hardness wanted, by its kind's share, by a short answer used."""
_LONG, _USUAL = 0.2, 140
"""What evidence longer than usual gains: people ask about long sentences as often as these have things to say."""
_FIRST = -0.4
"""The least worth of a question, not the first of its document, that is asked before all others, as hard as is wanted
and of a kind that is wanted."""
_GOOD, _FAIR = (least for least, _ in QUALITIES[:2])
"""What the ranker must give a question that is asked at once, and where all good ones are asked."""
_POOR, _FEWEST = 0.1, 20
"""What it must give one that is asked for want of others, until a set has so many pairs: with fewer it finds more
settings equally good."""
_WORST = 0.03
"""What it must give one that is asked for want of any other about its document."""
_MOST_PARSED = 18
"""Sentences of a region that are parsed: however long the documents are, a pair takes so much work at most."""
_READ_AGAIN, _LEAST_READ_AGAIN = 2, 60
"""Questions that the ranker's language model reads for each one wanted, and in all where few are wanted: one takes 0.05
to 0.15 seconds."""
_REPEATABLE = frozenset({"when", "how_many", "yes_no", "is_so"})
"""Kinds of which two may have the same answer."""
_MOST, _LEAST_MOST = 0.3, 3
"""The share of a set that one kind has at most, as long as there are others."""
_ALIKE, _MOST_ALIKE = frozenset({"yes_no", "is_so"}), 1 / 3
"""Kinds of which nearly all answers are the same one, and their share in any set: else who always says yes is right."""


@dataclass(frozen=True, slots=True)
class Selected:
    """A chosen question, what was thrown away on the way to it, and how near it is to the purpose (0 without one).

    `liked`: what the ranker gives it, 0 to 1. `candidate` is None at the very end, where things were thrown away and
    nothing more was found.
    """

    candidate: Candidate | None
    rejected: tuple[tuple[str, str], ...]
    nearness: float = 0.0
    liked: float = 0.0


class Purpose:
    """How near questions are to what the bot is for, by their embeddings."""

    def __init__(self, text: str, embed: Embed) -> None:
        self.text = text
        self.embed = embed
        self._known: dict[str, float] = {}

    def nearness(self, texts: Sequence[str]) -> list[float]:
        """Return a cosine for each text; zeros without a purpose."""
        if not self.text:
            return [0.0] * len(texts)
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            vectors = self.embed([self.text, *new])
            self._known.update(zip(new, (vectors[1:] @ vectors[0]).tolist(), strict=True))
        return [self._known[text] for text in texts]


@dataclass(frozen=True, slots=True)
class _Found:
    """A question that may be chosen: how much its evidence stands out, and what the ranker gives it."""

    candidate: Candidate
    out: float
    liked: float


@dataclass
class _Used:
    """What the set has already."""

    most: float
    kinds: Counter[str] = field(default_factory=Counter)
    sentences: set[str] = field(default_factory=set)
    answers: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    facts: dict[str, list[str]] = field(default_factory=dict)
    documents: set[int] = field(default_factory=set)

    def take(self, candidate: Candidate) -> None:
        """Remember a question."""
        self.kinds[candidate.rule] += 1
        self.sentences.add(candidate.sentence.text)
        self.texts.add(candidate.text)
        self.documents.add(candidate.sentence.span.document_id)
        self.facts.setdefault(candidate.sentence.text, []).append(candidate.answer.lower())
        if candidate.rule not in _REPEATABLE:
            self.answers.add(candidate.answer.lower())

    def allows(self, candidate: Candidate) -> bool:
        """Return whether neither question, answer nor sentence was taken before, nor the kind too often."""
        return not self.why_not(candidate)

    def why_not(self, candidate: Candidate) -> str:
        """Return why the set as it is cannot have a question too; empty where it can."""
        taken = candidate.sentence.text in self.sentences or candidate.text in self.texts
        answer, same = candidate.answer.lower(), self.facts.get(candidate.sentence.text, ())
        if taken or answer in self.answers or any(_is_part(answer, each) or _is_part(each, answer) for each in same):
            return ASKED_ABOUT
        return TOO_MANY_ALIKE if candidate.rule in _ALIKE and self._is_most_alike() else ""

    def _is_most_alike(self) -> bool:
        alike = sum(self.kinds[rule] for rule in _ALIKE)
        return alike >= max(_LEAST_MOST, _MOST_ALIKE * (self.kinds.total() + 1))


def _is_part(answer: str, of: str) -> bool:
    return f" {answer} " in f" {of} "


def _no_objection(_candidate: Candidate) -> str:
    """Accept every question."""
    return ""


class Selection:
    """Chooses the questions of a set, one after another, until none is left that is good enough."""

    def __init__(
        self,
        corpus: CorpusText,
        count: int,
        seed: int,
        purpose: Purpose,
        objection: Callable[[Candidate], str] = _no_objection,
    ) -> None:
        self._corpus = corpus
        self._ranker = Ranker(corpus)
        self._purpose = purpose
        self._objection = objection
        rng = random.Random(f"regions:{seed}")
        parts = regions(corpus.documents, corpus.sentences, count, rng)
        askable = {doc.id: passages(corpus.sentences[doc.id], doc.text) for doc in corpus.documents}
        self._document = [part.document_id for part in parts]
        self._askable = [_in_order(askable[part.document_id], part.sentences)[:_MOST_PARSED] for part in parts]
        self._found: list[list[_Found]] = [[] for _ in parts]
        self._spare: list[list[_Found]] = [[] for _ in parts]
        self._others: list[list[_Found]] = [[] for _ in parts]
        self._hardness = [rng.choice(_HARDNESS) for _ in range(count)]
        self._asked_again = False
        self._count = count
        self._used = _Used(most=max(_LEAST_MOST, count * _MOST))
        self._rejected: list[tuple[str, str]] = []

    def __iter__(self) -> Iterator[Selected]:
        """Yield a question of each region in turn."""
        turn = 0
        self._look()
        while True:
            chosen_any = False
            for number in range(len(self._found)):
                hardness = self._hardness[turn % len(self._hardness)]
                chosen = self._choose(number, hardness)
                if chosen is None and self._take_best_of_poor(number):
                    chosen = self._choose(number, hardness)
                if chosen is not None:
                    chosen_any = True
                    turn += 1
                    found, nearness = chosen
                    yield Selected(found.candidate, tuple(self._rejected), nearness, found.liked)
                    self._rejected = []
            if not chosen_any and not self._ask_again() and not self._relent(turn):
                break
        self._rejected += [(each.candidate.text, UNLIKELY) for row in self._others for each in row]
        self._rejected += [
            (each.candidate.text, self._used.why_not(each.candidate) or UNLIKELY)
            for row in (*self._found, *self._spare)
            for each in row
            if each.candidate.text not in self._used.texts
        ]
        if self._rejected:
            yield Selected(None, tuple(self._rejected))

    def _ask_again(self) -> bool:
        """Let each sentence be asked about once more, for another answer; return whether there is any."""
        if self._asked_again:
            return False
        self._asked_again = True
        self._found, self._spare = self._spare, [[] for _ in self._spare]
        self._used.sentences.clear()
        return any(self._found)

    def _take_best_of_poor(self, number: int) -> bool:
        """Let a document that gave nothing good ask its best question: none is left out. Return whether it has one."""
        own = [each for each, document in enumerate(self._document) if document == self._document[number]]
        if self._document[number] in self._used.documents or any(self._found[n] for n in own):
            return False
        allowed = [(n, each) for n in own for each in self._others[n] if self._used.allows(each.candidate)]
        home, best = max(allowed, key=lambda pair: pair[1].liked, default=(0, None))
        if best is None:
            return False
        self._others[home].remove(best)
        self._found[number].append(best)
        return True

    def _relent(self, made: int) -> bool:
        """Let the best of the others be asked as far as there are too few good ones; return whether there is any."""
        rows = enumerate(self._others)
        allowed = [(each, number) for number, row in rows for each in row if self._used.allows(each.candidate)]
        missing = max(0, self._count - made)
        ranked = sorted(allowed, key=lambda pair: -pair[0].liked)
        fair = [pair for pair in ranked if pair[0].liked >= _FAIR]
        others = ranked[len(fair) :]
        best = [*fair[:missing], *others[: max(0, min(self._count, _FEWEST) - made - len(fair))]]
        for each, number in best:
            self._others[number].remove(each)
            self._found[number].append(each)
        return bool(best)

    def _look(self) -> None:
        """Parse the sentences of all regions, and keep what is asked about them."""
        home = {_place(each.sentence): number for number, row in enumerate(self._askable) for each in row}
        batch = [each for row in self._askable for each in row]
        for each in self._good_enough(self._in_english(batch), home):
            kept = self._found if each.liked >= _GOOD else self._others
            kept[home[_place(each.candidate.sentence)]].append(each)

    def _in_english(self, batch: Sequence[Passage]) -> list[Passage]:
        """Return the passages in the language of the rules; the others are kept as thrown away."""
        found: list[Passage] = []
        for each in batch:
            if is_english(each):
                found.append(each)
            else:
                self._rejected.append((each.sentence.text, FOREIGN))
        return found

    def _good_enough(self, batch: Sequence[Passage], home: Mapping[tuple[int, int], int]) -> list[_Found]:
        """Return what the rules ask about passages and the ranker likes; the rest is kept as thrown away.

        `home`: the region of each sentence by its place.
        """
        fresh: list[Candidate] = []
        for doc in self._corpus.documents:
            own = [each for each in batch if each.sentence.span.document_id == doc.id]
            for candidate, reason in ask(own, self._corpus.known[doc.id], self._corpus.same_things[doc.id]):
                doubt, reason = (reason, "") if reason in WEIGHED and candidate.answer else ("", reason)
                if not reason and is_answered_elsewhere(candidate, self._corpus.index):
                    reason = ELSEWHERE
                if reason:
                    self._rejected.append((candidate.text, reason))
                else:
                    fresh.append(replace(candidate, doubt=doubt))
        regions = [home[_place(each.sentence)] for each in fresh]
        worth = self._ranker.worth(fresh, regions, max(_LEAST_READ_AGAIN, _READ_AGAIN * self._count))
        ranked = list(zip(fresh, worth, strict=True))
        best: dict[int, float] = {}
        for each, liked in ranked:
            document = each.sentence.span.document_id
            best[document] = max(best.get(document, _WORST), liked)
        found: list[_Found] = []
        for each, liked in ranked:
            if liked >= min(_POOR, best[each.sentence.span.document_id]):  # no document is left out
                found.append(_Found(each, self._out(each), liked))
            else:
                self._rejected.append((each.text, each.doubt or UNLIKELY))
        return found

    def _out(self, candidate: Candidate) -> float:
        return self._corpus.index.standing_out(candidate.text, [one.text for one in candidate.sentences])

    def _choose(self, number: int, hardness: float) -> tuple[_Found, float] | None:
        """Return the best candidate of a region to which nobody objects, with its nearness to the purpose."""
        while True:
            free = [each for each in self._found[number] if self._used.allows(each.candidate)]
            self._spare[number] += [each for each in self._found[number] if each not in free]
            self._found[number] = free
            near = self._purpose.nearness([each.candidate.text for each in free])
            ranked = [
                (self._worth(each, hardness) + nearness, nearness, each)
                for each, nearness in zip(free, near, strict=True)
            ]
            if not ranked:
                return None
            worth, nearness, best = max(ranked, key=lambda each: each[0])
            is_first = self._document[number] not in self._used.documents
            if worth - nearness < _FIRST and not self._asked_again and not is_first:
                self._spare[number] += free
                self._found[number] = []
                return None
            reason = self._objection(best.candidate)
            if not reason:
                self._used.take(best.candidate)
                return best, nearness
            self._rejected.append((best.candidate.text, reason))
            self._found[number] = [each for each in free if each is not best]

    def _worth(self, found: _Found, hardness: float) -> float:
        total = 1 + sum(self._used.kinds.values())
        kinds = self._used.kinds[found.candidate.rule]
        far = abs(math.log((found.out + 0.1) / (hardness + 0.1)))
        characters = sum(len(one.span) for one in found.candidate.sentences)
        long = _LONG * min(1.0, math.log(characters / _USUAL))
        return (
            _LIKED * found.liked - _HARDER * far + long
            - _VARIETY * kinds / total - (_TWICE if kinds >= self._used.most else 0.0)
        )  # fmt: skip


def _in_order(found: Sequence[Passage], sentences: Sequence[DocumentSentence]) -> list[Passage]:
    """Return those of a region's sentences that may be asked about, in the region's order."""
    rank = {_place(one): number for number, one in enumerate(sentences)}
    return sorted(
        (each for each in found if _place(each.sentence) in rank), key=lambda each: rank[_place(each.sentence)]
    )


def _place(sentence: DocumentSentence) -> tuple[int, int]:
    return sentence.span.document_id, sentence.span.start
