"""Definitions in place: one text for a word, on every page that uses it."""

from __future__ import annotations

import re

import pytest
from django.template import Context, Template
from django.urls import reverse

from evaluation.metrics.base import metrics
from evaluation.scoring.glossary import term, term_of_field, terms
from evaluation.spec import run_settings
from tests.factories import make_run
from workbench.forms.runs import QuestionFilterForm

pytestmark = pytest.mark.django_db
WORDS = (
    "twin", "slip", "holdout", "knowledge_bounding", "context_matching", "agreement", "oracle", "calibration",
    "failure_points",
)  # fmt: skip


def shown(template: str, **values: object) -> str:
    return Template(template).render(Context(values))


@pytest.mark.parametrize("word", WORDS)
def test_every_word_opens_a_short_text(word):
    html = shown("{% define word %}", word=word)
    button = re.search(r'popovertarget="([a-z0-9-]+)"', html)
    assert button is not None
    assert f'id="{button[1]}"' in html
    assert 40 < len(term(word).text) < 420
    assert "aria-label" not in html  # fields are found by their labels


def test_a_word_that_stands_twice_has_two_texts_of_its_own():
    html = shown("{% define 'twin' %}{% define 'twin' %}")
    assert len(set(re.findall(r'id="([a-z0-9-]+)"', html))) == 2


def test_what_is_no_term_has_no_question_mark():
    assert shown("{% define 'gone' %}").strip() == ""
    assert shown("{% define_field 'chunk_size' %}").strip() == ""


def test_a_metric_is_explained_by_what_it_declares():
    brevity = metrics.get("brevity")
    assert brevity.help in term("brevity").text
    assert brevity.formula in term("brevity").text
    assert "Lower is better." in term("latency_s").text


def test_the_fields_that_are_explained_exist(client):
    fields = set(run_settings()) | set(QuestionFilterForm({}, run=make_run()).fields)
    named = {field for each in terms() for field in each.fields}
    assert named <= fields
    assert all(term_of_field(field) for field in named)


def test_the_pages_have_the_definitions_beside_their_words(client):
    run = make_run()
    for address, labels in (
        ("/", ("Agreement", "Oracle", "Holdout")),
        (reverse("run", args=[run.pk]), ("Knowledge bounding", "Context matching", "Twin", "Slip", "Total")),
        (reverse("run-failures", args=[run.pk]), ("Failure points",)),
        (reverse("run-calibration", args=[run.pk]), ("Calibration",)),
        (reverse("testset", args=[run.testset_id]), ("Twin", "Holdout")),
    ):
        html = client.get(address).content.decode()
        for label in labels:
            assert f"<strong>{label}</strong>" in html, (address, label)


def test_the_metrics_page_holds_all_terms(client):
    html = client.get("/metrics/").content.decode()
    assert all(f'<dt id="{each.key}">{each.label}</dt>' in html for each in terms())
