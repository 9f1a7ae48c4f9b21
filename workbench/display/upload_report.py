"""What became of uploaded files, in the user's words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib import messages

from rag_pipeline.models import Document
from rag_pipeline.services.corpora import ImportReport

_NAMED = 3


@dataclass(frozen=True)
class UploadReport:
    """An import's report as the page shows it."""

    report: ImportReport

    @property
    def added(self) -> list[Document]:
        """New documents."""
        return self.report.added

    @property
    def duplicates(self) -> list[Document]:
        """Documents whose bytes were there already."""
        return self.report.duplicates

    @property
    def failed(self) -> list[tuple[str, str]]:
        """Files that could not be read: (name, why and what to do)."""
        return self.report.failed

    @property
    def added_query(self) -> str:
        """End of the address that marks the new documents in the list."""
        return "&added=" + ",".join(str(document.pk) for document in self.added[:100]) if self.added else ""


def upload_messages(report: UploadReport) -> list[tuple[int, str]]:
    """Return (level, text) of what to tell; files that failed are listed in the page instead."""
    said = []
    if report.added:
        said.append((messages.SUCCESS, f"Added {_named(report.added)}."))
    if report.duplicates:
        there = "is" if len(report.duplicates) == 1 else "are"
        said.append(
            (messages.INFO, f"{_named(report.duplicates)} {there} here already: the same bytes. Nothing changed.")
        )
    return said


def _named(documents: Sequence[Document]) -> str:
    """Return the names of the first few, and how many more."""
    names = ", ".join(f"“{document.name}”" for document in documents[:_NAMED])
    more = len(documents) - _NAMED
    return f"{names} and {more} more" if more > 0 else names
