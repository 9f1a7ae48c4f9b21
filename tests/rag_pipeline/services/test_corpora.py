"""Bringing documents in, naming and deleting them."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from django.core.files.storage import FileSystemStorage

from evaluation.models import Evidence, Question, Run, TestSet
from rag_pipeline.errors import ConfigError, InUseError
from rag_pipeline.loaders.lookup import read_document
from rag_pipeline.models import BackgroundTask, Document, Index
from rag_pipeline.queries import documents
from rag_pipeline.services import corpora

pytestmark = pytest.mark.django_db


@pytest.fixture
def corpus():
    return corpora.get_or_create_corpus(name="Policies")


def test_a_file_becomes_a_document_with_its_text_and_its_original(corpus):
    report = corpora.import_documents(corpus=corpus, files=[("terms.txt", b"Cover starts\r\nat once.")])
    (document,) = report.added
    assert document.name == "terms.txt"
    assert document.text == "Cover starts\nat once."
    assert document.length == len(document.text)
    with document.original.open() as original:
        assert original.read() == b"Cover starts\r\nat once."


def test_the_same_bytes_are_one_document_whatever_the_name(corpus):
    report = corpora.import_documents(corpus=corpus, files=[("a.txt", b"One."), ("b.txt", b"One.")])
    assert [document.name for document in report.added] == ["a.txt"]
    assert report.duplicates == report.added


def test_the_same_name_with_other_bytes_gets_a_number(corpus):
    files = [("a.txt", b"One."), ("a.txt", b"Two."), ("a.txt", b"Three.")]
    report = corpora.import_documents(corpus=corpus, files=files)
    assert [document.name for document in report.added] == ["a.txt", "a (2).txt", "a (3).txt"]


def test_a_bad_file_does_not_stop_the_others(corpus):
    files = [("empty.txt", b""), ("song.mp3", b"ID3"), ("good.txt", b"Good."), ("blank.md", b" \n ")]
    report = corpora.import_documents(corpus=corpus, files=files)
    assert [document.name for document in report.added] == ["good.txt"]
    assert [name for name, _ in report.failed] == ["empty.txt", "song.mp3", "blank.md"]
    assert ".txt" in report.failed[1][1]
    assert Document.objects.count() == 1


def test_an_unknown_corpus_is_refused_with_a_list_of_those_there_are(corpus):
    with pytest.raises(ConfigError, match="Policies"):
        corpora.get_corpus(name="Polices")


def test_an_unknown_corpus_is_refused_when_there_is_none():
    with pytest.raises(ConfigError, match="There is none yet"):
        corpora.get_corpus(name="Policies")


def test_names_of_corpora_are_tidied_and_checked(corpus):
    assert corpora.get_or_create_corpus(name="  Policies\n") == corpus
    for name in ("", " \n", "x" * 121):
        with pytest.raises(ConfigError) as refused:
            corpora.get_or_create_corpus(name=name)
        assert refused.value.field == "name"


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("C:\\docs\\a.txt", "a.txt"),
        ("../../etc/a.txt", "a.txt"),
        ("a\x00\n.txt", "a.txt"),
        ("u\u0308ber.txt", "über.txt"),
        ("名" * 300 + ".txt", "名" * 196 + ".txt"),
        (" .txt", ".txt"),
    ],
)
def test_names_of_files_are_made_safe(corpus, given, kept):
    report = corpora.import_documents(corpus=corpus, files=[(given, b"Words.")])
    if kept == ".txt":
        assert report.failed  # a hidden file without an extension
    else:
        assert [document.name for document in report.added] == [kept]


def test_a_long_name_still_gets_its_number(corpus):
    name = "名" * 300 + ".txt"
    report = corpora.import_documents(corpus=corpus, files=[(name, b"One."), (name, b"Two.")])
    assert report.added[1].name == "名" * 196 + " (2).txt"


def test_a_file_above_the_limit_is_refused(corpus, settings):
    settings.MAX_UPLOAD_MB = 1
    files = [("big.txt", b"x" * (1024 * 1024 + 1)), ("small.txt", b"x" * 1024)]
    report = corpora.import_documents(corpus=corpus, files=files)
    assert len(report.added) == 1
    assert report.failed == [("big.txt", "The file is larger than 1 MB. Split it, or raise WORKBENCH_MAX_UPLOAD_MB.")]


def test_text_that_a_database_would_refuse_is_stored_without_harm(corpus):
    report = corpora.import_documents(corpus=corpus, files=[("a.txt", b"nul\0here" + b" and more words" * 20)])
    assert Document.objects.get(pk=report.added[0].pk).text.startswith("nul here and")


def stored_files(settings):
    return [path for path in Path(settings.MEDIA_ROOT).rglob("*") if path.is_file()]


def test_nothing_is_left_behind_when_storing_fails(corpus, settings, monkeypatch):
    def fail(*args, **kwargs):
        raise OSError("disk full")

    monkeypatch.setattr(Document, "save", fail)
    with pytest.raises(OSError, match="disk full"):
        corpora.import_documents(corpus=corpus, files=[("a.txt", b"Words.")])
    assert stored_files(settings) == []
    assert Document.objects.count() == 0


def test_a_full_disk_is_a_plain_failure_of_the_file(corpus, monkeypatch):
    def full(*args, **kwargs):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(FileSystemStorage, "_save", full)
    report = corpora.import_documents(corpus=corpus, files=[("a.txt", b"Words.")])
    assert report.failed == [
        ("a.txt", "The file could not be stored: No space left on device. Check the disk of the data folder.")
    ]
    assert Document.objects.count() == 0


def test_an_import_that_loses_a_race_counts_as_duplicate(corpus, settings, monkeypatch):
    def read_slowly(name, data):
        monkeypatch.setattr(corpora, "read_document", read_document)
        corpora.import_documents(corpus=corpus, files=[("first.txt", data)])
        return read_document(name, data)

    monkeypatch.setattr(corpora, "read_document", read_slowly)
    report = corpora.import_documents(corpus=corpus, files=[("second.txt", b"Words.")])
    assert [document.name for document in report.duplicates] == ["first.txt"]
    assert len(stored_files(settings)) == 1


def test_documents_come_in_order_of_import(corpus):
    corpora.import_documents(corpus=corpus, files=[("b.txt", b"Second letter."), ("a.txt", b"First letter.")])
    assert [doc.name for doc in documents.corpus_snapshot(corpus=corpus).documents] == ["b.txt", "a.txt"]


def test_deleting_takes_the_files_along(corpus, settings, django_capture_on_commit_callbacks):
    files = [("a.txt", b"One."), ("b.txt", b"Two."), ("c.txt", b"Three.")]
    first, *_ = corpora.import_documents(corpus=corpus, files=files).added
    other = corpora.get_or_create_corpus(name="Other")
    corpora.import_documents(corpus=other, files=files[:1])
    with django_capture_on_commit_callbacks(execute=True):
        corpora.delete_document(document=first)
    assert len(stored_files(settings)) == 3
    with django_capture_on_commit_callbacks(execute=True):
        corpora.delete_corpus(corpus=corpus)
    assert [document.corpus for document in Document.objects.all()] == [other]
    assert len(stored_files(settings)) == 1


@pytest.fixture
def testset(corpus):
    (document,) = corpora.import_documents(corpus=corpus, files=[("a.txt", b"Cover starts at once.")]).added
    testset = TestSet.objects.create(corpus=corpus, name="Terms")
    question = Question.objects.create(
        testset=testset, position=0, question_id="1", pair_id="1", kind="simple", text="When does cover start?"
    )
    Evidence.objects.create(question=question, document=document, start=0, end=21)
    return testset


def test_a_document_with_evidence_cannot_be_deleted(corpus, testset):
    (document,) = corpus.documents.all()
    with pytest.raises(InUseError, match=r"“a.txt” is needed by test set “Terms”"):
        corpora.delete_document(document=document)
    with pytest.raises(InUseError, match="The corpus “Policies” is needed by test set “Terms”"):
        corpora.delete_corpus(corpus=corpus)
    assert corpus.documents.exists()


def test_a_document_that_a_run_searched_cannot_be_deleted(corpus, testset):
    (searched,) = corpora.import_documents(corpus=corpus, files=[("b.txt", b"No evidence here.")]).added
    Run.objects.create(corpus=corpus, testset=testset, name="Small chunks", pipeline={}, pipeline_fingerprint="f")
    (later,) = corpora.import_documents(corpus=corpus, files=[("c.txt", b"Came after the run.")]).added
    with pytest.raises(InUseError, match="run “Small chunks”"):
        corpora.delete_document(document=searched)
    corpora.delete_document(document=later)
    assert corpus.documents.count() == 2


def test_documents_stay_while_questions_are_made_from_them(corpus, testset):
    (other,) = corpora.import_documents(corpus=corpus, files=[("b.txt", b"No evidence here.")]).added
    task = BackgroundTask.objects.create(kind="generate", state=BackgroundTask.State.RUNNING)
    TestSet.objects.create(corpus=corpus, name="Growing", task=task)
    with pytest.raises(InUseError, match="test set “Growing”"):
        corpora.delete_document(document=other)
    BackgroundTask.objects.update(state=BackgroundTask.State.DONE)
    corpora.delete_document(document=other)


def test_deleting_takes_the_indexes_along(corpus, settings):
    (document,) = corpora.import_documents(corpus=corpus, files=[("a.txt", b"Cover starts at once.")]).added
    folder = settings.DATA_DIR / "indexes" / "f"
    for delete in (lambda: corpora.delete_document(document=document), lambda: corpora.delete_corpus(corpus=corpus)):
        folder.mkdir(parents=True)
        Index.objects.create(corpus=corpus, fingerprint="f", settings={}, chunks=1)
        delete()
        assert not folder.exists()
        assert not Index.objects.exists()
