"""manage.py demo: the main job in a terminal, from a document to its scores."""

from __future__ import annotations

import hashlib
import time
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from evaluation.generator_spec import GeneratorSpec
from evaluation.management.inline import finish_inline
from evaluation.management.tables import score_table
from evaluation.models import Run, TestSet
from evaluation.services.files import write_run_file, write_testset_file
from evaluation.services.runs import start_run
from evaluation.services.testsets import start_generation
from evaluation.spec import EvaluationSpec, RunOptions
from rag_pipeline.errors import DocumentError
from rag_pipeline.management.base import WorkbenchCommand
from rag_pipeline.models import BackgroundTask, Corpus
from rag_pipeline.services.corpora import get_or_create_corpus, import_documents
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from workbench.services.sample import sample_files

TESTSET = "Demo"


class Command(WorkbenchCommand):
    """Ingest, generate 30 pairs and 15 out-of-scope questions, evaluate with the default settings."""

    help = "Do the whole job on one document: read it, write questions, answer them, score the answers."
    example = "manage.py demo handbook.pdf"

    def add_arguments(self, parser: CommandParser) -> None:
        """The document."""
        parser.add_argument("file", nargs="?", type=Path, metavar="FILE", help="a document (default: the sample)")

    def run(self, **options: Any) -> None:
        """Print what was made, the scores, and where the two files are."""
        start = time.monotonic()
        corpus = self._corpus(options["file"] or sample_files()[0])
        testset = self._testset(corpus)
        run = self._run(corpus, testset)
        self.out()
        self.out(score_table(run))
        self.out(f"\nDone in {time.monotonic() - start:.0f} s. To see it in the browser: manage.py serve\n")
        self.out(str(write_testset_file(testset=testset).resolve()))
        self.out(str(write_run_file(run=run).resolve()))

    def _corpus(self, file: Path) -> Corpus:
        """Return a corpus that holds just this document. Raises DocumentError."""
        try:
            data = file.read_bytes()
        except OSError as error:
            raise DocumentError(f"{file} cannot be read: {error.strerror}.") from error
        corpus = _corpus_of(file.name, data)
        report = import_documents(corpus=corpus, files=[(file.name, data)])
        if report.failed:
            corpus.delete()
            raise DocumentError(report.failed[0][1])
        document = corpus.documents.get()
        for note in document.notes:
            self.out(note)
        self.out(f"Document  {document.name}: {document.length:,} characters")
        return corpus

    def _testset(self, corpus: Corpus) -> TestSet:
        """Return the questions; the same document is not asked about anew, they would be the same."""
        spec = GeneratorSpec()
        made = corpus.testsets.filter(generator=spec.model_dump(), task__state=BackgroundTask.State.DONE).last()
        testset = made or start_generation(corpus=corpus, name=_free_name(corpus), spec=spec, inline=True)
        if made is None:
            finish_inline(self, testset.task)
            testset.refresh_from_db()
        counts = testset.report["made"]
        self.out(f"Test set  {counts['pairs']} pairs of questions, {counts['out_of_scope']} out of scope")
        if testset.report["message"]:
            self.out(f"          {testset.report['message']}")
        return testset

    def _run(self, corpus: Corpus, testset: TestSet) -> Run:
        """Evaluate the default settings."""
        spec = PipelineSpec.create()
        run = start_run(
            corpus=corpus,
            testset=testset,
            spec=spec,
            evaluation=EvaluationSpec(),
            options=RunOptions(),
            name="Demo",
            inline=True,
        )
        finish_inline(self, run.task)
        run.refresh_from_db()
        self.out(f"Run       {run.answers.count()} questions answered by {spec.core.llm}, {run.chunks} chunks")
        return run


def _corpus_of(name: str, data: bytes) -> Corpus:
    """Return the corpus of an earlier demo of the same bytes, or a new one."""
    content_hash = hashlib.sha256(data).hexdigest()
    number = 1
    while True:
        corpus = get_or_create_corpus(name=f"Demo: {name}"[:100] + (f" ({number})" if number > 1 else ""))
        if all(each == content_hash for each in corpus.documents.values_list("content_hash", flat=True)):
            return corpus
        number += 1


def _free_name(corpus: Corpus) -> str:
    taken = set(corpus.testsets.values_list("name", flat=True))
    names = [TESTSET, *(f"{TESTSET} {number}" for number in range(2, len(taken) + 3))]
    return next(name for name in names if name not in taken)
