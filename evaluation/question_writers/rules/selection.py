"""Which questions of the corpus are asked: region by region, the best first, kinds and answers varied."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from evaluation.question_writers.rules.corpus import CorpusStatistics
from evaluation.question_writers.rules.document_sentences import DocumentSentence
from evaluation.question_writers.rules.phrasing import CandidateQuestion
from evaluation.question_writers.rules.regions import Region, regions
from evaluation.question_writers.rules.simple import RejectedCandidate, SimpleQuestion, ask
from rag_pipeline.embedders.base import Embed
from rag_pipeline.english.lemmas import lower_words

_VARIETY = 0.6
"""How much a kind of question loses in rank by the share of the set that it has already."""

_COMPARED, _COMPARED_FOR_PURPOSE = 12, 30
"""Sentences with good questions that are compared before one is chosen: variety without reading a whole region."""

_MOST, _LEAST_MOST = 1 / 3, 3
"""The share of a set that one kind of question has at most, as long as there are others."""

_WHAT_IS = re.compile(r"(?:What|Who) (?:is|are|was|were) (?!stated\b)")

_Asked = dict[tuple[int, int], tuple[list[SimpleQuestion], list[RejectedCandidate]]]
"""The questions of sentences, by document and first character: each sentence is asked about once."""


@dataclass(frozen=True, slots=True)
class _Stage:
    """A pass over the regions: with questions of looser forms or without, with a limit for each kind or without.

    `loosest`: what is stated about something is asked too.
    """

    loose: bool
    limited: bool
    loosest: bool = False


_STAGES = (
    _Stage(loose=False, limited=True),
    _Stage(loose=True, limited=True),
    _Stage(loose=True, limited=False),
    _Stage(loose=True, limited=False, loosest=True),
)
"""The best forms come first, then varied ones, then all others."""

_REPEATABLE = frozenset({"when", "how_many", "share", "measure", "term"})
"""Kinds of which two may have the same answer."""


_SPEECHES = 5
"""Speeches that one speaker is asked for at most."""


@dataclass(frozen=True, slots=True)
class Selected:
    """A chosen question, what was thrown away on the way to it, and how near it is to the purpose (0 without one).

    `question` is None at the very end, where things were thrown away and nothing more was found.
    """

    question: SimpleQuestion | None
    rejected: tuple[RejectedCandidate, ...]
    nearness: float = 0.0


class Purpose:
    """How near questions are to what the bot is for, by their embeddings."""

    def __init__(self, text: str, embed: Embed) -> None:
        self.text = text
        self._embed = embed
        self._known: dict[str, float] = {}

    def nearness(self, texts: Sequence[str]) -> list[float]:
        """Return a cosine for each text; zeros without a purpose."""
        if not self.text:
            return [0.0] * len(texts)
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            vectors = self._embed([self.text, *new])
            self._known.update(zip(new, (vectors[1:] @ vectors[0]).tolist(), strict=True))
        return [self._known[text] for text in texts]


@dataclass
class _UsedQuestions:
    """What earlier questions used. `most`: how many of a kind are asked while there are others."""

    most: float
    kinds: Counter[str] = field(default_factory=Counter)
    sentences: set[str] = field(default_factory=set)
    answers: Counter[str] = field(default_factory=Counter)
    texts: set[str] = field(default_factory=set)

    def take(self, question: SimpleQuestion) -> None:
        """Remember a question."""
        self.kinds[question.candidate.kind] += 1
        self.sentences.add(question.sentence.text)
        self.texts.add(question.candidate.text)
        if question.candidate.kind not in _REPEATABLE:
            self.answers[_plain(question.candidate.answer)] += 1

    def exclude(self, question: SimpleQuestion) -> None:
        """Remember that a question is not asked."""
        self.texts.add(question.candidate.text)

    def is_kind_full(self, question: SimpleQuestion) -> bool:
        """Return whether the set has enough questions of its kind."""
        return self.kinds[question.candidate.kind] >= self.most

    def is_free(self, question: SimpleQuestion) -> bool:
        """Return whether neither the question, its answer nor its sentence was taken."""
        taken = question.sentence.text in self.sentences or question.candidate.text in self.texts
        often = _SPEECHES if question.candidate.kind == "said" else 1
        return not taken and self.answers[_plain(question.candidate.answer)] < often


def _no_objection(_question: SimpleQuestion) -> str:
    """Accept every question."""
    return ""


def select(
    corpus: CorpusStatistics,
    count: int,
    seed: int,
    purpose: Purpose,
    objection: Callable[[SimpleQuestion], str] = _no_objection,
) -> Iterator[Selected]:
    """Yield questions region by region, round after round, never two from one sentence, until none is left.

    A chosen question to which `objection` returns a reason is replaced by the next best of its region.
    """
    rng = random.Random(f"regions:{seed}")
    parts = regions(corpus.documents, corpus.sentences, count, rng)
    asked: _Asked = {}
    used = _UsedQuestions(most=max(_LEAST_MOST, count * _MOST))
    rejected: list[RejectedCandidate] = []
    for stage in _STAGES:
        searches = [_Search(region, corpus, purpose, stage, asked) for region in parts]
        while searches:
            for search in list(searches):
                chosen = search.next(used, rejected)
                while chosen is not None and (reason := objection(chosen[0])):
                    used.exclude(chosen[0])
                    rejected.append((chosen[0].candidate, reason))
                    chosen = search.next(used, rejected)
                if chosen is None:
                    searches.remove(search)
                    continue
                used.take(chosen[0])
                yield Selected(chosen[0], tuple(rejected), chosen[1])
                rejected = []
    if rejected:
        yield Selected(None, tuple(rejected))


class _Search:
    """Looks through a region's sentences for its next question."""

    def __init__(
        self, region: Region, corpus: CorpusStatistics, purpose: Purpose, stage: _Stage, asked: _Asked
    ) -> None:
        self._stage = stage
        self._asked = asked
        self._sentences = iter(region.sentences)
        self._corpus = corpus
        self._purpose = purpose
        self._compared = _COMPARED_FOR_PURPOSE if purpose.text else _COMPARED
        self._found: list[list[SimpleQuestion]] = []

    def next(self, used: _UsedQuestions, rejected: list[RejectedCandidate]) -> tuple[SimpleQuestion, float] | None:
        """Return the best remaining question with its nearness, or None when the region holds no more.

        What is thrown away on the way is added to `rejected`.
        """
        self._found = self._free(used)
        for sentence in self._sentences:
            good, bad = self._ask(sentence)
            rejected += bad
            good = [question for question in good if self._suits(question.candidate)]
            if good and sentence.text not in used.sentences:
                self._found.append(good)
            if len(self._found) >= self._compared:
                break
        self._found = self._free(used)
        questions = [question for group in self._found for question in group]
        if not questions:
            return None
        nearness = self._purpose.nearness([question.candidate.text for question in questions])
        total = 1 + sum(used.kinds.values())
        ranks = [
            question.candidate.quality - _VARIETY * used.kinds[question.candidate.kind] / total + near
            for question, near in zip(questions, nearness, strict=True)
        ]
        best = max(range(len(questions)), key=ranks.__getitem__)
        return questions[best], nearness[best]

    def _suits(self, candidate: CandidateQuestion) -> bool:
        """Return whether a question is of the forms that this pass asks for."""
        if candidate.kind == "stated_of" and not _WHAT_IS.match(candidate.text):
            return self._stage.loosest
        return self._stage.loose or not candidate.penalty

    def _ask(self, sentence: DocumentSentence) -> tuple[list[SimpleQuestion], list[RejectedCandidate]]:
        """Return the questions of a sentence; what was thrown away is returned the first time only."""
        key = (sentence.span.document_id, sentence.span.start)
        if key in self._asked:
            return self._asked[key][0], []
        self._asked[key] = ask(sentence, self._corpus)
        return self._asked[key]

    def _free(self, used: _UsedQuestions) -> list[list[SimpleQuestion]]:
        groups = [
            [one for one in group if used.is_free(one) and not (self._stage.limited and used.is_kind_full(one))]
            for group in self._found
        ]
        return [group for group in groups if group]


def _plain(text: str) -> str:
    return " ".join(lower_words(text))
