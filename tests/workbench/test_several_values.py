"""Several values in fields of the Workbench: the button leads to the plan of a sweep."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, urlsplit

import pytest

from evaluation.models import Sweep
from rag_pipeline.services.prompts import get_prompt
from tests.evaluation.sweeps import BASE
from tests.factories import make_testset
from workbench.forms.workbench import SettingsForm
from workbench.services.preferences import preferred_bench

pytestmark = pytest.mark.django_db(transaction=True)


def filled(**changes) -> dict:
    """Return what a browser sends for the form as it starts, with changes."""
    make_testset()
    form = SettingsForm(initial=preferred_bench().values).bound()
    return {name: value for name, value in form.data.items() if value != "false"} | BASE | changes


def started(client, address: str) -> Sweep:
    """Look at the plan and press Start."""
    form = client.get(address).context["form"]
    assert client.post("/sweeps/start/", form.data | {"start": "1"}).status_code == 302
    return Sweep.objects.get()


def test_several_values_are_counted_on_the_button(client):
    values = filled(chunk_size="100, 200", top_k="1..4 x 2")
    html = client.post("/settings/estimate/", values, headers={"HX-Request": "true"}).content.decode()
    assert "Sweep 6 configurations" in html
    assert "Evaluate" not in html.split('id="go"')[1].split("</button>")[0]
    assert " hidden" in html.split('id="go-quick"')[1].split(">")[0]
    assert client.post("/evaluate/", values | {"quick": "1"}).headers["Location"].startswith("/sweeps/?")


def test_the_button_leads_to_the_plan_and_from_there_to_the_sweep(client):
    values = filled(chunk_size="100, 200", also_retriever=["bm25"])
    sent = client.post("/evaluate/", values, headers={"HX-Request": "true"})
    address = sent.headers["HX-Redirect"]
    asked = parse_qs(urlsplit(address).query)
    assert asked["grid"] == ['chunk_size=100, 200\nretriever=["dense", "bm25"]']
    html = client.get(address).content.decode()
    assert "4 configurations over" in html
    assert started(client, address).plan["configurations"] == 4


def test_prompts_are_ticked_and_one_without_a_name_is_tried_too(client):
    own = 'Say "aye".\nContext: {context}\nQuestion: {question}'
    values = filled(prompt=own, also_prompt=["Concise"], library="", library_was="")
    address = client.post("/evaluate/", values).headers["Location"]
    tried = json.loads(parse_qs(urlsplit(address).query)["grid"][0].partition("=")[2])
    assert tried == [own, "Concise"]
    html = client.get(address).content.decode()
    assert "2 configurations over" in html
    grid = started(client, address).spec["grid"]
    labels = [value["settings"]["prompt"] for _, values in grid for value in values]
    assert labels == [own, get_prompt(name="Concise").text]


def test_one_wrong_value_is_said_beside_the_button(client):
    values = filled(chunk_size="100, many")
    html = client.post("/settings/estimate/", values, headers={"HX-Request": "true"}).content.decode()
    assert "Sweep 1 configuration" in html
    assert "1 cannot work: Chunk size must be a whole number" in html
    sent = client.post("/evaluate/", values)
    plan = client.get(sent.headers["Location"]).content.decode()
    assert "Left out: cannot work" in plan


def test_a_single_value_is_a_run_as_before(client):
    sent = client.post("/evaluate/", filled(chunk_size="120"))
    assert sent.status_code == 302
    assert not Sweep.objects.exists()
