"""Contexts of one's own for the questions of a test set: read from a file, kept as a run of retrieval alone.

Such a run answered nothing; its contexts are those of the file, scored as any retrieval. Other runs answer from it, so
that prompts and models are varied on the same contexts.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence

from django.db import transaction

from evaluation.exchange.rag_tasks import Task
from evaluation.exchange.reading import read_answers
from evaluation.exchange.uploads import File
from evaluation.models import Answer, Question, Run, TestSet
from evaluation.queries.stored_answers import PASSAGES
from evaluation.scoring.scoring import finished
from evaluation.services.contexts import FIELD
from evaluation.services.runs import asked_questions
from evaluation.services.scoring import score_run_in_steps
from evaluation.spec import EvaluationSpec, RunOptions
from evaluation.types import Sample
from rag_pipeline.english.wording import counted
from rag_pipeline.errors import ConfigError
from rag_pipeline.models import BackgroundTask
from rag_pipeline.places import CorpusPlaces
from rag_pipeline.queries.documents import corpus_snapshot
from rag_pipeline.retrievers.langchain import PATH, LangChainRetriever
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from rag_pipeline.types import Context, SourceDoc, Span

_ID = re.compile(r"(?P<document>.+):(?P<start>\d+)-\d+")
_MOST = 100
"""Contexts of a question that count: as many as top k may ask for."""


def contexts_from_file(*, testset: TestSet, file: File) -> Run:
    """Return the run that holds the contexts of a file, given as (name, bytes); the same file is read once.

    Its objects belong to the questions by question_id, else by the words of the question; what belongs to none is left
    alone, and so is a question without an object. Raises ConfigError where nothing fits.
    """
    digest = hashlib.sha256(file[1]).hexdigest()[:32]
    known = Run.objects.filter(testset=testset, pipeline_fingerprint=digest, retrieval_only=True).first()
    if known is not None:
        return known
    questions = asked_questions(testset=testset, options=RunOptions())
    found = _by_question(file, questions)
    places = CorpusPlaces({doc.id: doc for doc in corpus_snapshot(corpus=testset.corpus).documents})
    made = [_answer(question, found[question.pk], places) for question in questions if question.pk in found]
    top_k = max(1, *(len(answer.contexts) for answer in made))
    spec = PipelineSpec.create({"retriever": LangChainRetriever.key, PATH: file[0]}).changed(top_k=top_k)
    with transaction.atomic():
        run = Run.objects.create(
            corpus=testset.corpus,
            testset=testset,
            name=f"Contexts of {file[0]}"[:120],
            pipeline=spec.settings,
            pipeline_fingerprint=digest,
            evaluation=EvaluationSpec().model_dump(mode="json"),
            retrieval_only=True,
            notes=[_placed(made, len(questions))],
            task=BackgroundTask.objects.create(kind="evaluate", state=BackgroundTask.State.DONE),
        )
        for answer in made:
            answer.run = run
        Answer.objects.bulk_create(made)
    finished(score_run_in_steps(run=run, spec=EvaluationSpec()))
    return run


def _by_question(file: File, questions: Sequence[Question]) -> dict[int, tuple[Task, Sample]]:
    """Return the object of each question that has one with contexts, by id of the question. Raises ConfigError."""
    by_id: dict[str, tuple[Task, Sample]] = {}
    by_words: dict[str, tuple[Task, Sample]] = {}
    for task, sample in read_answers(file):
        if task.get("contexts") is not None:
            if task.get("question_id"):
                by_id.setdefault(str(task["question_id"]), (task, sample))
            by_words.setdefault(_words(sample.trace.question), (task, sample))
    found = {each.pk: by_id.get(each.question_id) or by_words.get(_words(each.text)) for each in questions}
    if not any(found.values()):
        raise ConfigError(
            f"“{file[0]}” has contexts for none of the {len(questions)} questions. Each needs an object with its "
            "question_id, or its question in the same words, and contexts.",
            FIELD,
        )
    return {key: each for key, each in found.items() if each is not None}


def _words(question: str) -> str:
    return " ".join(question.split())


def _answer(question: Question, given: tuple[Task, Sample], places: CorpusPlaces) -> Answer:
    """Return the contexts of a question as an answer without a text."""
    task, sample = given
    contexts: list[dict[str, object]] = []
    passages: dict[int, SourceDoc] = {}
    for context in sample.trace.contexts[:_MOST]:
        if not context.text.strip():
            continue
        named = _ID.fullmatch(context.id) or _ID.fullmatch(_nth(task, context.rank))
        source, start = (named["document"], int(named["start"])) if named else (_nth(task, context.rank), None)
        span = places.find(context.text, source, start)
        if span is None:
            passage = SourceDoc.of_passage(context.text, source)
            passages[passage.id] = passage
            span = Span(passage.id, 0, len(context.text))
        name = passages[span.document_id].name if span.document_id < 0 else places.name_of(span)
        rank = len(contexts) + 1
        contexts.append(Context(span, name, context.text, 1.0 / rank, rank).as_json())
    details = {PASSAGES: [each.as_json() for each in passages.values()]} if passages else {}
    return Answer(question=question, contexts=contexts, details=details)


def _nth(task: Mapping[str, object], rank: int) -> str:
    """Return the id of a context; empty where the object has none for it."""
    ids = task.get("contexts_id")
    return str(ids[rank - 1]) if isinstance(ids, list) and rank <= len(ids) else ""


def _placed(made: Sequence[Answer], questions: int) -> str:
    """Say for how many questions there are contexts, and how many of these stand in the documents."""
    spans = [Span.from_json(context) for answer in made for context in answer.contexts]
    inside = sum(span.document_id >= 0 for span in spans)
    stand = "all stand" if inside == len(spans) else f"{inside} stand"
    rest = "" if inside == len(spans) else ", the others are scored as texts"
    asked = f"{len(made)} of {questions} questions" if len(made) < questions else f"{questions} questions"
    return f"{counted(len(spans), 'context')} for {asked}: {stand} in the documents{rest}."
