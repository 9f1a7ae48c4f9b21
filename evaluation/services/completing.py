"""Completing a test set that is there: evidence, a model's check, twins, questions out of scope and the split."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields
from functools import cached_property

from django.db import transaction
from django.db.models import Count, QuerySet

from evaluation.exchange.fields import draw_split
from evaluation.models import Evidence, Question, TestSet
from evaluation.question_writers.base import Completion, QuestionCompleter, check_questions, question_completer
from evaluation.services.files import write_testset_file
from evaluation.services.generation import WRITER_EMBEDDING, count_usage
from evaluation.services.imports import free_name
from evaluation.services.stored_questions import BEFORE, CHECKED, PROBLEM, draft_of, store_check, with_documents
from evaluation.services.testsets import copy_testset, spread_out_of_scope, store_questions
from evaluation.types import DraftEvidence
from rag_pipeline.background import tasks as background
from rag_pipeline.background.handlers import TaskHandler, UnitsDone, handler
from rag_pipeline.english.wording import counted, listed
from rag_pipeline.errors import ConfigError
from rag_pipeline.llm.preflight import check_model
from rag_pipeline.llm.tally import UsageTally
from rag_pipeline.llm.target import BUILTIN_READER
from rag_pipeline.queries.documents import corpus_snapshot
from rag_pipeline.services.indexes import open_embedder
from rag_pipeline.types import Progress, SourceDoc

Kind = Question.Kind
_KEPT_EXAMPLES = 20


def start_completion(*, testset: TestSet, wanted: Completion, name: str = "", inline: bool = False) -> TestSet:
    """Store what completes a test set and queue the work: a new test set `name`, else the set's next version.

    Raises ConfigError where nothing is asked for or lacking, the set is still made, or the name is taken.
    """
    if testset.task is not None and testset.task.active:
        raise ConfigError(f"The test set “{testset}” is still being made. Wait until it is ready.")
    if wanted.check:
        _check_checker(wanted.check)
    if not lacking(testset=testset, wanted=wanted):
        if wanted.check and _without_evidence(testset).exists():
            raise ConfigError(
                "What is left has no evidence to be checked by. Have it looked for, too (Evidence, or --evidence).",
                "check",
            )
        checked = f", and {wanted.check} has checked it" if wanted.check else ""
        raise ConfigError(
            f"“{testset}” has all that was asked for: twins, evidence and questions out of scope{checked}."
        )
    new_name = free_name(testset.corpus, name) if name else ""
    with transaction.atomic():
        copy = copy_testset(testset, name=new_name)
        _draw_split(copy)
        payload: dict[str, object] = {"testset": copy.pk} | asdict(wanted)
        copy.task = background.enqueue("complete", payload, inline=inline)
        copy.report = {key: copy.report[key] for key in ("imported", "made") if key in copy.report}
        copy.save(update_fields=["task", "report"])
    return copy


def lacking(*, testset: TestSet, wanted: Completion) -> dict[str, int]:
    """Return how much of what is wanted a test set lacks, by stage; what it has is left out."""
    rows = list(
        testset.questions.values_list("kind", "pair_id", "reference_answers").annotate(places=Count("evidence"))
    )
    sizes = Counter(pair for _, pair, *_ in rows)
    answerable = [row for row in rows if row[0] != Kind.OUT_OF_SCOPE]
    missing = {
        "evidence": wanted.evidence * sum(not places for *_, places in answerable),
        "check": len(_unchecked(testset, wanted.check)) if wanted.check else 0,
        "twins": wanted.twins * sum(row[0] == Kind.SIMPLE and sizes[row[1]] == 1 and row[2] != [] for row in rows),
        "out_of_scope": max(0, wanted.out_of_scope - (len(rows) - len(answerable))),
    }
    return {stage: number for stage, number in missing.items() if number}


@handler
class CompleteTestSet(TaskHandler):
    """Looks for evidence question by question, has a model check all, then writes twins and questions out of scope."""

    kind = "complete"
    stages = ("evidence", "check", "twins", "out_of_scope")
    labels = {
        "evidence": "Looking for evidence",
        "check": "Checking with the model",
        "twins": "Writing twins",
        "out_of_scope": "Writing out-of-scope questions",
    }

    @cached_property
    def testset(self) -> TestSet:
        """The test set that is being completed."""
        return TestSet.objects.select_related("corpus").get(pk=self.task.payload["testset"])

    @cached_property
    def wanted(self) -> Completion:
        """What was asked for."""
        return Completion(**{each.name: self.task.payload.get(each.name, each.default) for each in fields(Completion)})

    def plan(self, stage: str) -> list[str]:
        """One unit a stage, where something is lacking."""
        return [stage] if stage in lacking(testset=self.testset, wanted=self.wanted) else []

    def work(self, stage: str, keys: Sequence[str]) -> Iterator[UnitsDone | Progress]:
        """Do what the stage is for; what is stored already is passed over."""
        steps = {
            "evidence": self._find_evidence,
            "check": self._check,
            "twins": self._write_twins,
            "out_of_scope": self._write_outside,
        }
        total = lacking(testset=self.testset, wanted=self.wanted).get(stage, 0)
        for done, _ in enumerate(steps[stage](), 1):
            yield Progress(self.labels[stage], min(done, total), total)
        yield UnitsDone(keys)

    def finish(self) -> None:
        """Put the questions in order, say what was added and write output.csv."""
        testset = self.testset
        made = {
            "pairs": testset.questions.filter(kind=Kind.SIMPLE).count(),
            "out_of_scope": testset.questions.filter(kind=Kind.OUT_OF_SCOPE).count(),
        }
        left = lacking(testset=testset, wanted=self.wanted)
        unchecked = left.pop("check", 0)
        ends = {"evidence": "without evidence", "twins": "without twin", "out_of_scope": "out of scope too few"}
        parts = [f"{counted(number, 'question')} {ends[stage]}" for stage, number in left.items()]
        said = [f"{listed(parts, 'and')} remain: nothing in the documents fits."] if parts else []
        if self.wanted.check:
            said.append(self._what_the_check_found())
        if unchecked:
            said.append(f"{unchecked:,} of the pairs and questions could not be asked about: check again.")
        testset.report = testset.report | {"made": made, "message": " ".join(said)}
        testset.save(update_fields=["report"])
        spread_out_of_scope(testset=testset)
        write_testset_file(testset=testset)

    @cached_property
    def _documents(self) -> Sequence[SourceDoc]:
        return corpus_snapshot(corpus=self.testset.corpus, until=self.testset.created).documents

    @cached_property
    def _completer(self) -> QuestionCompleter:
        return question_completer(self._documents, open_embedder(WRITER_EMBEDDING).embed_passages)

    def _find_evidence(self) -> Iterator[None]:
        lacking_it = list(with_documents(_without_evidence(self.testset)))
        for question in {each.pair_id: each for each in reversed(lacking_it)}.values():
            found, reason = self._completer.find_evidence(draft_of(question))
            if found is None:
                self._leave_out(question.text, reason)
            else:
                self._store_evidence(question, found)
            yield

    def _check(self) -> Iterator[None]:
        """Have the model check what it has not checked: mend what it can, reject what cannot be."""
        usage = UsageTally()
        groups = _unchecked(self.testset, self.wanted.check)
        embed = open_embedder(WRITER_EMBEDDING).embed_passages
        drafts = [[draft_of(question) for question in group] for group in groups]
        try:
            for found in check_questions(self._documents, self.wanted.check, embed, usage, drafts):
                store_check(testset=self.testset, found=found, llm=self.wanted.check)
                if found.problem and not found.mended:
                    self._leave_out(found.questions[0].text, found.problem, "check")
                yield
        finally:
            count_usage(self.testset, usage)

    def _what_the_check_found(self) -> str:
        metadata = [
            each
            for each in self.testset.questions.values_list("metadata", flat=True)
            if each.get(CHECKED) == self.wanted.check
        ]
        problems, mended = (sum(name in each for each in metadata) for name in (PROBLEM, BEFORE))
        return (
            f"{self.wanted.check} checked {counted(len(metadata), 'question')}: {mended} mended, "
            f"{problems - mended} rejected."
        )

    def _store_evidence(self, question: Question, found: DraftEvidence) -> None:
        """Store a question's evidence; its twin shares it."""
        pair = self.testset.questions.filter(pair_id=question.pair_id, evidence=None)
        Evidence.objects.bulk_create([Evidence(question=each, **found.span.as_json()) for each in pair])

    def _leave_out(self, text: str, reason: str, stage: str = "evidence") -> None:
        reasons = self.testset.report.setdefault("rejected", {}).setdefault(stage, {})
        reasons[reason] = reasons.get(reason, 0) + 1
        examples = self.testset.report.setdefault("examples", [])
        if len(examples) < _KEPT_EXAMPLES:
            examples.append({"text": text, "reason": reason})
        self.testset.save(update_fields=["report"])

    def _write_twins(self) -> Iterator[None]:
        alone = [draft_of(question) for question in with_documents(_without_twin(self.testset))]
        for twin in self._completer.write_twins(alone):
            store_questions(testset=self.testset, drafts=[twin])
            yield

    def _write_outside(self) -> Iterator[None]:
        stored = [draft_of(question) for question in with_documents(self.testset.questions.all())]
        for written in self._completer.complete_out_of_scope(stored, self.wanted.out_of_scope):
            store_questions(testset=self.testset, drafts=written.questions)
            yield


def _check_checker(llm: str) -> None:
    """Raise ConfigError for what cannot check."""
    if llm == BUILTIN_READER:
        raise ConfigError(
            "The built-in rules cannot check questions. Name a model, such as openai:gpt-4.1-mini.", "check"
        )
    check_model(llm, "check")


def _unchecked(testset: TestSet, llm: str) -> list[list[Question]]:
    """Return what a model has not checked, pair by pair.

    What a person has judged stays as that person left it; a pair without evidence has nothing to be checked by.
    """
    groups: dict[str, list[Question]] = {}
    for question in with_documents(testset.questions.order_by("position", "id")):
        groups.setdefault(question.pair_id, []).append(question)
    return [
        group
        for group in groups.values()
        if all(each.status == Question.Status.NEW and each.metadata.get(CHECKED) != llm for each in group)
        and (not group[0].answerable or all(each.evidence.all() for each in group))
    ]


def _without_evidence(testset: TestSet) -> QuerySet[Question]:
    """Return the simple questions, or complex ones alone in their pair, that have no evidence."""
    return testset.questions.filter(evidence=None).exclude(kind=Kind.OUT_OF_SCOPE).order_by("position", "id")


def _without_twin(testset: TestSet) -> QuerySet[Question]:
    """Return the simple questions with a reference that are alone in their pair."""
    pairs = testset.questions.values("pair_id").annotate(size=Count("pk")).filter(size=1).values("pair_id")
    alone = testset.questions.filter(kind=Kind.SIMPLE, pair_id__in=pairs).exclude(reference_answers=[])
    return alone.order_by("position", "id")


def _draw_split(testset: TestSet) -> None:
    """Hold back pairs where none are."""
    questions = list(testset.questions.all())
    if not any(question.split == "holdout" for question in questions):
        split = draw_split([question.pair_id for question in questions])
        for question in questions:
            question.split = split[question.pair_id]
        Question.objects.bulk_update(questions, ["split"], batch_size=500)
