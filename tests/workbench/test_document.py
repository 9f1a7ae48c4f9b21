"""The page of one document: chunks under settings that can be tried, the original, deleting."""

from __future__ import annotations

import re

import pytest

from rag_pipeline.models import Document
from tests.factories import ROSETTA, WORDS, make_corpus, make_testset
from tests.markup import markup
from workbench.models import Preferences

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def word_settings():
    """Prefer settings that need no model."""
    Preferences.store({"pipeline": {"embedding": WORDS, "chunk_size": 200, "chunk_overlap": "20"}})


@pytest.fixture
def document():
    """A document on the Rosetta Stone."""
    return make_corpus(files={"stone.txt": ROSETTA}).documents.get()


def shown_text(response) -> str:
    return "".join(part.text for row in response.context["rows"] for part in row.segments)


def test_the_whole_text_is_shown_cut_by_the_current_settings(client, document):
    response = client.get(f"/documents/{document.pk}/")
    assert response.status_code == 200
    assert shown_text(response) == document.text
    assert all(len(row.span) <= 200 for row in response.context["rows"])
    assert "the preferred settings" in response.content.decode()


def test_other_sizes_can_be_tried_in_the_address(client, document):
    few = client.get(f"/documents/{document.pk}/", {"chunk_size": 500, "chunk_overlap": 0, "chunker": "fixed"})
    many = client.get(f"/documents/{document.pk}/", {"chunk_size": 60, "chunk_overlap": "50%", "chunker": "fixed"})
    assert len(few.context["rows"]) < len(many.context["rows"])
    assert not any(part.shared for row in few.context["rows"] for part in row.segments)
    assert any(part.shared for row in many.context["rows"] for part in row.segments)
    assert Preferences.load()["pipeline"]["chunk_size"] == 200


def test_chunks_are_counted_in_tokens(client, document):
    response = client.get(f"/documents/{document.pk}/", {"chunk_unit": "tokens", "chunk_size": 20, "chunk_overlap": 0})
    assert max(response.context["preview"].token_counts) <= 20
    assert "Tokens a chunk" in response.content.decode()


@pytest.mark.parametrize(
    ("cut", "field"),
    [({"chunk_size": 100, "chunk_overlap": 100}, "chunk_overlap"), ({"chunk_size": "x"}, "chunk_size")],
)
def test_settings_that_cannot_cut_are_explained_beside_their_field(client, document, cut, field):
    response = client.get(f"/documents/{document.pk}/", cut)
    assert response.status_code == 422
    assert field in response.context["form"].errors


def test_long_documents_come_by_pages_of_chunks(client):
    text = "\n\n".join(f"Paragraph {number} is about nothing but itself." for number in range(300))
    document = make_corpus(files={"long.txt": text}).documents.get()
    address, cut = f"/documents/{document.pk}/", {"chunk_size": 60, "chunk_overlap": 0}
    first = client.get(address, cut)
    assert len(first.context["rows"]) == 50
    start = document.text.index("Paragraph 200 ")
    marked = client.get(address, cut | {"start": start, "end": start + 13})
    assert "Paragraph 200 " in shown_text(marked)
    assert marked.context["page"].number > 1
    assert re.search(r'<mark class="located"[^>]*>Paragraph 200</mark>', markup(marked.content.decode()))


def test_htmx_gets_the_chunks_alone(client, document):
    html = client.get(f"/documents/{document.pk}/", headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in html
    assert 'id="chunks"' in html


def test_the_original_and_the_text_can_be_had(client, document):
    response = client.get(f"/documents/{document.pk}/original/")
    assert response.content == ROSETTA.encode()
    assert response["Content-Disposition"] == 'attachment; filename="stone.txt"'
    assert client.get(f"/documents/{document.pk}/text/").content.decode() == document.text


def test_a_document_can_be_deleted(client, document):
    response = client.post(f"/documents/{document.pk}/delete/")
    assert response["Location"] == f"/documents/?corpus={document.corpus_id}"
    assert not Document.objects.exists()


def test_evidence_keeps_its_document(client):
    testset = make_testset()
    document = testset.corpus.documents.get()
    response = client.post(f"/documents/{document.pk}/delete/")
    assert response.status_code == 422
    assert testset.name in response.content.decode()
    assert Document.objects.filter(pk=document.pk).exists()


def test_the_chosen_chunker_brings_its_own_fields(client, document):
    html = client.get(f"/documents/{document.pk}/", {"chunker": "hierarchical"}).content.decode()
    assert 'name="parent_size"' in html
    assert 'name="semantic_percentile"' not in html
    part = client.get(
        f"/documents/{document.pk}/",
        {"chunker": "semantic"},
        headers={"HX-Request": "true", "HX-Trigger": "choose-chunker"},
    ).content.decode()
    assert 'id="cut-fields"' in part
    assert 'name="semantic_percentile"' in part


def test_parents_are_shown_around_their_chunks(client, document):
    response = client.get(
        f"/documents/{document.pk}/",
        {"chunker": "hierarchical", "chunk_size": 100, "chunk_overlap": 0, "parent_size": 400},
    )
    rows = response.context["rows"]
    assert 1 < response.context["parents"] < len(rows)
    assert [row.parent.number for row in rows if row.parent] == list(range(1, response.context["parents"] + 1))
    assert "Parent 1 of" in response.content.decode()
    refused = client.get(f"/documents/{document.pk}/", {"chunker": "hierarchical", "parent_size": 150})
    assert "Raise the parent size" in refused.context["form"].errors["parent_size"][0]


def test_headings_are_shown_above_their_chunks(client):
    document = make_corpus(files={"guide.md": "# Guide\n\n## Care\n\nOil it.\n\n## Parts\n\nA cable."}).documents.get()
    response = client.get(f"/documents/{document.pk}/", {"chunker": "markdown", "chunk_size": 25, "chunk_overlap": 0})
    assert [row.heading for row in response.context["rows"]] == [("Guide", "Care"), ("Guide", "Parts")]
    # Six words and marks of the text, three of the path: tokens are counted as they are embedded.
    assert response.context["preview"].token_counts[1] == 3 + 6
    assert shown_text(response) == document.text


def test_sentences_are_embedded_for_the_semantic_chunker_only_when_asked(client, document):
    address, chosen = f"/documents/{document.pk}/", {"chunker": "semantic", "chunk_size": 300}
    waiting = client.get(address, chosen)
    assert "The sentences must be embedded first" in waiting.content.decode()
    assert waiting.context["waiting"].left == waiting.context["waiting"].total > 0
    pressed = client.post(f"{address}embed/", chosen)
    assert pressed.status_code == 302
    shown = client.get(pressed["Location"])
    assert shown_text(shown) == document.text
    assert shown.context["form"].spec.core.chunker == "semantic"
    assert len(shown.context["rows"]) > 1


def test_the_page_says_how_many_chunks_are_longer_than_the_window(client):
    document = make_corpus(files={"long.txt": f"{ROSETTA} " * 6}).documents.get()
    chosen = {"embedding": "local:all-MiniLM-L6-v2", "chunk_size": 2000, "chunk_overlap": 0}
    html = client.get(f"/documents/{document.pk}/", chosen).content.decode()
    assert "254 tokens" in html
    assert "100 % of the chunks" in html
    assert "size-figure" in html
