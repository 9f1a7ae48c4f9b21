"""Quality against what it takes, radar and boxes as dicts."""

from __future__ import annotations

import plotly.graph_objects as go
import pytest

from evaluation.queries.runs import run_rows
from tests.commands import ROOT
from tests.factories import make_run, make_testset
from workbench.charts.palette import prompt_series
from workbench.charts.run_charts import cost_of, front, goodness, latency_of, quality_against, radar, spread

IN_BUNDLE = {
    "bar", "box", "contour", "heatmap", "histogram", "histogram2d", "histogram2dcontour", "image", "pie", "scatter",
    "scatterternary", "violin",
}  # fmt: skip


@pytest.fixture
def rows():
    """Return runs: cheap and bad, dear and good, dear and bad, and one of unknown cost."""
    testset = make_testset()
    wrong = ["p1s", "p2s", "p3s"]
    for cost, mistakes in ((0.8, wrong[:2]), (8.0, []), (8.8, wrong[:1]), (None, [])):
        run = make_run(testset, dict.fromkeys(mistakes, "Paris"), name=f"{cost}")
        run.took = {"answers": 8, "latency_p50": 2.0, "cost_usd": cost}
        run.save()
    return sorted(run_rows(testset=testset), key=lambda row: row.run.pk)


@pytest.mark.django_db
def test_the_front_holds_what_no_other_run_beats(rows):
    taken = {row.run.pk: cost_of(row) for row in rows[:3]}
    assert list(taken.values()) == pytest.approx([0.1, 1.0, 1.1])
    assert front(rows[:3], "recall", taken) == rows[:2]
    assert front(rows[:3], "latency_s", taken)[0] == rows[0]


@pytest.mark.django_db
def test_quality_against_cost_draws_known_costs_and_the_front(rows):
    taken = {row.run.pk: cost for row in rows if (cost := cost_of(row)) is not None}
    shown = quality_against(rows, prompt_series(), "recall", taken, in_dollars=True)
    go.Figure(shown)
    line, dots = shown["data"]
    assert (line["x"], line["y"]) == (pytest.approx([0.1, 1.0]), pytest.approx([1 / 3, 1.0]))
    assert dots["x"] == pytest.approx([0.1, 1.0, 1.1])
    assert "$0.1000 an answer" in dots["text"][0]
    assert latency_of(rows[0]) == 2.0
    assert quality_against(rows, {}, "recall", {}, in_dollars=False)["data"] == []


def test_a_radar_has_a_corner_a_metric_and_its_numbers_as_a_table():
    runs = {"A": {"recall": 1.0, "brevity": 0.5, "robustness": 0.25}, "B": {"recall": None, "brevity": 1.0}}
    shown = radar(runs, ["recall", "brevity", "robustness"])
    go.Figure({name: shown[name] for name in ("data", "layout")})
    a, b = (trace for trace in shown["data"] if trace["mode"] == "lines+markers")
    assert (a["x"][0], a["y"][0]) == pytest.approx((0.0, 1.0))  # the first spoke points up
    assert [len(a["x"]), len(b["x"])] == [4, 2]  # closed; a metric without a value has no corner
    sizes = [(x * x + y * y) ** 0.5 for x, y in zip(a["x"], a["y"], strict=True)]
    assert sizes == pytest.approx([1.0, 0.5, 0.25, 1.0])
    assert shown["table"]["rows"] == [["A", 1.0, 0.5, 0.25], ["B", None, 1.0, None]]


def test_the_rim_of_a_radar_is_the_best_of_each_metric():
    assert goodness("recall", 0.25) == 0.25
    assert goodness("total", 4.0) == 0.8
    assert goodness("noise_sensitivity", 0.25) == 0.75  # less is better


def test_a_box_a_run_in_the_order_given():
    shown = spread({"A": [0.0, 1.0], "B": [0.5]}, "recall")
    go.Figure(shown)
    assert [(box["name"], box["y"]) for box in shown["data"]] == [("A", [0.0, 1.0]), ("B", [0.5])]
    assert spread({"A": []}, "recall")["data"] == []


def test_the_shipped_bundle_is_the_plotly_that_figures_are_checked_with_and_has_what_is_drawn():
    from plotly.offline import get_plotlyjs_version

    head = (ROOT / "static/vendor/plotly/plotly-cartesian.min.js").read_text(encoding="utf-8")[:80]
    assert f"plotly.js (cartesian - minified) v{get_plotlyjs_version()}" in head
    drawn = {
        part.split('"')[0]
        for path in (ROOT / "workbench" / "charts").glob("*.py")
        for part in path.read_text(encoding="utf-8").split('"type": "')[1:]
    }
    axes_and_shapes = {"log", "linear", "category", "data", "line", "rect"}
    assert drawn - axes_and_shapes <= IN_BUNDLE
