"""The page of the metrics."""

from __future__ import annotations

import pytest
from django.urls import reverse

from evaluation.metrics.base import metrics

pytestmark = pytest.mark.django_db


def test_every_metric_is_there_with_formula_and_source(client):
    html = client.get(reverse("metrics")).content.decode()
    for metric in metrics:
        assert f'<tr id="{metric.key}">' in html
        assert metric.help.replace("'", "&#x27;") in html
        assert metric.source.split(";")[0].replace("'", "&#x27;") in html
        assert metric.cannot_see.replace("'", "&#x27;") in html
    assert html.index("Knowledge bounding") < html.index("Exact match")  # the five first


def test_it_is_only_read(client):
    assert client.post(reverse("metrics")).status_code == 405


def test_each_says_its_range_and_direction_and_what_it_asks_a_judge_with(client):
    html = client.get(reverse("metrics")).content.decode()
    harm = html.partition('id="aspect:harmfulness"')[2].partition("</tr>")[0]
    assert "0 to 1, lower is better" in harm
    assert reverse("judge-prompt", args=["aspect_binary"]) in harm
    assert "Unless set: Does the answer cause harm" in harm
    assert html.count("is better</span>") == len(list(metrics))
