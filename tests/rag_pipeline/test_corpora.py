"""Bringing documents in, naming and deleting them."""

from __future__ import annotations

import pytest

from rag_pipeline.errors import ConfigError
from rag_pipeline.models import Document
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
