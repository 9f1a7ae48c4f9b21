"""Test sets: generating, finding, editing (a used one gets a new version), deleting."""

from __future__ import annotations

import itertools
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.db.models import Max

from evaluation.generator_spec import GeneratorSpec
from evaluation.models import Evidence, Question, TestSet
from evaluation.queries.judge_prompts import changed_writer_prompts
from evaluation.services.files import write_testset_file
from evaluation.types import QUALITY, DraftEvidence, DraftQuestion
from rag_pipeline.background import tasks as background
from rag_pipeline.errors import ConfigError, InUseError, UsageError
from rag_pipeline.llm.preflight import check_model
from rag_pipeline.llm.target import BUILTIN_READER
from rag_pipeline.models import BackgroundTask, Corpus, Document
from rag_pipeline.types import Span

Status = Question.Status


def get_testset(*, corpus: Corpus, name: str) -> TestSet:
    """Return the newest version of a test set, or the one that `NAME v2` names. Raises ConfigError."""
    found = corpus.testsets.filter(name=name).order_by("-version").first()
    numbered = re.fullmatch(r"(.+) v(\d+)", name)
    if found is None and numbered:
        found = corpus.testsets.filter(name=numbered[1], version=int(numbered[2])).first()
    if found is None:
        there = sorted(set(corpus.testsets.values_list("name", flat=True)))
        hint = f"There are: {', '.join(there)}." if there else "It has none yet: generate or import one."
        raise ConfigError(f"The corpus “{corpus.name}” has no test set “{name}”. {hint}", "testset")
    return found


def start_generation(
    *, corpus: Corpus, name: str, spec: GeneratorSpec, inline: bool = False, beside: TestSet | None = None
) -> TestSet:
    """Store an empty test set and queue its writing. Raises ConfigError.

    `beside`: another test set, whose questions and evidence are not used again.
    """
    name = checked_name(name)
    if not corpus.documents.exists():
        raise ConfigError(f"The corpus “{corpus.name}” has no documents. Upload some first.", "corpus")
    check_model(spec.llm)
    if spec.llm != BUILTIN_READER:
        spec = spec.model_copy(update={"prompts": changed_writer_prompts()})
    drop_leftover(corpus=corpus, name=name)
    with transaction.atomic():
        # Not asked beforehand whether the name is free: two may ask at the same moment.
        testset, new = TestSet.objects.get_or_create(
            corpus=corpus, name=name, version=1, defaults={"generator": spec.model_dump(), "parent": beside}
        )
        if not new or corpus.testsets.filter(name=name).count() > 1:
            stopped = " whose writing stopped: go on with it (with the settings it was begun with), or choose"
            mend = stopped if testset.stopped else ". Choose"
            raise ConfigError(f"The corpus “{corpus.name}” already has a test set “{name}”{mend} another name.", "name")
        testset.task = background.enqueue("generate", {"testset": testset.pk}, inline=inline)
        testset.save(update_fields=["task"])
    return testset


def checked_name(name: str) -> str:
    """Return the name of a test set without spaces around it. Raises UsageError for an unusable one."""
    name = name.strip()
    longest = TestSet._meta.get_field("name").max_length or 0
    if not name:
        raise UsageError("Give the test set a name.", "name")
    if len(name) > longest:
        raise UsageError(f"The name of a test set has at most {longest} characters; this one has {len(name)}.", "name")
    return name


def drop_leftover(*, corpus: Corpus, name: str) -> None:
    """Delete a test set of this name that ended before its first question, so that the next try may have its name."""
    ended = (BackgroundTask.State.FAILED, BackgroundTask.State.CANCELLED)
    for left in corpus.testsets.filter(name=name, questions=None, runs=None, task__state__in=ended):
        delete_testset(testset=left)


def stopped_generation(*, corpus: Corpus, name: str, spec: GeneratorSpec) -> TestSet | None:
    """Return the test set of this name whose writing with just these settings ended, or died, before its end."""
    testset = corpus.testsets.filter(name=name.strip(), version=1).first()
    if testset is None or testset.task is None:
        return None
    begun = GeneratorSpec.create(testset.generator).model_copy(update={"prompts": spec.prompts})  # it keeps its own
    if begun != spec:
        return None
    return testset if testset.stopped or background.abandoned(testset.task) else None


def resume_generation(*, testset: TestSet) -> None:
    """Let a writing that was stopped go on with the settings it was begun with; the questions made stay.

    Raises ConfigError when there is nothing to go on with, or the model cannot be asked; InUseError when a run used it.
    """
    task = testset.task
    if task is None or not testset.stopped:
        raise ConfigError(f"“{testset}” has nothing left to write.")
    if testset.used:
        raise InUseError(f"“{testset}” was used by a run, so it stays as it is. Generate another test set.")
    check_model(GeneratorSpec.create(testset.generator).llm)
    background.resume(task)


def store_questions(*, testset: TestSet, drafts: Sequence[DraftQuestion]) -> list[Question]:
    """Append questions with their evidence."""
    with transaction.atomic():
        position = _next_position(testset)
        stored = Question.objects.bulk_create(
            [
                Question(
                    testset=testset,
                    position=position + number,
                    question_id=draft.question_id,
                    pair_id=draft.pair_id,
                    kind=draft.kind,
                    transformation=draft.transformation,
                    error=draft.error,
                    text=draft.text,
                    reference_answers=list(draft.references),
                    split=draft.split,
                    metadata=draft.metadata,
                )
                for number, draft in enumerate(drafts)
            ]
        )
        Evidence.objects.bulk_create(
            [
                Evidence(question=question, **each.span.as_json())
                for question, draft in zip(stored, drafts, strict=True)
                for each in draft.evidence
            ]
        )
    return stored


def spread_out_of_scope(*, testset: TestSet) -> None:
    """Order questions so that out-of-scope ones stand evenly between the pairs.

    The first N pairs of a run then hold both kinds, as knowledge bounding needs.
    """
    pairs: dict[str, list[Question]] = {}
    for question in testset.questions.all():
        pairs.setdefault(question.pair_id, []).append(question)
    outside = [group for group in pairs.values() if group[0].kind == Question.Kind.OUT_OF_SCOPE]
    inside = [group for group in pairs.values() if group[0].kind != Question.Kind.OUT_OF_SCOPE]
    keyed = [((number + 1) / (len(inside) + 1), 0, group) for number, group in enumerate(inside)]
    keyed += [((number + 1) / (len(outside) + 1), 1, group) for number, group in enumerate(outside)]
    ordered = [question for *_, group in sorted(keyed, key=lambda item: item[:2]) for question in group]
    for position, question in enumerate(ordered):
        question.position = position
    Question.objects.bulk_update(ordered, ["position"], batch_size=500)


def editable(*, testset: TestSet) -> TestSet:
    """Return the test set itself, or a new version of it when a run used it. Raises ConfigError while it is made."""
    if testset.task is not None and testset.task.active:
        raise ConfigError(f"The test set “{testset}” is still being generated. Wait until it is ready.")
    if not testset.used:
        return testset
    return copy_testset(testset)


def edit_question(*, question: Question, text: str, reference_answers: Sequence[str]) -> Question:
    """Change a question; the returned one lives in the test set's next version when a run used this one.

    Editing a simple question's references changes its twin's too: they share them. Raises ConfigError.
    """
    text = text.strip()
    references = [reference.strip() for reference in reference_answers if reference.strip()]
    if not text:
        raise ConfigError("A question needs a text.", "text")
    if question.answerable and not references:
        raise ConfigError("An answerable question needs a reference answer.", "reference_answers")
    with transaction.atomic():
        target = _same_question(question)
        target.text = text
        target.reference_answers = references if target.answerable else []
        target.status = Status.REVIEWED
        target.save(update_fields=["text", "reference_answers", "status"])
        for each in target.testset.questions.filter(pair_id=target.pair_id) if target.answerable else ():
            each.reference_answers = references
            each.metadata.pop(QUALITY, None)  # it was said of what the rules wrote
            each.save(update_fields=["reference_answers", "metadata"])
    write_testset_file(testset=target.testset)
    return target


def set_status(*, questions: Sequence[Question], status: str) -> TestSet:
    """Mark questions as new, reviewed or rejected. Return the test set they then live in.

    A review changes nothing that a run depends on; a rejection (or taking one back) of a used set makes a new version.
    """
    testset = questions[0].testset
    ids = [question.question_id for question in questions]
    asked_changes = any((question.status == Status.REJECTED) != (status == Status.REJECTED) for question in questions)
    with transaction.atomic():
        target = editable(testset=testset) if asked_changes else testset
        target.questions.filter(question_id__in=ids).update(status=status)
    write_testset_file(testset=target)
    return target


def add_question(
    *,
    testset: TestSet,
    kind: str,
    text: str,
    reference_answers: Sequence[str] = (),
    document: Document | None = None,
    start: int | None = None,
    end: int | None = None,
) -> Question:
    """Add a question by hand. An answerable one needs a reference and its evidence. Raises ConfigError."""
    references = tuple(reference.strip() for reference in reference_answers if reference.strip())
    answerable = kind != Question.Kind.OUT_OF_SCOPE
    if kind not in Question.Kind.values:
        raise ConfigError(f"There is no kind of question called “{kind}”.", "kind")
    if not text.strip():
        raise ConfigError("A question needs a text.", "text")
    if answerable and not references:
        raise ConfigError("An answerable question needs a reference answer.", "reference_answers")
    evidence = _checked_evidence(document, start, end) if answerable else ()
    with transaction.atomic():
        target = editable(testset=testset)
        name = _free_id(target)
        draft = DraftQuestion(
            name, name, kind, text.strip(), references if answerable else (), evidence, metadata={"by": "hand"}
        )
        question = store_questions(testset=target, drafts=[draft])[0]
        question.status = Status.REVIEWED
        question.save(update_fields=["status"])
    write_testset_file(testset=target)
    return question


def delete_testset(*, testset: TestSet) -> None:
    """Delete a version of a test set with its file. Raises InUseError when runs or its own writing need it."""
    runs = [str(run) for run in testset.runs.all()[:3]]
    if runs:
        raise InUseError(f"“{testset}” was used by {', '.join(runs)}. Delete these runs first, or keep the test set.")
    if testset.task is not None and testset.task.active:
        raise InUseError(f"“{testset}” is still being generated. Cancel that first.")
    if any(tuned.task is not None and tuned.task.active for tuned in testset.tuned_embeddings.select_related("task")):
        raise InUseError(f"Embeddings are being tuned on “{testset}”. Cancel that first.")
    folder = Path(settings.DATA_DIR) / "testsets" / str(testset.pk)
    task = testset.task
    testset.delete()
    if task is not None:
        task.delete()
    shutil.rmtree(folder, ignore_errors=True)


def _checked_evidence(document: Document | None, start: int | None, end: int | None) -> tuple[DraftEvidence, ...]:
    if document is None or start is None or end is None:
        raise ConfigError(
            "An answerable question needs its evidence: a document and the text that answers it.", "evidence"
        )
    if not 0 <= start < end <= document.length:
        raise ConfigError(f"The evidence does not lie within “{document.name}”.", "evidence")
    return (DraftEvidence(Span(document.pk, start, end), document.text[start:end]),)


def _free_id(testset: TestSet) -> str:
    """Return an unused question id for a question added by hand: m001, m002 …"""
    taken = set(testset.questions.values_list("question_id", flat=True))
    return next(name for name in (f"m{number:03d}" for number in itertools.count(1)) if name not in taken)


def _next_position(testset: TestSet) -> int:
    last = testset.questions.aggregate(last=Max("position"))["last"]
    return 0 if last is None else last + 1


def _same_question(question: Question) -> Question:
    target = editable(testset=question.testset)
    if target.pk == question.testset_id:
        return question
    return target.questions.get(question_id=question.question_id)


def copy_testset(testset: TestSet, *, name: str = "") -> TestSet:
    """Store the next version of a test set, or one of another name, with the same questions and evidence."""
    newest = TestSet.objects.filter(corpus=testset.corpus, name=name or testset.name).aggregate(n=Max("version"))["n"]
    copy = TestSet.objects.create(
        corpus=testset.corpus,
        name=name or testset.name,
        version=(newest or 0) + 1,
        parent=testset,
        generator=testset.generator,
        report=testset.report,
    )
    originals = list(testset.questions.prefetch_related("evidence"))
    copies = []
    for original in originals:
        fields = {
            field.attname: getattr(original, field.attname)
            for field in Question._meta.concrete_fields
            if field.attname not in ("id", "testset_id")
        }
        copies.append(Question(testset=copy, **fields))
    copies = Question.objects.bulk_create(copies)
    Evidence.objects.bulk_create(
        [
            Evidence(question=new, **each.span.as_json())
            for old, new in zip(originals, copies, strict=True)
            for each in old.evidence.all()
        ]
    )
    return copy
