"""`manage.py export_index`: the chunks of a corpus with their vectors, as files that FAISS and others read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from rag_pipeline.english.wording import counted
from rag_pipeline.indexing.faiss_files import CHUNKS, INDEX, write_faiss_files
from rag_pipeline.management.base import WorkbenchCommand, add_set_argument, pipeline_spec
from rag_pipeline.services.corpora import get_corpus
from rag_pipeline.services.indexes import build_index, open_index
from rag_pipeline.services.pipelines import check_parts


class Command(WorkbenchCommand):
    """Export an index."""

    help = (
        f"Write the index of a corpus as {INDEX}, and {CHUNKS} with document, offsets and text of each of its vectors. "
        "rag_pipeline.langchain.faiss_retriever reads such a folder, also one that another program wrote."
    )
    example = "manage.py export_index --corpus handbook --set chunk_size=400 --out handbook-index"

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("--corpus", required=True, metavar="NAME")
        add_set_argument(parser)
        parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="where the two files go")

    def run(self, **options: Any) -> None:
        """Build the index where it is missing, and write it."""
        spec = pipeline_spec(options["set"])
        check_parts(spec)
        corpus = get_corpus(name=options["corpus"])
        self.progress(build_index(corpus=corpus, spec=spec))
        index = open_index(corpus=corpus, spec=spec)
        write_faiss_files(options["out"], index, {doc.id: doc.name for doc in index.documents.values()})
        self.out(f"{counted(len(index), 'vector')} of {index.vectors.shape[1]} numbers, {spec.core.embedding}.")
        self.out(str((options["out"] / INDEX).resolve()))
        self.out(str((options["out"] / CHUNKS).resolve()))
