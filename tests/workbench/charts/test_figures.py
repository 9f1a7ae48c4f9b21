"""Figures as dicts: what is drawn where, and that Plotly accepts it."""

from __future__ import annotations

import math

import plotly.graph_objects as go
import pytest

from evaluation.queries.runs import run_rows
from tests.factories import make_run, make_testset
from workbench.charts.figures import drawn, score_against_chunk_size
from workbench.charts.palette import prompt_series

pytestmark = pytest.mark.django_db

ALWAYS = "Use {context} and answer {question}"


def figure(testset, **options):
    """Return the figure of a test set's runs."""
    return score_against_chunk_size(run_rows(testset=testset), prompt_series(), **options)


@pytest.fixture
def testset():
    """Return a test set with runs of two prompts at two sizes."""
    testset = make_testset()
    for size, prompt in ((300, None), (300, None), (1000, None), (1000, ALWAYS)):
        settings = {"chunk_size": size} | ({"prompt": prompt, "prompt_name": "Always <b>"} if prompt else {})
        make_run(testset, settings=settings)
    return testset


def test_plotly_accepts_the_figure(testset):
    go.Figure(figure(testset))


def test_one_dot_a_run_and_one_series_a_prompt(testset):
    data = figure(testset)["data"]
    assert {trace["name"]: len(trace["x"]) for trace in data} == {
        "Concise · reader: extractive": 3,
        "Always &lt;b&gt; · reader: extractive": 1,
    }
    assert all(trace["customdata"][0].startswith("/runs/") for trace in data)


def test_dots_of_one_size_are_fanned_out_around_it(testset):
    (concise,) = (trace for trace in figure(testset)["data"] if trace["name"].startswith("Concise"))
    first, second = sorted(concise["x"])[:2]
    assert first < 300 < second
    assert math.isclose(first * second, 300**2)


def test_fans_of_near_sizes_do_not_mix(testset):
    for _ in range(4):
        make_run(testset, settings={"chunk_size": 310})
    places = [(x, size) for trace in figure(testset)["data"] for x, size in zip(trace["x"], sizes(trace), strict=True)]
    assert max(x for x, size in places if size == 300) < min(x for x, size in places if size == 310)


def sizes(trace):
    """Return the chunk size that each dot stands for."""
    return [min((300, 310, 1000), key=lambda size: abs(math.log(x / size))) for x in trace["x"]]


def test_many_dots_go_without_intervals(testset, monkeypatch):
    assert all(trace["error_y"]["visible"] for trace in figure(testset)["data"])
    monkeypatch.setattr("workbench.charts.figures.MANY_DOTS", 3)
    assert not any(trace["error_y"]["visible"] for trace in figure(testset)["data"])


def test_colours_stay_with_the_prompt_and_are_tokens(testset):
    colours = {trace["name"]: trace["marker"]["color"] for trace in figure(testset)["data"]}
    make_run(testset, settings={"chunk_size": 500, "prompt": ALWAYS + " now", "prompt_name": "Third"})
    again = {trace["name"]: trace["marker"]["color"] for trace in figure(testset)["data"]}
    assert colours.items() <= again.items()
    assert set(again.values()) == {"var(--series-1)", "var(--series-4)", "var(--series-5)"}


def test_axes_hold_the_whole_scale(testset):
    assert figure(testset)["layout"]["yaxis"]["range"] == [-0.1, 5.2]
    assert figure(testset, score="recall")["layout"]["yaxis"]["range"] == [-0.02, 1.04]
    assert figure(testset)["layout"]["xaxis"]["ticktext"] == ["300", "1,000"]


def test_labels_do_not_lie_on_each_other(testset):
    heights = sorted(label["y"] for label in figure(testset)["layout"]["annotations"])
    assert heights[1] - heights[0] >= 0.13 * 5 - 1e-9
    assert heights[1] <= 5


def test_more_than_four_series_get_a_legend(testset):
    for number in range(3):
        make_run(testset, settings={"prompt": f"{ALWAYS} {number}", "prompt_name": f"P{number}"})
    layout = figure(testset)["layout"]
    assert layout["showlegend"] is True
    assert layout["annotations"] == []


def test_a_run_without_score_or_of_part_of_the_questions(testset):
    make_run(testset, scored=False)
    part = make_run(testset, settings={"chunk_size": 5000}, limit=1)
    assert len(drawn(run_rows(testset=testset))) == 5
    symbols = [symbol for trace in figure(testset)["data"] for symbol in trace["marker"]["symbol"]]
    assert symbols.count("circle-open") == 1
    assert drawn(run_rows(testset=testset))[-1].run == part


def test_nothing_to_draw_is_an_empty_figure():
    assert figure(make_testset())["data"] == []


def test_the_longest_label_has_room(testset):
    make_run(testset, settings={"chunk_size": 100, "llm": "openai:a-model-with-a-long-name"})
    assert figure(testset)["layout"]["margin"]["r"] >= 6 * len("openai:a-model-with-a-long-name")
