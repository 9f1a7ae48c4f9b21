"""Corpora and documents: bring in, name, list, delete."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import PurePath

from django.conf import settings
from django.core.files.base import ContentFile
from django.db import IntegrityError, transaction
from django.db.models import Model

from rag_pipeline.errors import ConfigError, DocumentError, InUseError, UsageError
from rag_pipeline.loaders.lookup import read_document
from rag_pipeline.models import BackgroundTask, Corpus, Document
from rag_pipeline.services.indexes import delete_indexes

_State = BackgroundTask.State

LISTED = 20
"""Documents that a message names at most."""
LONGEST_NAME = 200
"""Characters of a document's name; room for a number is left in the column."""


@dataclass
class ImportReport:
    """What became of the files of one import: new, already there, refused as (name, why)."""

    added: list[Document] = field(default_factory=list)
    duplicates: list[Document] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)


def get_or_create_corpus(*, name: str) -> Corpus:
    """Return the corpus called `name`, made when absent. Raises ConfigError for an unusable name."""
    return Corpus.objects.get_or_create(name=_checked_name(name))[0]


def get_corpus(*, name: str) -> Corpus:
    """Return the corpus called `name`. Raises ConfigError listing those there are."""
    corpus = Corpus.objects.filter(name=name.strip()).first()
    if corpus is not None:
        return corpus
    names = list(Corpus.objects.values_list("name", flat=True))
    there = f"There are: {', '.join(names)}." if names else "There is none yet: import documents first."
    raise ConfigError(f"There is no corpus called “{name}”. {there}", "corpus")


def document_ids(*, corpus: Corpus, names: Collection[str]) -> set[int] | None:
    """Return the ids of documents by name; None (all) without names. Raises ConfigError listing those there are.

    An extension may be left out where that names one document only.
    """
    if not names:
        return None
    there = dict(corpus.documents.order_by("name").values_list("name", "pk"))
    return {_document_id(corpus, there, name.strip()) for name in names}


def _document_id(corpus: Corpus, there: dict[str, int], name: str) -> int:
    if name in there:
        return there[name]
    same_stem = [pk for each, pk in there.items() if PurePath(each).stem == name]
    if len(same_stem) == 1:
        return same_stem[0]
    shown = ", ".join(list(there)[:LISTED]) + (f" and {len(there) - LISTED} more" if len(there) > LISTED else "")
    raise ConfigError(
        f"The corpus “{corpus.name}” has no document called “{name}”. There are: {shown or 'none yet'}.", "document"
    )


def import_documents(*, corpus: Corpus, files: Iterable[tuple[str, bytes]]) -> ImportReport:
    """Read and store files, given as (name, bytes); each by itself, so that a bad one never stops the others."""
    report = ImportReport()
    for name, data in files:
        try:
            document, new = _import_one(corpus, _file_name(name), data)
        except DocumentError as error:
            report.failed.append((name, str(error)))
        else:
            (report.added if new else report.duplicates).append(document)
    return report


def check_size(size: int) -> None:
    """Raise DocumentError for a file of more bytes than the limit."""
    if size > settings.MAX_UPLOAD_MB * 1024 * 1024:
        raise DocumentError(
            f"The file is larger than {settings.MAX_UPLOAD_MB} MB. Split it, or raise WORKBENCH_MAX_UPLOAD_MB."
        )


def delete_document(*, document: Document) -> None:
    """Delete a document and its file. Raises InUseError naming what needs its text."""
    # Test sets and runs belong to the evaluation package above this one: known here by their reverse relations only.
    testsets = {item.question.testset for item in document.evidence.select_related("question__testset")}
    growing = document.corpus.testsets.filter(task__state__in=(_State.QUEUED, _State.RUNNING))
    runs = document.corpus.runs.filter(created__gte=document.created)
    _refuse_held(f"“{document.name}”", [*sorted(testsets | set(growing), key=str), *runs])
    with transaction.atomic():
        delete_indexes(corpus=document.corpus)
        document.delete()
        _delete_files_on_commit([document])


def delete_corpus(*, corpus: Corpus) -> None:
    """Delete a corpus with its documents and files. Raises InUseError naming what needs it."""
    _refuse_held(f"The corpus “{corpus.name}”", [*corpus.testsets.all(), *corpus.runs.all()])
    with transaction.atomic():
        documents = list(corpus.documents.defer("text"))
        delete_indexes(corpus=corpus)
        corpus.delete()
        _delete_files_on_commit(documents)


def _import_one(corpus: Corpus, name: str, data: bytes) -> tuple[Document, bool]:
    """Return (document, whether it is new)."""
    check_size(len(data))
    content_hash = hashlib.sha256(data).hexdigest()
    there = corpus.documents.filter(content_hash=content_hash).first()
    if there is not None:
        return there, False
    parsed = read_document(name, data)
    document = Document(
        corpus=corpus,
        content_hash=content_hash,
        text=parsed.text,
        length=len(parsed.text),
        page_starts=list(parsed.page_starts),
        notes=list(parsed.notes),
    )
    return _store(document, name, data)


def _store(document: Document, name: str, data: bytes) -> tuple[Document, bool]:
    """Save the file, then the row; when the row fails the file goes again."""
    # The name on disk is ours: hash and extension, never what an upload says.
    try:
        document.original.save(f"original{PurePath(name).suffix.lower()}", ContentFile(data), save=False)
    except OSError as error:
        raise DocumentError(
            f"The file could not be stored: {error.strerror}. Check the disk of the data folder."
        ) from error
    try:
        with transaction.atomic():
            document.name = _free_name(document.corpus, name)
            document.save(force_insert=True)
    except IntegrityError:
        document.original.delete(save=False)
        # Another import brought the same file, or the same name, in the meantime.
        there = document.corpus.documents.filter(content_hash=document.content_hash).first()
        if there is not None:
            return there, False
        raise DocumentError("Another import used the same name at the same moment. Import the file again.") from None
    except BaseException:
        document.original.delete(save=False)
        raise
    return document, True


def _file_name(name: str) -> str:
    """Return the last part of a path, composed (NFC), without control characters, not too long."""
    last = unicodedata.normalize("NFC", name).replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    last = re.sub(r"[\x00-\x1f\x7f\ud800-\udfff]", " ", last).strip()
    path = PurePath(last or "unnamed")
    room = max(1, LONGEST_NAME - len(path.suffix))
    return f"{path.stem[:room].rstrip()}{path.suffix[:20]}"


def _free_name(corpus: Corpus, name: str) -> str:
    """Return `name`, or with “ (2)”, “ (3)” … before the extension when another document has it."""
    path = PurePath(name)
    taken = set(corpus.documents.filter(name__startswith=path.stem).values_list("name", flat=True))
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{path.stem} ({number}){path.suffix}"
    return free


def _checked_name(name: str) -> str:
    checked = " ".join(re.sub(r"[\x00-\x1f\x7f\ud800-\udfff]", " ", unicodedata.normalize("NFC", name)).split())
    longest = Corpus._meta.get_field("name").max_length or 0
    if not checked:
        raise UsageError("A corpus needs a name.", "name")
    if len(checked) > longest:
        raise UsageError(f"The name of a corpus has at most {longest} characters; this one has {len(checked)}.", "name")
    return checked


def _refuse_held(what: str, holders: list[Model]) -> None:
    if not holders:
        return
    names = [f"{holder._meta.verbose_name} “{holder}”" for holder in holders]
    shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    raise InUseError(f"{what} is needed by {shown}. Delete those first, or start a new corpus.")


def _delete_files_on_commit(documents: list[Document]) -> None:
    files = [document.original for document in documents]

    def delete() -> None:
        for file in files:
            if file.name:
                file.storage.delete(file.name)

    transaction.on_commit(delete)
