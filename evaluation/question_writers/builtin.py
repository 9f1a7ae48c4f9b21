"""Writes a test set by rules: no model, no network, the same questions for the same seed."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from evaluation.question_writers.base import HOLDOUT, QuestionWriter, Rejected, Written, question_writers
from evaluation.questions.corpus import CorpusWords
from evaluation.questions.out_of_scope import OutOfScope, OutOfScopeQuestions
from evaluation.questions.regions import Region, regions
from evaluation.questions.simple import SimpleQuestion, ask
from evaluation.questions.slips import KINDS, choose_and_apply
from evaluation.questions.twins import TRANSFORMATIONS, make_twin, protected_words
from evaluation.types import DraftEvidence, DraftQuestion
from rag_pipeline.types import Span

_VARIETY = 0.6
"""How much a kind of question loses in rank as it is used more often than others."""


@question_writers.register
class BuiltinWriter(QuestionWriter):
    """Rules over well-formed sentences. Makes fewer questions rather than poor ones."""

    key = "builtin"
    label = "Built-in rules"
    help = "No key and no network. Questions stay close to single sentences of the documents."

    def write_pairs(self, done: Sequence[DraftQuestion] = ()) -> Iterator[Written]:
        """Yield one pair a region, then further ones from regions that hold more, until there are enough."""
        stored = {question.pair_id for question in done}
        for number, (question, rejected) in enumerate(self._simple_questions(), start=1):
            pair_id = f"p{number:03d}"
            if pair_id not in stored:
                yield Written(self._pair(pair_id, number, question), rejected)
            if number >= self.spec.pairs:
                return

    def write_out_of_scope(self, done: Sequence[DraftQuestion] = ()) -> Iterator[Written]:
        """Yield near and far questions in turn; where one kind runs out, the other does not stand in for it."""
        stored = {question.question_id for question in done}
        maker = OutOfScopeQuestions(self._corpus, self.spec.seed)
        near = self.spec.out_of_scope // 2
        number = 0
        for source, wanted in ((maker.far(), self.spec.out_of_scope - near), (maker.near(), near)):
            for _, question in zip(range(wanted), source, strict=False):
                number += 1
                if f"o{number:03d}" not in stored:
                    yield Written((self._out_of_scope(f"o{number:03d}", question),))

    @cached_property
    def _corpus(self) -> CorpusWords:
        return CorpusWords(self.documents)

    def _simple_questions(self) -> Iterator[tuple[SimpleQuestion, tuple[Rejected, ...]]]:
        """Yield questions region by region, round after round, never two from one sentence."""
        rng = random.Random(f"regions:{self.spec.seed}")
        open_regions = [
            _Search(region, self._corpus)
            for region in regions(self.documents, self._corpus.sentences, self.spec.pairs, rng)
        ]
        used: Counter[str] = Counter()
        texts: set[str] = set()
        while open_regions:
            for search in list(open_regions):
                question, rejected = search.next(used, texts)
                if question is None:
                    open_regions.remove(search)
                    continue
                used[question.asked.kind] += 1
                texts.add(question.sentence.text)
                yield question, rejected

    def _pair(self, pair_id: str, number: int, question: SimpleQuestion) -> tuple[DraftQuestion, DraftQuestion]:
        asked, sentence = question.asked, question.sentence
        rng = random.Random(f"{self.spec.seed}:{pair_id}")
        split = "holdout" if rng.random() < HOLDOUT else "tune"
        transformation = TRANSFORMATIONS[(number - 1) % len(TRANSFORMATIONS)]
        wording = make_twin(asked, transformation, rng, self.spec.purpose)
        text, error = choose_and_apply(wording, protected_words(asked), rng, KINDS[(number - 1) % len(KINDS)])
        references = tuple(dict.fromkeys((asked.answer, sentence.text)))
        evidence = (DraftEvidence(sentence.span, self._text_at(sentence.span)),)
        metadata = {"question_type": asked.kind, "writer": self.key}
        simple = DraftQuestion(
            f"{pair_id}-simple", pair_id, "simple", asked.text, references, evidence, split=split, metadata=metadata
        )
        twin = DraftQuestion(
            f"{pair_id}-complex", pair_id, "complex", text, references, evidence,
            transformation=transformation, error=error, split=split, metadata=metadata,
        )  # fmt: skip
        return simple, twin

    def _out_of_scope(self, number: str, question: OutOfScope) -> DraftQuestion:
        rng = random.Random(f"{self.spec.seed}:{number}")
        metadata: dict[str, object] = {"writer": self.key}
        if question.entity:
            metadata |= {"entity": question.entity, "attribute": list(question.attribute)}
        return DraftQuestion(
            number, number, "out_of_scope", question.text, transformation=question.kind,
            split="holdout" if rng.random() < HOLDOUT else "tune", metadata=metadata,
        )  # fmt: skip

    def _text_at(self, span: Span) -> str:
        text = next(doc.text for doc in self.documents if doc.id == span.document_id)
        return text[span.start : span.end]


@dataclass
class _Search:
    """Looks through a region's sentences for its next question."""

    region: Region
    corpus: CorpusWords
    at: int = 0
    look: int = 12
    """Good sentences to compare before one is chosen: variety without reading the whole region."""

    def __post_init__(self) -> None:
        self._found: list[list[SimpleQuestion]] = []

    def next(self, used: Counter[str], taken: set[str]) -> tuple[SimpleQuestion | None, tuple[Rejected, ...]]:
        """Return the best remaining question, with what was thrown away on the way to it."""
        rejected: list[Rejected] = []
        while self.at < len(self.region.sentences) and len(self._found) < self.look:
            good, bad = ask(self.region.sentences[self.at], self.corpus)
            self.at += 1
            rejected += [Rejected(asked.text, reason) for asked, reason in bad]
            if good:
                self._found.append(good)
        self._found = [group for group in self._found if group[0].sentence.text not in taken]
        if not self._found:
            return None, tuple(rejected)
        total = 1 + sum(used.values())
        best = max(
            (question for group in self._found for question in group),
            key=lambda question: question.asked.worth - _VARIETY * used[question.asked.kind] / total,
        )
        self._found = [group for group in self._found if group[0].sentence is not best.sentence]
        return best, tuple(rejected)
