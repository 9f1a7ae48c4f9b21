"""`manage.py search`: the ranked chunks for a query, without an answer."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from rag_pipeline.management.base import (
    WRONG_USAGE,
    WorkbenchCommand,
    add_document_argument,
    add_set_argument,
    pipeline_spec,
)
from rag_pipeline.pipeline.step_table import LABELS, CandidateRow, step_table
from rag_pipeline.services.corpora import document_ids, get_corpus
from rag_pipeline.services.pipelines import Found, prepare_pipeline, search
from rag_pipeline.types import Context, Hit, other_than


class Command(WorkbenchCommand):
    """Search a corpus."""

    help = "Show the chunks that a pipeline would give to the model for a query, best first."
    example = 'manage.py search "Who pays the trustee?" --corpus handbook --set top_k=5'

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("query", metavar="QUERY")
        parser.add_argument("--corpus", required=True, metavar="NAME")
        add_set_argument(parser)
        add_document_argument(parser)

    def run(self, **options: Any) -> None:
        """Retrieve and print."""
        if not options["query"].strip():
            raise CommandError("Write what to search for.", returncode=WRONG_USAGE)
        spec = pipeline_spec(options["set"])
        corpus = get_corpus(name=options["corpus"])
        only = document_ids(corpus=corpus, names=options["document"])
        self.progress(prepare_pipeline(corpus=corpus, spec=spec))
        found = search(corpus=corpus, spec=spec, query=options["query"], only=only)
        for query in other_than(options["query"], found.queries):
            self.out(f"Searched for: {query}")
        for context in found.contexts:
            self.out(described(context))
        for line in trails(found, spec.core.top_k):
            self.out(line)
        for note in found.notes:
            self.note(note)


def described(context: Context) -> str:
    """Return rank, score, place and text of a context."""
    page = f", page {context.page}" if context.page else ""
    return f"{context.rank}. {context.score:.3f}  {context.id}{page}\n{context.text.strip()}\n"


def trails(found: Found, top_k: int = 0) -> list[str]:
    """Return what became of each candidate, a line each, where retrieval had several steps; else nothing."""
    table = step_table(found.steps, [Hit(each.span, each.score, each.rank) for each in found.contexts], top_k)
    if not table.rows:
        return []
    head = " → ".join(LABELS.get(name, name).lower() for name in table.names)
    return [f"What each step kept ({head}):", *(_candidate(row, found) for row in table.rows)]


def _candidate(row: CandidateRow, found: Found) -> str:
    span = row.span
    return f"{row.trail}  {found.documents[span.document_id].name}:{span.start}-{span.end}"
