"""`manage.py ingest`: files and folders into a corpus."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from rag_pipeline.errors import DocumentError
from rag_pipeline.loaders.lookup import known_extensions
from rag_pipeline.management.base import WorkbenchCommand
from rag_pipeline.models import Corpus, Document
from rag_pipeline.services import corpora
from rag_pipeline.types import Progress


class Command(WorkbenchCommand):
    """Import documents."""

    help = "Import documents into a corpus, made when absent. A folder takes all known formats in it."
    example = "manage.py ingest handbook.pdf notes/ --corpus handbook"

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument(
            "paths", nargs="+", type=Path, metavar="FILE", help=f"a file or folder: {', '.join(known_extensions())}"
        )
        parser.add_argument("--corpus", required=True, metavar="NAME")

    def run(self, **options: Any) -> None:
        """Import one file after the other and say what became of each."""
        files = [file for path in options["paths"] for file in _files(path)]
        existed = Corpus.objects.filter(name=options["corpus"].strip()).exists()
        corpus = corpora.get_or_create_corpus(name=options["corpus"])
        counts = {"added": 0, "already there": 0, "failed": 0}
        for done, path in enumerate(files):
            self.show_progress(Progress("Reading documents", done, len(files), path.name))
            counts[self._import(corpus, path)] += 1
        if counts["failed"] == len(files) and not existed:
            corpora.delete_corpus(corpus=corpus)
        else:
            self.out(
                f"Corpus “{corpus}”: {', '.join(f'{number} {what}' for what, number in counts.items() if number)}."
            )
        if counts["failed"]:
            raise DocumentError(f"{counts['failed']} of {len(files)} files could not be imported.")

    def _import(self, corpus: Corpus, path: Path) -> str:
        """Import one file; return what became of it."""
        try:
            report = corpora.import_documents(corpus=corpus, files=[(path.name, _content(path))])
            failure = report.failed[0][1] if report.failed else ""
        except DocumentError as error:
            failure = str(error)
        if failure:
            self.note(f"{path}: {failure}")
            return "failed"
        for document in report.duplicates:
            self.out(f"{path}: already there as {document.name}")
            return "already there"
        self.out(f"{path}: {_summary(report.added[0])}")
        return "added"


def _files(path: Path) -> Iterator[Path]:
    """Yield the path itself, or for a folder all files of known formats in it, hidden ones left out."""
    if not path.is_dir():
        yield path
        return
    found = []
    for folder, folders, names in os.walk(path):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [Path(folder, name) for name in names if not name.startswith(".")]
    known = sorted(file for file in found if file.suffix.lower() in known_extensions())
    if not known:
        raise DocumentError(f"{path} holds no file of a known format: {', '.join(known_extensions())}.")
    yield from known


def _content(path: Path) -> bytes:
    try:
        corpora.check_size(path.stat().st_size)
        return path.read_bytes()
    except OSError as error:
        raise DocumentError(f"It cannot be read: {error.strerror or error}.") from error


def _summary(document: Document) -> str:
    pages = f"{len(document.page_starts)} pages, " if len(document.page_starts) > 1 else ""
    return " ".join([f"added as {document.name}, {pages}{document.length:,} characters.", *document.notes])
