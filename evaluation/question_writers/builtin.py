"""Writes a test set by rules: no model, no network, the same questions for the same seed."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice

from evaluation.question_writers.base import QuestionWriter, question_writers
from evaluation.question_writers.rules.corpus import CorpusStatistics
from evaluation.question_writers.rules.out_of_scope import OutOfScope, OutOfScopeQuestions
from evaluation.question_writers.rules.premises import premise_for
from evaluation.question_writers.rules.purpose import situations
from evaluation.question_writers.rules.round_trip import ANSWERED, RoundTrip
from evaluation.question_writers.rules.selection import Purpose, select
from evaluation.question_writers.rules.simple import SimpleQuestion
from evaluation.question_writers.rules.slips import KINDS, choose_and_apply
from evaluation.question_writers.rules.twins import TRANSFORMATIONS, make_twin, protected_words
from evaluation.spec import GeneratorSpec
from evaluation.types import HOLDOUT, DraftEvidence, DraftQuestion, Rejected, Written
from rag_pipeline.embedders.base import Embed
from rag_pipeline.llm.tally import UsageTally
from rag_pipeline.types import SourceDoc, Span

_ATTEMPTS = 4
"""Wordings of each transformation that are tried until the reader finds the answer, the pair's own one first."""


@question_writers.register
class BuiltinWriter(QuestionWriter):
    """Rules over well-formed sentences. Makes fewer questions rather than poor ones."""

    key = "builtin"
    label = "Built-in rules"
    help = "No key and no network. Questions stay close to single sentences of the documents."

    def __init__(
        self,
        documents: Sequence[SourceDoc],
        spec: GeneratorSpec,
        embed: Embed,
        usage: UsageTally | None = None,
        *,
        round_trip: bool = True,
    ) -> None:
        super().__init__(documents, spec, embed, usage)
        self._uses_round_trip = round_trip

    def write_pairs(self, done: Sequence[DraftQuestion] = ()) -> Iterator[Written]:
        """Yield one pair a region, then further ones from regions that hold more, until there are enough."""
        taken = {question.pair_id for question in done}
        numbers = deque(number for number in range(1, self.spec.pairs + 1) if _pair_id(number) not in taken)
        # Identified by evidence, not by number: documents may have been deleted since, rules may have changed.
        stored = {each.span for question in done for each in question.evidence}
        purpose = Purpose(self.spec.purpose, self.embed)
        earlier: list[SimpleQuestion] = []
        checks = (self._round_trip.objection,) if self._uses_round_trip else ()
        for selected in select(self._corpus, self.spec.pairs, self.spec.seed, purpose, *checks) if numbers else ():
            question = selected.question
            if question is None or question.sentence.span not in stored:
                rejected = tuple(Rejected(candidate.text, reason) for candidate, reason in selected.rejected)
                made = self._pair(numbers.popleft(), question, selected.nearness, earlier) if question else ()
                yield Written(made, rejected)
            if question is not None:
                earlier.append(question)
            if not numbers:
                return

    def write_out_of_scope(self, done: Sequence[DraftQuestion] = ()) -> Iterator[Written]:
        """Yield the far questions, then the near ones; none of one kind replaces a missing one of the other."""
        stored = {question.question_id for question in done}
        maker = OutOfScopeQuestions(self._corpus, self.spec.seed)
        near = self.spec.out_of_scope // 2
        number = 0
        for source, wanted in ((maker.far(), self.spec.out_of_scope - near), (maker.near(), near)):
            for question, rejected in islice(self._without_answered(source), wanted):
                number += question is not None
                if f"o{number:03d}" not in stored:
                    made = (self._out_of_scope(f"o{number:03d}", question),) if question is not None else ()
                    yield Written(made, rejected)

    def _without_answered(
        self, source: Iterator[OutOfScope]
    ) -> Iterator[tuple[OutOfScope | None, tuple[Rejected, ...]]]:
        """Yield the questions that the reader declines, each with those before it that the reader would answer.

        Far questions are not checked: the corpus has none of their key words.
        """
        answered: list[Rejected] = []
        for question in source:
            if self._uses_round_trip and question.kind == "near" and not self._round_trip.is_declined(question.text):
                answered.append(Rejected(question.text, ANSWERED))
            else:
                yield question, tuple(answered)
                answered = []
        if answered:
            yield None, tuple(answered)

    @cached_property
    def _corpus(self) -> CorpusStatistics:
        return CorpusStatistics(self.documents)

    @cached_property
    def _round_trip(self) -> RoundTrip:
        return RoundTrip(self._corpus, self.embed)

    @cached_property
    def _situations(self) -> list[str]:
        shuffled = list(situations(self.spec.purpose))
        random.Random(f"stories:{self.spec.seed}").shuffle(shuffled)
        return shuffled

    def _pair(
        self, number: int, question: SimpleQuestion, nearness: float, earlier: Sequence[SimpleQuestion]
    ) -> tuple[DraftQuestion, DraftQuestion]:
        pair_id = _pair_id(number)
        candidate, sentence = question.candidate, question.sentence
        metadata: dict[str, object] = {"question_type": candidate.kind, "writer": self.key}
        if self.spec.purpose:
            metadata["nearness_to_purpose"] = round(nearness, 2)
        simple = DraftQuestion(
            f"{pair_id}-simple", pair_id, "simple", candidate.text,
            references=(candidate.answer,),
            evidence=(DraftEvidence(sentence.span, self._text_at(sentence.span)),),
            split=self._split(pair_id), metadata=metadata,
        )  # fmt: skip
        return simple, self._twin(number, question, earlier, simple)

    def _twin(
        self, number: int, question: SimpleQuestion, earlier: Sequence[SimpleQuestion], simple: DraftQuestion
    ) -> DraftQuestion:
        third = (number - 1) % len(TRANSFORMATIONS)
        ways = (*TRANSFORMATIONS[third:], *TRANSFORMATIONS[:third])
        attempts = [(way, attempt) for way in ways for attempt in range(_ATTEMPTS)]
        first = None
        if self._uses_round_trip:
            wordings = (self._wording(number, *one, question, earlier)[0] for one in attempts)
            first = self._round_trip.first_answered(wordings, question)
        # Where the reader answers none, the first stays: each asks for the same by construction.
        way, attempt = attempts[first or 0]
        text, error = self._wording(number, way, attempt, question, earlier)
        return DraftQuestion(
            f"{simple.pair_id}-complex", simple.pair_id, "complex", text,
            references=simple.references, evidence=simple.evidence, split=simple.split, metadata=simple.metadata,
            transformation=way, error=error,
        )  # fmt: skip

    def _wording(
        self, number: int, way: str, attempt: int, question: SimpleQuestion, earlier: Sequence[SimpleQuestion]
    ) -> tuple[str, str]:
        """Return a twin's text and its kind of slip; every other attempt has no premise before it."""
        rng = random.Random(f"twin:{self.spec.seed}:{number}" + (f":{attempt}" if attempt else ""))
        turn = (number - 1) // len(TRANSFORMATIONS)
        premise = premise_for(question, earlier, self._corpus) if (turn + attempt) % 2 else ""
        situation = self._situations[(turn + attempt) % len(self._situations)]
        wording = make_twin(question.candidate, way, rng, situation=situation, premise=premise)
        # One step further each round of kinds, so that every kind of slip meets every transformation.
        kind = KINDS[(number - 1 + (number - 1) // len(KINDS)) % len(KINDS)]
        return choose_and_apply(wording, protected_words(question.candidate), rng, kind)

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


def _pair_id(number: int) -> str:
    return f"p{number:03d}"
