"""Rules under names of their own and metrics with a k, added by name in the picker."""

from __future__ import annotations

import pytest
from django.urls import reverse

from rag_pipeline.background.tasks import run_inline
from tests.factories import make_run
from workbench.forms.workbench import SettingsForm
from workbench.services.preferences import preferred_bench

pytestmark = pytest.mark.django_db


def test_a_rule_is_added_by_name_with_its_options(client):
    run = make_run()
    sent = {
        "further": "1",
        "metrics": ["token_f1", "must_match:city, recall_at_k@1"],
        "option-must_match-city-pattern": "Memphis",
        "judge": "",
        "judge_votes": "1",
    }
    assert client.post(reverse("run-score", args=[run.pk]), sent).status_code == 302
    run.refresh_from_db()
    run_inline(run.scoring_task)
    spec = run.current_scoring.spec
    assert spec["metrics"] == ["token_f1", "must_match:city", "recall_at_k@1"]
    assert spec["metric_options"] == {"must_match:city": {"pattern": "Memphis"}}
    found = dict(run.current_scoring.metrics.filter(group="").values_list("metric", "mean"))
    assert 0 < found["must_match:city"] < 1
    assert found["recall_at_k@1"] == 1


def test_what_was_added_stands_among_the_others_with_its_options():
    form = SettingsForm(initial=preferred_bench().values | {"metrics": "must_match:city,ndcg@5"})
    drawn = str(form["metrics"])
    assert ">More by name</label>" in drawn
    assert 'value="must_match:city"' in drawn
    assert 'name="option-must_match-city-pattern"' in drawn
    assert (
        'name="option-ndcg-at-5-k" value="5"' in drawn or 'value="5"' in drawn.partition("option-ndcg-at-5-k")[2][:80]
    )


def test_a_name_that_is_none_is_refused_beside_the_field(client):
    run = make_run()
    sent = {"further": "1", "metrics": ["recall:mine"], "judge": "", "judge_votes": "1"}
    response = client.post(reverse("run-score", args=[run.pk]), sent)
    assert response.status_code == 422
    assert "There is no metric called “recall:mine”" in response.content.decode()
