"""Writes a test set by rules: no model, no network, the same questions for the same seed."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import cached_property

from evaluation.question_writers.base import QuestionWriter, Rejected, Written, question_writers
from evaluation.questions.corpus import CorpusWords
from evaluation.questions.out_of_scope import OutOfScope, OutOfScopeQuestions
from evaluation.questions.premises import premise_for
from evaluation.questions.purpose import stories
from evaluation.questions.selection import Purpose, Selected, select
from evaluation.questions.simple import SimpleQuestion
from evaluation.questions.slips import KINDS, choose_and_apply
from evaluation.questions.twins import TRANSFORMATIONS, make_twin, protected_words
from evaluation.types import DraftEvidence, DraftQuestion
from rag_pipeline.types import Span

HOLDOUT = 0.3
"""Share of the pairs that is kept apart from tuning."""


@question_writers.register
class BuiltinWriter(QuestionWriter):
    """Rules over well-formed sentences. Makes fewer questions rather than poor ones."""

    key = "builtin"
    label = "Built-in rules"
    help = "No key and no network. Questions stay close to single sentences of the documents."

    def write_pairs(self, done: Sequence[DraftQuestion] = ()) -> Iterator[Written]:
        """Yield one pair a region, then further ones from regions that hold more, until there are enough."""
        stored = {question.pair_id for question in done}
        purpose = Purpose(self.spec.purpose, self.embed)
        earlier: list[SimpleQuestion] = []
        for number, selected in enumerate(select(self._corpus, self.spec.pairs, self.spec.seed, purpose), start=1):
            if f"p{number:03d}" not in stored:
                rejected = tuple(Rejected(asked.text, reason) for asked, reason in selected.rejected)
                yield Written(self._pair(number, selected, earlier), rejected)
            earlier.append(selected.question)
            if number >= self.spec.pairs:
                return

    def write_out_of_scope(self, done: Sequence[DraftQuestion] = ()) -> Iterator[Written]:
        """Yield the far questions, then the near ones; where one kind runs out, the other does not stand in for it."""
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

    @cached_property
    def _stories(self) -> list[str]:
        told = list(stories(self.spec.purpose))
        random.Random(f"stories:{self.spec.seed}").shuffle(told)
        return told

    def _pair(
        self, number: int, selected: Selected, earlier: Sequence[SimpleQuestion]
    ) -> tuple[DraftQuestion, DraftQuestion]:
        pair_id = f"p{number:03d}"
        asked, sentence = selected.question.asked, selected.question.sentence
        metadata: dict[str, object] = {"question_type": asked.kind, "writer": self.key}
        if self.spec.purpose:
            metadata["nearness_to_purpose"] = round(selected.nearness, 2)
        simple = DraftQuestion(
            f"{pair_id}-simple", pair_id, "simple", asked.text,
            references=tuple(dict.fromkeys((asked.answer, sentence.text))),
            evidence=(DraftEvidence(sentence.span, self._text_at(sentence.span)),),
            split=self._split(pair_id), metadata=metadata,
        )  # fmt: skip
        return simple, self._twin(number, selected.question, earlier, simple)

    def _twin(
        self, number: int, question: SimpleQuestion, earlier: Sequence[SimpleQuestion], simple: DraftQuestion
    ) -> DraftQuestion:
        rng = random.Random(f"twin:{self.spec.seed}:{number}")
        turn, third = divmod(number - 1, len(TRANSFORMATIONS))
        premise = premise_for(question, earlier, self._corpus) if turn % 2 else ""
        story = self._stories[turn % len(self._stories)]
        wording = make_twin(question.asked, TRANSFORMATIONS[third], rng, story=story, premise=premise)
        # One step further each round of kinds, so that every kind of slip meets every transformation.
        kind = KINDS[(number - 1 + (number - 1) // len(KINDS)) % len(KINDS)]
        text, error = choose_and_apply(wording, protected_words(question.asked), rng, kind)
        return DraftQuestion(
            f"{simple.pair_id}-complex", simple.pair_id, "complex", text,
            references=simple.references, evidence=simple.evidence, split=simple.split, metadata=simple.metadata,
            transformation=TRANSFORMATIONS[third], error=error,
        )  # fmt: skip

    def _out_of_scope(self, number: str, question: OutOfScope) -> DraftQuestion:
        metadata: dict[str, object] = {"writer": self.key}
        if question.entity:
            metadata |= {"entity": question.entity, "attribute": list(question.attribute)}
        return DraftQuestion(
            number, number, "out_of_scope", question.text,
            transformation=question.kind, split=self._split(number), metadata=metadata,
        )  # fmt: skip

    def _split(self, pair_id: str) -> str:
        return "holdout" if random.Random(f"split:{self.spec.seed}:{pair_id}").random() < HOLDOUT else "tune"

    def _text_at(self, span: Span) -> str:
        text = next(doc.text for doc in self.documents if doc.id == span.document_id)
        return text[span.start : span.end]
