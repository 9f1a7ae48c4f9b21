"""Documents and indexes are read once for as long as they stay the same, and never longer."""

from __future__ import annotations

import datetime as dt

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from rag_pipeline.queries.documents import corpus_snapshot, document_texts
from rag_pipeline.services.corpora import delete_document, import_documents
from rag_pipeline.services.indexes import build_index, open_index
from rag_pipeline.services.pipelines import open_pipeline
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from tests.factories import ROSETTA, WORDS, make_corpus
from tests.queries import text_reads

pytestmark = pytest.mark.django_db
SPEC = PipelineSpec.create({"embedding": WORDS, "chunk_size": 200})


def reads(action) -> int:
    """Return how often the texts of documents are read while `action` is done."""
    with CaptureQueriesContext(
        connection,
    ) as queries:
        action()
    return text_reads(queries)


def bring(corpus, name: str, text: str) -> None:
    assert not import_documents(corpus=corpus, files=[(name, text.encode())]).failed


def test_the_same_documents_are_read_once():
    corpus = make_corpus()
    first = corpus_snapshot(corpus=corpus)
    assert [doc.text for doc in first.documents] == [ROSETTA]
    assert reads(lambda: corpus_snapshot(corpus=corpus)) == 0
    assert corpus_snapshot(corpus=corpus) is first


def test_a_time_that_leaves_nothing_out_is_the_same_snapshot():
    corpus = make_corpus()
    now = dt.datetime.now(dt.UTC)
    assert corpus_snapshot(corpus=corpus, until=now) is corpus_snapshot(corpus=corpus)
    assert corpus_snapshot(corpus=corpus, until=now - dt.timedelta(days=1)).documents == ()


def test_a_document_that_comes_or_goes_is_seen_at_once():
    corpus = make_corpus()
    before = corpus_snapshot(corpus=corpus)
    asked = dt.datetime.now(dt.UTC)
    bring(corpus, "bread.txt", "Bread is baked from dough.")
    assert list(corpus_snapshot(corpus=corpus).texts.values()) == [ROSETTA, "Bread is baked from dough."]
    assert corpus_snapshot(corpus=corpus, until=asked) is before
    delete_document(document=corpus.documents.get(name="rosetta_stone.txt"))
    assert list(corpus_snapshot(corpus=corpus).texts.values()) == ["Bread is baked from dough."]


def test_a_document_that_was_taken_out_and_brought_again_is_another_one():
    corpus = make_corpus(files={"bread.txt": "Bread is baked from dough."})
    before = corpus_snapshot(corpus=corpus)
    delete_document(document=corpus.documents.get())
    bring(corpus, "bread.txt", "Bread is baked from dough.")
    again = corpus_snapshot(corpus=corpus)
    assert again is not before
    assert again.documents[0].id != before.documents[0].id


def test_two_corpora_that_take_turns_are_kept_and_a_third_takes_the_place_of_the_oldest():
    one, two, three = (make_corpus() for _ in range(3))
    corpus_snapshot(corpus=one)
    corpus_snapshot(corpus=two)
    assert reads(lambda: [corpus_snapshot(corpus=each) for each in (one, two, one, two)]) == 0
    assert reads(lambda: corpus_snapshot(corpus=three)) == 1
    assert reads(lambda: corpus_snapshot(corpus=two)) == 0
    assert reads(lambda: corpus_snapshot(corpus=one)) == 1


def test_texts_of_some_documents_come_in_one_query(django_assert_num_queries):
    corpus = make_corpus(files={"a.txt": "Tea is hot.", "b.txt": "Ice is cold."})
    first, second = corpus.documents.order_by("name").values_list("pk", flat=True)
    with django_assert_num_queries(1):
        assert document_texts([second, first, second, 10**9]) == {first: "Tea is hot.", second: "Ice is cold."}


def test_a_pipeline_is_opened_again_without_reading_documents_or_index():
    corpus = make_corpus()
    first = open_pipeline(corpus=corpus, spec=SPEC)
    assert reads(lambda: open_pipeline(corpus=corpus, spec=SPEC)) == 0
    again = open_pipeline(corpus=corpus, spec=SPEC)
    assert again.retrieval.retriever.index is first.retrieval.retriever.index


def test_the_words_of_a_corpus_are_counted_once(monkeypatch):
    corpus = make_corpus()
    rewriting = SPEC.changed(query_transform="rewrite")
    first, again = (open_pipeline(corpus=corpus, spec=rewriting).retrieval.transform.vocabulary() for _ in range(2))
    assert first is again
    assert first["hieroglyphs"] == 1


def test_a_built_index_says_how_many_chunks_it_has():
    corpus = make_corpus()

    def chunks() -> int:
        building = build_index(corpus=corpus, spec=SPEC)
        while True:
            try:
                next(building)
            except StopIteration as stop:
                return stop.value

    assert chunks() == chunks() == len(open_index(corpus=corpus, spec=SPEC)) > 3


def test_an_index_whose_files_were_damaged_or_taken_away_is_not_taken_from_memory(data_dir):
    corpus = make_corpus()
    whole = open_index(corpus=corpus, spec=SPEC)
    assert open_index(corpus=corpus, spec=SPEC) is whole
    vectors = whole.vectors.tolist()  # a copy: they are mapped from the file
    [file] = (data_dir / "indexes").glob("*/vectors.npy")
    file.write_bytes(file.read_bytes()[:-7] + b"garbage")
    mended = open_index(corpus=corpus, spec=SPEC)
    assert mended is not whole
    assert mended.vectors.tolist() == vectors
    [file] = (data_dir / "indexes").glob("*/vectors.npy")
    file.unlink()
    assert open_index(corpus=corpus, spec=SPEC).vectors.tolist() == vectors
    assert file.exists()
