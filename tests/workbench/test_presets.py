"""Presets of the Workbench: saved, taken over, told from others, deleted; and its prompt as a named choice."""

from __future__ import annotations

import pytest
from django.urls import reverse

from tests.factories import make_corpus, make_testset
from tests.markup import markup
from workbench.forms.workbench import SettingsForm
from workbench.models import Preferences, Preset
from workbench.services.preferences import preferred_bench

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture
def testset():
    return make_testset()


def sent(**changes):
    """Return what a browser sends for the form as it starts, with changes."""
    form = SettingsForm(initial=preferred_bench().values).bound()
    return {name: value for name, value in form.data.items() if value != "false"} | changes


def form_of(client):
    return client.get("/").context["form"]


def test_any_number_is_kept_and_taken_over_again(client, testset):
    for name, size in (("small", 200), ("large", 900)):
        response = client.post(reverse("preset-save"), sent(chunk_size=size, preset_name=name), headers=HTMX)
        assert f"Saved the preset “{name}”." in response.content.decode()
    assert [preset.name for preset in Preset.objects.all()] == ["large", "small"]
    small = Preset.objects.get(name="small")
    client.post(reverse("preset-take", args=[small.pk]), sent(top_k=9), headers=HTMX)
    form = form_of(client)
    assert (str(form.value("chunk_size")), str(form.value("top_k"))) == ("200", "4")
    assert Preferences.load() == {}  # the preferred settings are other ones


def test_the_preset_that_the_form_agrees_with_is_marked(client, testset):
    client.post(reverse("preset-save"), sent(chunk_size=200, preset_name="small"))
    html = markup(client.get("/").content.decode())
    assert '<span class="badge">small</span>' in html
    client.post(reverse("estimate"), sent(chunk_size=250), headers=HTMX)
    assert '<span class="badge">small</span>' not in markup(client.get("/").content.decode())


def test_a_preset_leaves_corpus_and_test_set(client, testset):
    client.post(reverse("preset-save"), sent(chunk_size=200, preset_name="small"))
    other = make_testset(make_corpus())
    client.post(reverse("choose-corpus"), {"chosen": other.corpus.pk})
    client.post(reverse("preset-take", args=[Preset.objects.get().pk]), sent())
    form = form_of(client)
    assert (form.key("corpus"), form.key("testset"), str(form.value("chunk_size"))) == (
        other.corpus.pk,
        other.pk,
        "200",
    )


def test_the_same_name_replaces_and_no_name_is_refused_with_words(client, testset):
    for size in (200, 300):
        client.post(reverse("preset-save"), sent(chunk_size=size, preset_name=" mine "))
    assert Preset.objects.get().values["pipeline"]["chunk_size"] == 300
    for name, words in ((" ", "Give the preset a name."), ("x" * 81, "81 characters")):
        response = client.post(reverse("preset-save"), sent(preset_name=name), headers=HTMX)
        assert response.status_code == 422
        assert words in response.content.decode()
    wrong = client.post(reverse("preset-save"), sent(chunk_size="x", preset_name="new"), headers=HTMX)
    assert wrong.status_code == 422
    assert Preset.objects.count() == 1


def test_deleting_one_leaves_the_form(client, testset):
    client.post(reverse("preset-save"), sent(chunk_size=200, preset_name="small"))
    client.post(reverse("preset-delete", args=[Preset.objects.get().pk]), sent(chunk_size=200))
    assert not Preset.objects.exists()
    assert str(form_of(client).value("chunk_size")) == "200"
    assert client.post(reverse("preset-delete", args=[1]), sent()).status_code == 404
    assert client.post(reverse("preset-take", args=[1]), sent()).status_code == 404
    assert client.get(reverse("preset-save")).status_code == 405


def test_a_preset_of_another_version_is_taken_over_as_far_as_it_goes(client, testset):
    values = {"pipeline": {"chunk_size": 222, "gone": 1}, "evaluation": {}, "options": {}}
    preset = Preset.objects.create(name="old", values=values)
    client.post(reverse("preset-take", args=[preset.pk]), sent())
    assert str(form_of(client).value("chunk_size")) == "222"
    assert preferred_bench().settings["chunk_size"] == 1000


def test_the_chosen_name_stays_where_only_the_text_was_edited(client, testset):
    edited = sent(prompt="Say {context} {question}", library="Concise", library_was="Concise")
    form = client.post(reverse("settings"), edited, headers=HTMX).context["form"]
    assert form.value("prompt") == "Say {context} {question}"
    html = client.post(reverse("estimate"), edited, headers=HTMX).content.decode()
    assert "edited, no name yet" in html


def test_versions_of_a_prompt_are_offered_by_their_names(client, testset):
    for text in ("One {context} {question}", "Two {context} {question}"):
        client.post(reverse("save-prompt"), sent(prompt=text, library_name="Mine"))
    html = markup(client.get("/").content.decode())
    assert '<option value="Mine v2" selected>Mine v2 (yours)</option>' in html
    assert '<option value="Mine">Mine (yours)</option>' in html
    page = client.get("/prompts/").content.decode()
    assert "an earlier version" in page
    assert page.count("with its versions?") == 1
