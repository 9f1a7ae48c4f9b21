"""Writes a test set by rules: no model, no network, the same questions for the same seed."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from itertools import islice

from evaluation.generator_spec import GeneratorSpec
from evaluation.question_writers.base import QuestionCompleter, question_writers
from evaluation.question_writers.evidence_search import EvidenceSearch
from evaluation.question_writers.rules.candidates import Candidate
from evaluation.question_writers.rules.corpus import CorpusText
from evaluation.question_writers.rules.declining import ANSWERED, Declining
from evaluation.question_writers.rules.evidence import evidence_of
from evaluation.question_writers.rules.out_of_scope import OutOfScope, OutOfScopeQuestions
from evaluation.question_writers.rules.parsing import in_sentence
from evaluation.question_writers.rules.purpose import situation
from evaluation.question_writers.rules.question_likelihood import SMALL_MODEL, small_model
from evaluation.question_writers.rules.selection import Purpose, Selected, Selection
from evaluation.question_writers.rules.slips import apply_slip
from evaluation.question_writers.rules.twins import keywords, protected_words, rephrase, situate
from evaluation.types import HOLDOUT, QUALITIES, QUALITY, RULES_SLIPS, DraftEvidence, DraftQuestion, Rejected, Written
from rag_pipeline.embedders.base import Embed
from rag_pipeline.english.trees import parse
from rag_pipeline.llm.tally import UsageTally
from rag_pipeline.types import SourceDoc, Span

ASKED = "another question asks about it already"


@question_writers.register
class BuiltinWriter(QuestionCompleter):
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
        asked: Sequence[DraftQuestion] = (),
        declining: bool = True,
    ) -> None:
        super().__init__(documents, spec, embed, usage, asked=asked)
        self._checks_declining = declining

    def write_pairs(self, done: Sequence[DraftQuestion] = ()) -> Iterator[Written]:
        """Yield one pair a region, then further ones from regions that hold more, until there are enough."""
        taken = {question.pair_id for question in done}
        numbers = deque(number for number in range(1, self.spec.pairs + 1) if _pair_id(number) not in taken)
        # Identified by evidence, not by number: documents may have been deleted since, rules may have changed.
        stored = {(each.span, question.references[:1]) for question in done for each in question.evidence[:1]}
        purpose = Purpose(self.spec.purpose, self.embed)
        chosen = Selection(self._corpus, self.spec.pairs, self.spec.seed, purpose, self._objection)
        for selected in chosen if numbers else ():
            candidate = selected.candidate
            if candidate is None or (evidence_of(candidate, self._corpus)[0], (candidate.answer,)) not in stored:
                rejected = tuple(Rejected(text, reason) for text, reason in selected.rejected)
                made = self._pair(numbers.popleft(), candidate, selected) if candidate else ()
                yield Written(made, rejected)
            if not numbers:
                return

    def write_out_of_scope(self, done: Sequence[DraftQuestion] = ()) -> Iterator[Written]:
        """Yield the far questions, then the near ones; none of one kind replaces a missing one of the other."""
        stored = {question.question_id for question in done}
        maker = OutOfScopeQuestions(self._corpus, self.spec.seed)
        near = self.spec.near
        number = 0
        for source, wanted in ((maker.far(), self.spec.out_of_scope - near), (maker.near(), near)):
            for question, rejected in islice(self._without_answered(source), wanted):
                number += question is not None
                if f"o{number:03d}" not in stored:
                    made = (self._out_of_scope(f"o{number:03d}", question),) if question is not None else ()
                    yield Written(made, rejected)

    def find_evidence(self, question: DraftQuestion) -> tuple[DraftEvidence | None, str]:
        """Search by the words of question and references; the built-in reader confirms."""
        return self._evidence.find(question)

    def write_twins(self, questions: Sequence[DraftQuestion]) -> Iterator[DraftQuestion]:
        """Yield other words or key words of each question, with a slip of a person."""
        trees = parse(question.text for question in questions)
        for number, (question, tree) in enumerate(zip(questions, trees, strict=True), 1):
            said = in_sentence(list(tree), reworded=True)
            others = (f"{said[:1].upper()}{said[1:]}",)
            candidate = Candidate("brought", question.text, others, question.references[0], "", ())
            yield twin_of(question, candidate, number, self.spec)

    @cached_property
    def _evidence(self) -> EvidenceSearch:
        return EvidenceSearch(self.documents)

    def _without_answered(
        self, source: Iterator[OutOfScope]
    ) -> Iterator[tuple[OutOfScope | None, tuple[Rejected, ...]]]:
        """Yield the questions that the reader declines, each with those before it that the reader would answer.

        Far questions are not checked: the corpus has none of their key words.
        """
        answered: list[Rejected] = []
        for question in source:
            if question.text in self._asked_texts:
                answered.append(Rejected(question.text, ASKED))
            elif self._checks_declining and question.kind == "near" and not self._declining.is_declined(question.text):
                answered.append(Rejected(question.text, ANSWERED))
            else:
                yield question, tuple(answered)
                answered = []
        if answered:
            yield None, tuple(answered)

    def _objection(self, candidate: Candidate) -> str:
        """Return why a question cannot be used, empty where it can."""
        taken = any(span.meets(other) for span in evidence_of(candidate, self._corpus) for other in self._asked_spans)
        return ASKED if taken or candidate.text in self._asked_texts else ""

    @cached_property
    def _asked_spans(self) -> list[Span]:
        return [each.span for question in self.asked for each in question.evidence]

    @cached_property
    def _asked_texts(self) -> set[str]:
        return {question.text for question in self.asked}

    @cached_property
    def _corpus(self) -> CorpusText:
        return CorpusText(self.documents)

    @cached_property
    def _declining(self) -> Declining:
        return Declining(self._corpus, self.embed)

    def _pair(self, number: int, candidate: Candidate, selected: Selected) -> tuple[DraftQuestion, DraftQuestion]:
        pair_id = _pair_id(number)
        metadata: dict[str, object] = {"question_type": candidate.rule, "writer": self.key}
        metadata[QUALITY] = next(name for least, name in QUALITIES if selected.liked >= least)
        if small_model() is not None:
            metadata["ranked_with"] = SMALL_MODEL
        if self.spec.purpose:
            metadata["nearness_to_purpose"] = round(selected.nearness, 2)
        simple = DraftQuestion(
            f"{pair_id}-simple", pair_id, "simple", candidate.text, references=(candidate.answer,),
            evidence=tuple(DraftEvidence(span, self._text_at(span)) for span in evidence_of(candidate, self._corpus)),
            split=self._split(pair_id), metadata=metadata,
        )  # fmt: skip
        return simple, twin_of(simple, candidate, number, self.spec)

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
        return self._corpus.texts[span.document_id][span.start : span.end]


def twin_of(simple: DraftQuestion, candidate: Candidate, number: int, spec: GeneratorSpec) -> DraftQuestion:
    """Return the complex twin of the simple question that a candidate became, the pair of this number."""
    rng = random.Random(f"twin:{spec.seed}:{number}")
    ways = {"rephrase": rephrase(candidate, rng), "keywords": keywords(candidate)}
    ways["situational"] = situate(candidate, situation(spec.purpose)) if spec.purpose else ""
    way = next((each for each in _in_turn(spec.wordings, number) if ways[each]), "")
    # Where no other wording reads well, the twin is the question itself, which then needs a slip to be another one.
    slips = _in_turn(spec.slip_kinds or (() if way else RULES_SLIPS), number)
    text, error = _with_slip(ways.get(way) or candidate.text, protected_words(candidate), rng, slips)
    return DraftQuestion(
        f"{simple.pair_id}-complex", simple.pair_id, "complex", text,
        references=simple.references, evidence=simple.evidence, split=simple.split, metadata=simple.metadata,
        transformation=way or "rephrase", error=error,
    )  # fmt: skip


def _in_turn(names: tuple[str, ...], number: int) -> tuple[str, ...]:
    """Return names beginning with the one whose turn it is at the pair of this number, from 1."""
    turn = (number - 1) % max(1, len(names))
    return names[turn:] + names[:turn]


def _pair_id(number: int) -> str:
    return f"p{number:03d}"


def _with_slip(text: str, protected: Collection[str], rng: random.Random, kinds: Sequence[str]) -> tuple[str, str]:
    """Return a text with the first slip that fits, and its kind; the text alone where none fits."""
    for kind in kinds:
        slipped = apply_slip(text, kind, protected, rng)
        if slipped is not None:
            return slipped, kind
    return text, ""
