"""The fields of the Workbench page: their labels, and the places of what follows the typing."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from tests.factories import make_testset
from tests.workbench.test_workbench import HTMX, fields

pytestmark = pytest.mark.django_db


@pytest.fixture
def testset():
    """Return a test set on the Rosetta document."""
    return make_testset()


@pytest.mark.parametrize(
    ("shown", "typed"),
    [("builtin:extractive", "openai:gpt-4.1-mini"), ("openai:gpt-4.1-mini", "builtin:extractive")],
)
def test_what_follows_the_typing_finds_its_place(client, testset, shown, typed):
    page = client.post(reverse("settings"), fields(llm=shown), headers=HTMX).content.decode()
    live = client.post(reverse("estimate"), fields(llm=typed), headers=HTMX).content.decode()
    places = re.findall(r'id="([^"]+)"', page)
    sent = re.findall(r'id="([^"]+)"[^>]*hx-swap-oob', live)
    assert {"mark-llm", "mark-strictness" if typed.startswith("builtin") else "mark-temperature"} <= set(sent)
    assert {name: places.count(name) for name in sent} == dict.fromkeys(sent, 1)


def test_only_the_model_is_called_model(client, testset):
    labels = re.findall(r"<label[^>]*>\s*([^<]+?)\s*<", client.get("/").content.decode())
    assert labels.count("Model") == 1
