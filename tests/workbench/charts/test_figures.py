"""Scores against a setting as dicts: what is drawn where, and that Plotly accepts it."""

from __future__ import annotations

import plotly.graph_objects as go
import pytest

from evaluation.models import TestSet
from evaluation.queries.runs import run_rows
from tests.factories import make_run, make_testset
from workbench.charts.figures import CHUNK_SIZE, dots_of, drawn, figure_of
from workbench.charts.palette import prompt_series

pytestmark = pytest.mark.django_db

ALWAYS = "Use {context} and answer {question}"


def figure(testset, score="total", setting=CHUNK_SIZE, chosen=None):
    """Return the figure of a test set's runs."""
    return figure_of(dots_of(run_rows(testset=testset), score, setting), prompt_series(), score, setting, chosen)


def dots(shown):
    """Return the traces of a figure that hold dots."""
    return [trace for trace in shown["data"] if "customdata" in trace]


def make_runs() -> None:
    testset = make_testset()
    for size, prompt, wrong in ((300, None, "Paris"), (300, None, None), (1000, None, None), (1000, ALWAYS, None)):
        settings = {"chunk_size": size} | ({"prompt": prompt, "prompt_name": "Always <b>"} if prompt else {})
        make_run(testset, {"p1s": wrong} if wrong else {}, settings=settings)


@pytest.fixture
def testset(begin_with):
    """Return a test set with runs of two prompts at two sizes, two of them alike."""
    begin_with(make_runs)
    return TestSet.objects.get()


def test_plotly_accepts_the_figure(testset):
    go.Figure(figure(testset))


def test_one_series_a_prompt_with_dots_exactly_at_their_value(testset):
    found = dots(figure(testset))
    assert {trace["name"]: trace["x"] for trace in found} == {
        "Concise · reader: extractive": [300, 1000],
        "Always &lt;b&gt; · reader: extractive": [1000],
    }
    assert all(trace["customdata"][0].startswith("/runs/") for trace in found)


def test_runs_alike_are_one_dot_with_their_spread(testset):
    (first, _, _) = dots_of(run_rows(testset=testset), "recall", "chunk_size")
    assert [len(first.rows), first.y, first.spread] == [2, pytest.approx(5 / 6), (pytest.approx(2 / 3), 1.0)]
    summary = first.row.metrics["recall"]
    assert first.ends == (summary.ci_low, summary.ci_high)
    shown = figure(testset, score="recall")
    (concise,) = (trace for trace in dots(shown) if trace["name"].startswith("Concise"))
    (bar,) = (trace for trace in shown["data"] if trace["name"] == "Runs alike")
    assert (bar["x"], bar["y"]) == ([300, 300], pytest.approx([2 / 3, 1.0]))
    assert "2 runs alike" in concise["text"][0]
    assert "from 0.67 to 1.00" in concise["text"][0]


def test_a_line_joins_the_means_of_a_prompt(testset):
    make_run(testset, {"p1s": "Paris"}, settings={"chunk_size": 1000, "top_k": 2})
    shown = figure(testset, score="recall")["data"]
    (line,) = (trace for trace in shown if trace["mode"] == "lines" and trace["name"].startswith("Concise"))
    assert (line["x"], line["y"]) == ([300, 1000], pytest.approx([5 / 6, 5 / 6]))


def test_the_score_stands_against_any_numeric_setting(testset):
    make_run(testset, settings={"top_k": 2, "chunk_overlap": "20%"})
    shown = figure(testset, setting="top_k")
    assert {x for trace in dots(shown) for x in trace["x"]} == {2, 4}
    assert shown["layout"]["xaxis"]["title"]["text"] == "Top k (chunks)"
    shown = figure(testset, setting="chunk_overlap")
    assert {x for trace in dots(shown) for x in trace["x"]} == {15, 20}
    assert "%" in shown["layout"]["xaxis"]["title"]["text"]
    assert dots(figure(testset, setting="chunker")) == []


def test_each_model_has_a_shape_of_its_own(testset):
    make_run(testset, settings={"llm": "openai:gpt-4.1-mini"})
    shown = figure(testset)
    assert {symbol for trace in dots(shown) for symbol in trace["marker"]["symbol"]} == {"circle", "square"}
    keys = [trace["name"] for trace in shown["data"] if trace["x"] == [None]]
    assert keys == ["reader: extractive", "openai:gpt-4.1-mini"]
    assert shown["layout"]["showlegend"] is True


def test_many_dots_go_without_intervals(testset, monkeypatch):
    assert all(trace["error_y"]["visible"] for trace in dots(figure(testset)))
    monkeypatch.setattr("workbench.charts.figures.MANY_DOTS", 2)
    assert not any(trace["error_y"]["visible"] for trace in dots(figure(testset)))


def test_colours_stay_with_the_prompt_and_are_tokens(testset):
    colours = {trace["name"]: trace["marker"]["color"] for trace in dots(figure(testset))}
    make_run(testset, settings={"chunk_size": 500, "prompt": ALWAYS + " now", "prompt_name": "Third"})
    again = {trace["name"]: trace["marker"]["color"] for trace in dots(figure(testset))}
    assert colours.items() <= again.items()
    assert set(again.values()) == {"var(--series-1)", "var(--series-4)", "var(--series-5)"}


def test_axes_hold_the_whole_scale_and_write_each_value(testset):
    assert figure(testset)["layout"]["yaxis"]["range"] == [-0.1, 5.2]
    assert figure(testset, score="recall")["layout"]["yaxis"]["range"] == [-0.02, 1.04]
    axis = figure(testset)["layout"]["xaxis"]
    assert (axis["type"], axis["ticktext"]) == ("linear", ["300", "1,000"])
    make_run(testset, settings={"chunk_size": 3000})
    axis = figure(testset)["layout"]["xaxis"]
    assert (axis["type"], axis["title"]["text"]) == ("log", "Chunk size (characters, log scale)")


def test_labels_do_not_lie_on_each_other(testset):
    heights = sorted(label["y"] for label in figure(testset)["layout"]["annotations"])
    assert heights[1] - heights[0] >= 0.13 * 5 - 1e-9
    assert heights[1] <= 5.2


def test_more_than_four_series_get_a_legend(testset):
    for number in range(3):
        make_run(testset, settings={"prompt": f"{ALWAYS} {number}", "prompt_name": f"P{number}"})
    layout = figure(testset)["layout"]
    assert layout["showlegend"] is True
    assert layout["annotations"] == []


def test_a_run_without_score_or_of_part_of_the_questions(testset):
    make_run(testset, scored=False)
    part = make_run(testset, settings={"chunk_size": 5000}, limit=1)
    rows = run_rows(testset=testset)
    assert len(drawn(rows)) == 5
    assert drawn(rows)[-1].run == part
    symbols = [symbol for trace in dots(figure(testset)) for symbol in trace["marker"]["symbol"]]
    assert symbols.count("circle-open") == 1


def test_the_chosen_run_is_ringed_also_among_repeats(testset):
    chosen = testset.runs.order_by("id").first()
    sizes = [size for trace in dots(figure(testset, chosen=chosen.pk)) for size in trace["marker"]["size"]]
    assert sorted(sizes) == [10, 10, 13]


def test_nothing_to_draw_is_an_empty_figure():
    assert figure(make_testset())["data"] == []


def test_the_longest_label_has_room():
    testset = make_testset()
    make_run(testset, settings={"chunk_size": 100, "llm": "openai:a-model-with-a-long-name"})
    assert figure(testset)["layout"]["margin"]["r"] >= 6 * len("openai:a-model-with-a-long-name")
