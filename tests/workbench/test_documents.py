"""The page Documents: upload, search, delete; what goes wrong is said in the page."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from rag_pipeline.models import Corpus, Document
from tests.factories import ROSETTA, WORDS, make_corpus, make_testset
from tests.markup import words_of
from workbench.models import Preferences

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def word_settings():
    """Prefer settings that need no model."""
    Preferences.store({"pipeline": {"embedding": WORDS, "chunk_size": 200, "chunk_overlap": "20"}})


def file(name: str, text: str | bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, text.encode() if isinstance(text, str) else text)


def upload(client, *files, corpus="Museum", **headers):
    return client.post("/documents/upload/", {"corpus": corpus, "documents": list(files)}, **headers)


def test_an_empty_workbench_says_what_to_do(client):
    html = client.get("/documents/").content.decode()
    assert "This is the place for what the bot answers from." in html
    assert html.count("Upload documents") == 1


def test_uploaded_files_are_listed_and_marked_as_new(client):
    response = upload(client, file("stone.txt", ROSETTA), file("note.md", "# A note\n\nThe museum opens at nine."))
    assert response.status_code == 302
    assert {document.name for document in Document.objects.all()} == {"stone.txt", "note.md"}
    page = client.get(response["Location"])
    assert "Added “stone.txt”, “note.md”." in words_of(page)
    assert page.content.decode().count("badge-good") == 2


def test_a_bad_file_is_named_with_its_reason_and_stops_no_other(client):
    response = upload(client, file("empty.txt", " "), file("stone.txt", ROSETTA), file("tool.exe", b"MZ\x00"))
    assert response.status_code == 422
    assert Document.objects.get().name == "stone.txt"
    words = words_of(response)
    assert "2 files could not be read" in words
    assert "tool.exe" in words
    assert "Known formats" in words


def test_the_same_file_twice_is_one_document(client):
    upload(client, file("stone.txt", ROSETTA))
    response = upload(client, file("copy.txt", ROSETTA))
    assert Document.objects.count() == 1
    assert "“stone.txt” is here already: the same bytes." in words_of(client.get(response["Location"]))


def test_an_upload_without_files_or_corpus_comes_back_with_words(client):
    response = upload(client)
    assert response.status_code == 422
    assert "Choose one file or more first." in words_of(response)
    response = upload(client, file("a.txt", "text"), corpus="")
    assert response.status_code == 422
    assert "Name the corpus that takes the files." in words_of(response)
    assert not Corpus.objects.exists()


def test_search_ranks_chunks_with_their_scores(client):
    corpus = make_corpus(files={"stone.txt": ROSETTA})
    response = client.get("/documents/search/", {"corpus": corpus.pk, "q": "Champollion announced the decipherment"})
    assert response.status_code == 200
    first = response.context["result"].contexts[0]
    assert "Champollion" in first.text
    assert 0 < first.score <= 1
    assert f"?start={first.span.start}&amp;end={first.span.end}#marked" in response.content.decode()


def test_htmx_gets_the_results_alone(client):
    corpus = make_corpus()
    response = client.get("/documents/search/", {"corpus": corpus.pk, "q": "stone"}, headers={"HX-Request": "true"})
    assert "<html" not in response.content.decode()
    assert "search-results" in response.content.decode()


def test_a_search_in_one_document_finds_nothing_of_the_others(client):
    files = {"stone.txt": ROSETTA, "obelisk.txt": "The obelisk was found in Luxor by Champollion."}
    corpus = make_corpus(files=files)
    obelisk = corpus.documents.get(name="obelisk.txt")
    asked = {"corpus": corpus.pk, "q": "Where was the stone found?"}
    everywhere = client.get("/documents/search/", asked)
    assert {context.document for context in everywhere.context["result"].contexts} == {"stone.txt", "obelisk.txt"}
    response = client.get("/documents/search/", asked | {"document": obelisk.pk})
    assert {context.document for context in response.context["result"].contexts} == {"obelisk.txt"}
    assert "1 chunk of “obelisk.txt” ( search all documents )" in words_of(response)
    assert f'<option value="{obelisk.pk}" selected>' in response.content.decode()
    assert f'name="document" value="{obelisk.pk}"' in client.get(f"/documents/{obelisk.pk}/").content.decode()
    other = make_corpus().documents.get()
    assert client.get("/documents/search/", asked | {"document": other.pk}).status_code == 404


def test_a_search_by_words_says_so_and_finds_nothing_without_them(client):
    Preferences.store({"pipeline": {"retriever": "bm25", "chunk_size": 200, "chunk_overlap": "20"}})
    corpus = make_corpus()
    found = client.get("/documents/search/", {"corpus": corpus.pk, "q": "Champollion"})
    assert [context.rank for context in found.context["result"].contexts] == [1]
    assert "found by BM25" in words_of(found)
    nothing = client.get("/documents/search/", {"corpus": corpus.pk, "q": "nitrogen"})
    assert "Nothing found by BM25." in words_of(nothing)


def test_a_search_that_embeds_much_asks_first(client, monkeypatch):
    monkeypatch.setattr("workbench.services.library.ASK_BEFORE_EMBEDDING", 2)
    corpus = make_corpus()
    response = client.get("/documents/search/", {"corpus": corpus.pk, "q": "stone"})
    assert "were never embedded" in words_of(response)
    response = client.get("/documents/search/", {"corpus": corpus.pk, "q": "stone", "embed": "1"})
    assert response.context["result"].contexts


def test_an_empty_query_and_an_empty_corpus_are_explained(client):
    corpus = make_corpus(files={})
    assert client.get("/documents/search/", {"corpus": corpus.pk, "q": " "}).status_code == 422
    make_corpus()
    response = client.get("/documents/search/", {"corpus": corpus.pk, "q": "stone"})
    assert response.status_code == 422
    assert client.get("/documents/search/", {"corpus": 999, "q": "stone"}).status_code == 404


def test_the_number_of_queries_does_not_grow_with_the_documents(
    client, django_assert_num_queries, django_assert_max_num_queries
):
    small = make_corpus(files={"one.txt": "One."})
    large = make_corpus(files={f"{number}.txt": f"Number {number}." for number in range(30)})
    client.get("/documents/", {"corpus": large.pk})
    with django_assert_max_num_queries(24) as counted:
        client.get("/documents/", {"corpus": small.pk})
    with django_assert_num_queries(len(counted.captured_queries)):
        client.get("/documents/", {"corpus": large.pk})


def test_a_corpus_can_be_made_and_deleted(client):
    response = client.post("/documents/corpora/", {"name": "  New   one "})
    corpus = Corpus.objects.get(name="New one")
    assert response["Location"] == f"/documents/?corpus={corpus.pk}"
    assert client.post("/documents/corpora/", {"name": ""}).status_code == 422
    response = client.post(f"/documents/corpora/{corpus.pk}/delete/")
    assert response.status_code == 302
    assert not Corpus.objects.exists()


def test_a_corpus_in_use_stays_and_the_page_says_who_needs_it(client):
    testset = make_testset()
    response = client.post(f"/documents/corpora/{testset.corpus_id}/delete/")
    assert response.status_code == 422
    assert testset.name in words_of(response)
    assert Corpus.objects.filter(pk=testset.corpus_id).exists()


def test_own_files_go_into_a_corpus_of_their_own_beside_the_sample(client):
    sample = make_corpus(name="Sample: Warsaw")
    museum = make_corpus(name="Museum")
    pages = [client.get("/documents/", {"corpus": each.pk}).context for each in (sample, museum)]
    assert [page["upload"]["corpus"].value() for page in pages] == ["My documents", "Museum"]


def test_a_new_corpus_that_took_no_file_is_not_kept(client):
    response = upload(client, file("empty.txt", ""), corpus="New one")
    assert response.status_code == 422
    assert "The file is empty." in words_of(response)
    assert response.context["upload"]["corpus"].value() == "New one"
    assert not Corpus.objects.exists()
    client.post("/documents/corpora/", {"name": "Kept"})
    upload(client, file("empty.txt", ""), corpus="Kept")
    assert Corpus.objects.get().name == "Kept"


@pytest.mark.parametrize("address", ["upload/", "corpora/", "corpora/1/delete/", "1/delete/"])
def test_changes_go_by_post_only(client, address):
    assert client.get(f"/documents/{address}").status_code == 405


@pytest.mark.parametrize("address", ["", "search/", "1/", "1/original/", "1/text/"])
def test_looking_goes_by_get_only(client, address):
    assert client.post(f"/documents/{address}").status_code == 405


@pytest.mark.parametrize("address", ["7/", "7/original/", "7/text/"])
def test_a_missing_document_is_not_found(client, address):
    assert client.get(f"/documents/{address}").status_code == 404
    assert client.post("/documents/7/delete/").status_code == 404
    assert client.post("/documents/corpora/7/delete/").status_code == 404


def test_a_file_over_the_limit_is_refused_in_words(client, settings):
    settings.MAX_UPLOAD_MB = 1
    response = upload(client, file("large.txt", "x" * 1_100_000))
    assert response.status_code == 422
    assert "larger than 1 MB" in words_of(response)
