"""Stored things for tests: a corpus with real text, a test set on it, runs with answers. `make_run(**kw)`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from evaluation.models import Answer, Question, Run, Scoring, TestSet
from evaluation.scoring.scoring import finished
from evaluation.services.scoring import score_run_in_steps
from evaluation.services.testsets import store_questions
from evaluation.spec import EvaluationSpec
from evaluation.types import DraftEvidence, DraftQuestion
from rag_pipeline.models import Corpus, Document
from rag_pipeline.services.corpora import import_documents
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from rag_pipeline.types import Context, Span
from tests import fake_embedder  # noqa: F401 - registers `words:`

WORDS = "words:counts"
"""The embedding of tests: see tests/fake_embedder.py."""

REFUSAL = "I am not aware of that topic"

ROSETTA = """The Rosetta Stone is a stele of granodiorite inscribed with three versions of a decree. \
The decree was issued in Memphis in 196 BC on behalf of King Ptolemy V Epiphanes.

The top and middle texts are in Ancient Egyptian, using hieroglyphic and Demotic scripts respectively. \
The bottom text is in Ancient Greek.

The stone was found in July 1799 by French soldiers near the town of Rashid in the Nile Delta. \
It has been on public display at the British Museum almost continuously since 1802.

Jean-François Champollion announced the decipherment of the hieroglyphs in Paris in 1822.
"""

PAIRS: tuple[tuple[str, str, str, str, tuple[str, ...]], ...] = (
    (
        "Where was the decree on the Rosetta Stone issued?",
        "My class is preparing a talk on old royal decrees; in which city was the one on the stone issued?",
        "situational",
        "The decree was issued in Memphis in 196 BC on behalf of King Ptolemy V Epiphanes.",
        ("Memphis", "The decree was issued in Memphis in 196 BC on behalf of King Ptolemy V Epiphanes."),
    ),
    (
        "When was the Rosetta Stone found?",
        "in what month and year was the Rosetta Stone discovered",
        "rephrase",
        "The stone was found in July 1799 by French soldiers near the town of Rashid in the Nile Delta.",
        ("July 1799",),
    ),
    (
        "Who announced the decipherment of the hieroglyphs?",
        "Which scholar, having worked on the scripts for years, made it known in Paris that he could read hieroglyphs?",
        "complicate",
        "Jean-François Champollion announced the decipherment of the hieroglyphs in Paris in 1822.",
        ("Jean-François Champollion",),
    ),
)
"""(simple question, complex twin, transformation, evidence, references)."""

OUT_OF_SCOPE = (("How heavy is the Rosetta Stone?", "near"), ("What is the boiling point of nitrogen?", "far"))

_numbers = count(1)


def make_corpus(name: str = "", files: Mapping[str, str] | None = None) -> Corpus:
    """Return a corpus with documents given as name and text; one on the Rosetta Stone unless told."""
    corpus = Corpus.objects.create(name=name or f"Museum {next(_numbers)}")
    texts = {"rosetta_stone.txt": ROSETTA} if files is None else files
    report = import_documents(corpus=corpus, files=[(file, text.encode()) for file, text in texts.items()])
    assert report.failed == []
    return corpus


def make_testset(
    corpus: Corpus | None = None, name: str = "", drafts: Sequence[DraftQuestion] | None = None
) -> TestSet:
    """Return a test set; three pairs and two out-of-scope questions unless told."""
    corpus = corpus or make_corpus()
    testset = TestSet.objects.create(corpus=corpus, name=name or f"Basics {next(_numbers)}")
    store_questions(testset=testset, drafts=rosetta_drafts(corpus.documents.get()) if drafts is None else drafts)
    return testset


def rosetta_drafts(document: Document) -> list[DraftQuestion]:
    """Return the questions of PAIRS (p1s, p1c, p2s …) and OUT_OF_SCOPE (o1, o2) on the Rosetta document."""
    drafts = []
    for number, (simple, complex_, transformation, evidence, references) in enumerate(PAIRS, 1):
        start = document.text.index(evidence)
        held = (DraftEvidence(Span(document.pk, start, start + len(evidence)), evidence),)
        pair = f"p{number}"
        drafts.append(DraftQuestion(f"{pair}s", pair, "simple", simple, references, held))
        slip = "lower_case" if complex_.islower() or complex_[0].islower() else ""
        drafts.append(DraftQuestion(f"{pair}c", pair, "complex", complex_, references, held, transformation, slip))
    for number, (text, kind) in enumerate(OUT_OF_SCOPE, 1):
        drafts.append(DraftQuestion(f"o{number}", f"o{number}", "out_of_scope", text, transformation=kind))
    return drafts


def make_run(
    testset: TestSet | None = None,
    answers: Mapping[str, str] | None = None,
    *,
    contexts: Mapping[str, Sequence[tuple[int, int]]] | None = None,
    errors: Mapping[str, str] | None = None,
    scored: bool = True,
    evaluation: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
    repeat: int = 1,
    **fields: Any,
) -> Run:
    """Return a run with an answer to every question, scored with the words embedding unless told.

    `answers`, `contexts` (spans of the first document) and `errors` go by question id; answers default to the first
    reference or the refusal, contexts to the evidence.
    """
    testset = testset or make_testset()
    spec = PipelineSpec.create(settings or {})
    evaluation_spec = EvaluationSpec.create(
        {"eval_embedding": WORDS, "agreement": "token_recall"} | dict(evaluation or {})
    )
    run = Run.objects.create(
        corpus=testset.corpus,
        testset=testset,
        pipeline=spec.settings,
        pipeline_fingerprint=spec.fingerprint,
        repeat=repeat,
        **{"evaluation": evaluation_spec.model_dump(mode="json"), "name": f"Run {next(_numbers)}"} | fields,
    )
    documents = {document.pk: document for document in run.corpus.documents.order_by("id")}
    made = []
    for question in testset.questions.prefetch_related("evidence").exclude(status=Question.Status.REJECTED):
        key = question.question_id
        answer = _answer(
            run, question, (answers or {}).get(key), _places(question, documents, (contexts or {}).get(key))
        )
        if error := (errors or {}).get(key):
            answer |= {"text": "", "error": error}
        made += [Answer(**answer, repeat=number) for number in range(repeat)]
    Answer.objects.bulk_create(made)
    if scored:
        score_run(run=run, spec=evaluation_spec)
    return run


def score_run(*, run: Run, spec: EvaluationSpec) -> Scoring:
    """Score a run's answers at once and return the scoring."""
    return finished(score_run_in_steps(run=run, spec=spec))


def _answer(run: Run, question: Question, text: str | None, contexts: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "run": run,
        "question": question,
        "text": (question.reference or REFUSAL) if text is None else text,
        "contexts": contexts,
        "prompt": f"{question.text}",
        "latency_s": 0.25,
    }


def _places(
    question: Question, documents: Mapping[int, Document], spans: Sequence[tuple[int, int]] | None
) -> list[dict[str, Any]]:
    if spans is None:
        places = [(each.document_id, each.start, each.end) for each in question.evidence.all()]
    else:
        places = [(min(documents), start, end) for start, end in spans]
    return [_context(documents[at], start, end, rank) for rank, (at, start, end) in enumerate(places, 1)]


def _context(document: Document, start: int, end: int, rank: int) -> dict[str, Any]:
    return Context(Span(document.pk, start, end), document.name, document.text[start:end], 1.0 / rank, rank).as_json()
