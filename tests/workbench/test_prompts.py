"""The page of the prompts library."""

import pytest

from rag_pipeline.models import NamedPrompt

pytestmark = pytest.mark.django_db
TEXT = "Use this:\n{context}\n\nQ: {question}"


def test_shipped_and_own_prompts_are_listed_as_they_are(client):
    NamedPrompt.objects.create(name="Mine", text="{question} only")
    html = client.get("/prompts/").content.decode()
    assert "Concise" in html
    assert "Mine" in html
    assert "No {context}: only for pipelines that use no context." in html


def test_a_prompt_is_saved_and_begun_from_another(client):
    assert client.post("/prompts/save/", {"name": "Mine", "text": TEXT}).status_code == 302
    assert NamedPrompt.objects.get().text == TEXT
    form = client.get("/prompts/", {"from": "Mine"}).context["form"]
    assert (form["name"].value(), form["text"].value()) == ("Mine", TEXT)
    assert client.get("/prompts/", {"from": "Concise"}).context["form"]["name"].value() == ""


@pytest.mark.parametrize(
    ("sent", "field"),
    [({"name": "Concise", "text": TEXT}, "name"), ({"name": "Mine", "text": "no place"}, "text"), ({}, "name")],
)
def test_what_cannot_be_saved_comes_back_with_words(client, sent, field):
    response = client.post("/prompts/save/", sent, headers={"HX-Request": "true"})
    assert response.status_code == 422
    assert field in response.context["form"].errors
    assert "<html" not in response.content.decode()


def test_an_own_prompt_can_be_deleted_a_shipped_one_not(client):
    NamedPrompt.objects.create(name="Mine", text=TEXT)
    client.post("/prompts/delete/", {"name": "Mine"})
    assert not NamedPrompt.objects.exists()
    client.post("/prompts/delete/", {"name": "Concise"})
    assert "comes with the workbench" in client.get("/prompts/").content.decode()


def test_methods_are_kept_apart(client):
    assert client.post("/prompts/").status_code == 405
    assert client.get("/prompts/save/").status_code == 405
    assert client.get("/prompts/delete/").status_code == 405
