"""Pages warn of scores by an older formula, and score them again."""

from __future__ import annotations

from html import unescape

import pytest

from evaluation.metrics.base import metrics
from evaluation.models import Run, Scoring
from evaluation.scoring.comparability import formulas_in_force
from evaluation.spec import HEADLINE
from rag_pipeline.background.tasks import run_inline
from tests.factories import make_run, make_testset
from tests.markup import markup
from workbench.services.listing import OLDER

pytestmark = pytest.mark.django_db
METRIC = "groundedness_offline"


def links(figure):
    """Return the pages that the dots of a figure lead to."""
    return [link for trace in figure["data"] for link in trace.get("customdata", ())]


def make_runs() -> None:
    testset = make_testset()
    old = make_run(testset, name="Old", evaluation={"metrics": [METRIC]})
    make_run(testset, {"p1s": "Paris"}, name="New", evaluation={"metrics": [METRIC]})
    Scoring.objects.filter(run=old).update(formulas={})


@pytest.fixture
def runs(begin_with):
    """Return two runs; the first was scored by the first formula."""
    begin_with(make_runs)
    return tuple(Run.objects.order_by("id"))


def test_compare_warns_at_the_metric_and_scoring_again_mends_it(client, runs):
    old, new = runs
    page = "/compare/", {"a": old.pk, "b": new.pk}
    html = client.get(*page).content.decode()
    (further,) = client.get(*page).context["found"].comparisons[0].further
    assert further.verdict == ""
    assert "computed by different formulas of Groundedness (offline). Score Old again to compare them" in html
    assert "New in Groundedness (offline)" in html
    assert "Score New again" not in html
    assert 'id="older"' in client.get(f"/runs/{old.pk}/").content.decode()
    assert 'id="older"' not in client.get(f"/runs/{new.pk}/").content.decode()
    assert client.post(f"/runs/{old.pk}/score/", {"again": "1"})["Location"] == f"/runs/{old.pk}/"
    old.refresh_from_db()
    run_inline(old.scoring_task)
    response = client.get(*page)
    assert "different formulas" not in response.content.decode()
    assert response.context["found"].comparisons[0].further[0].verdict == "not distinguishable"
    assert 'id="older"' not in client.get(f"/runs/{old.pk}/").content.decode()


@pytest.mark.parametrize(
    "address", ["/dashboard/?score={metric}", "/results/?corpus={corpus}&testset={testset}&{how}&score={metric}"]
)
def test_charts_leave_out_the_older_formula_and_name_its_runs(client, runs, address):
    old, new = runs
    how = "agreement=token_recall&chunk_unit=characters"
    path = address.format(metric=METRIC, corpus=new.corpus_id, testset=new.testset_id, how=how)
    response = client.get(path, headers={"HX-Request": "true"})
    context = response.context
    figure = context["chart"].figure if "chart" in context else context["results"].figure
    assert links(figure) == [f"/runs/{new.pk}/"]
    html = markup(response.content.decode())
    assert f'computed Groundedness (offline) there: <a href="/runs/{old.pk}/#older">Old</a>' in html


def test_the_five_scores_of_an_older_formula_are_neither_drawn_nor_the_best(client, runs):
    old, new = runs
    Scoring.objects.filter(run=new).update(formulas={"token_recall": 2, METRIC: 2})
    response = client.get("/dashboard/", {"sort": "-total"})
    assert links(response.context["chart"].figure) == [f"/runs/{new.pk}/"]
    assert [row.run for row, _ in response.context["rows"]] == [new, old]
    assert f'computed Total there: <a href="/runs/{old.pk}/#older">Old</a>' in markup(response.content.decode())
    assert response.content.decode().count("computed by an older formula: score this run again") >= 3


def test_the_list_of_runs_marks_what_an_older_formula_gave(client, runs):
    old, new = runs
    revision = metrics.get("answer_correctness").revision
    for run in runs:
        Scoring.objects.filter(run=run).update(spec=run.current_scoring.spec | {"agreement": "answer_correctness"})
    for run, found in ((old, {"answer_correctness": 1}), (new, {"answer_correctness": revision})):
        Scoring.objects.filter(run=run).update(formulas=formulas_in_force(HEADLINE) | found)
    marked = {
        row.run: [cell.column.name for cell in cells if cell.remark == OLDER]
        for row, cells in client.get("/runs/").context["rows"]
    }
    assert marked == {old: ["total", "recall", "robustness"], new: []}
    assert client.get("/runs/").content.decode().count(f'data-tip="{OLDER}"') == 3


def test_the_page_metrics_says_what_a_revision_brought(client):
    metric = metrics.get(METRIC)
    assert f"Formula revision {metric.revision}:</span> {metric.changes}." in unescape(
        client.get("/metrics/").content.decode()
    )
