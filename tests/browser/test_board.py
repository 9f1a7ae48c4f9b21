"""Dashboard, Compare, charts and files as a person walks them: on the sample, and on an imported test set."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.forms import choose
from tests.browser.test_flow import evaluate
from tests.browser.test_pages import problems
from tests.browser.waiting import at_rest
from tests.commands import ROOT

SAMPLE = (ROOT / "workbench" / "sample" / "warsaw.txt").read_text(encoding="utf-8")
IMPORTED = "Imported questions"
FACTS = (
    ("Which title did Warsaw gain?", "Phoenix City"),
    ("Who wrote of Warsaw as a mermaid's city?", "Warsaw"),
    ("Where does the river flow that Warsaw stands on?", "Vistula"),
)
PLOT = "[data-chart=board-figure].js-plotly-plot"


def board(page: Page, query: str = "") -> Page:
    """Open the Dashboard on the sample's test set."""
    page.goto("/dashboard/")
    choose(page, "Test set", "Sample: Warsaw · Sample questions")
    at_rest(page)
    if query:
        page.goto(f"{page.url}&{query}")
    return at_rest(page)


def ticked(page: Page, runs: int = 2) -> None:
    """Tick the first runs of the table."""
    boxes = page.locator("input[name=run]")
    expect(boxes.nth(runs - 1)).to_be_visible()
    for at in range(runs):
        boxes.nth(at).check()


def file_of(page: Page, press: Callable[[], None]) -> tuple[str, bytes]:
    """Return the name and the bytes of what a click saves."""
    with page.expect_download() as download:
        press()
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def test_runs_and_dashboard_are_one_page_whose_columns_are_remembered(page, sample):
    page.goto("/runs/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Dashboard")
    heads = board(page).locator("thead")
    expect(heads).to_contain_text("Chunk size")
    expect(heads).not_to_contain_text("Top k")
    expect(page.locator("#same-settings summary")).to_contain_text("The same in all:")
    expect(page.locator(".interval-text").first).to_have_text(re.compile(r"\d\.\d\d–\d\.\d\d"))
    page.get_by_text("Columns", exact=True).click()
    assert problems(page) == []
    page.get_by_label("Column Top k").check()
    page.get_by_label("Column Brevity").uncheck()
    page.get_by_role("button", name="Show these").click()
    expect(heads).to_contain_text("Top k")
    page.goto("/")
    expect(board(page).locator("thead")).to_contain_text("Top k")
    expect(heads).not_to_contain_text("Brevity")
    page.get_by_text("Columns", exact=True).click()
    page.get_by_role("button", name="As at first").click()
    expect(heads).to_contain_text("Brevity")


def test_every_chart_is_drawn_and_zoomed(page, sample):
    board(page)
    chart = page.locator(PLOT)
    expect(chart).to_be_visible()
    xs = chart.evaluate("plot => plot.data.filter(trace => trace.customdata).flatMap(trace => trace.x)")
    assert {300, 1000} <= set(xs)
    before = chart.evaluate("plot => plot.layout.xaxis.range.slice()")
    area = page.locator(f"{PLOT} .nsewdrag").first.bounding_box()
    assert area is not None
    page.mouse.move(area["x"] + 40, area["y"] + 40)
    page.mouse.down()
    page.mouse.move(area["x"] + 300, area["y"] + 240, steps=8)
    page.mouse.up()
    page.wait_for_function(
        "before => document.querySelector('[data-chart=board-figure]').layout.xaxis.range[1] !== before", arg=before[1]
    )
    page.mouse.dblclick(area["x"] + 40, area["y"] + 40)
    page.wait_for_function(
        "before => document.querySelector('[data-chart=board-figure]').layout.xaxis.range[1] === before", arg=before[1]
    )
    for name in ("Radar", "Quality and cost", "Quality and latency", "Spread"):
        page.get_by_role("navigation", name="Charts").get_by_role("link", name=name).click()
        expect(page.get_by_role("navigation", name="Charts").locator("[aria-current]")).to_have_text(name)
        expect(chart).to_be_visible()
        assert problems(at_rest(page)) == []
    page.get_by_role("navigation", name="Charts").get_by_role("link", name="Pivot").click()
    choose(at_rest(page), "Down", "Chunk size")
    expect(page.get_by_role("group", name="Pivot").locator("tbody tr").first).to_be_visible()


def test_a_radar_of_chosen_metrics_and_of_one_question(page, sample):
    board(page, "chart=radar")
    corners = "plot => plot.data.filter(trace => trace.mode === 'lines+markers').map(trace => trace.x.length)"
    assert set(page.locator(PLOT).evaluate(corners)) == {6}
    page.get_by_label("Brevity", exact=True).uncheck()
    page.wait_for_url(re.compile("metrics="))
    assert set(at_rest(page).locator(PLOT).evaluate(corners)) == {5}
    page.get_by_label("Values of").select_option(index=1)
    expect(page.locator("#board-title")).to_contain_text("on “")


def test_ticked_runs_are_compared_and_read_on_a_phone(page, sample):
    board(page)
    ticked(page)
    page.get_by_role("button", name="Compare").click()
    expect(page).to_have_url(re.compile(r"/compare/\?runs=\d+,\d+$"))
    expect(page.locator(".verdict")).to_contain_text("against")
    page.get_by_role("radio", name="Baseline").nth(1).check()
    expect(page).to_have_url(re.compile(r"/compare/\?runs=\d+,\d+&baseline=\d+$"))
    page.get_by_role("navigation", name="Which questions").get_by_role("link", name="Flips").click()
    expect(page).to_have_url(re.compile("show=flips"))
    expect(page.locator(".changed-words ins").first).to_be_visible()
    expect(page.locator("#questions")).to_contain_text("evidence at rank")
    assert problems(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    assert not page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    assert_within(page, "#questions tbody tr td", "[aria-label=Scores] tbody tr td")
    assert problems(page) == []
    board(page)
    assert_within(page, ".runs-table tbody tr:first-child > *")
    expect(page.locator(".runs-table thead").get_by_role("link", name="Total")).to_be_visible()


def assert_within(page, *parts: str) -> None:
    """Check that what a part holds lies within a phone's width, its last cells too."""
    for part in parts:
        cells = page.locator(part)
        assert cells.count()
        for at in range(cells.count()):
            box = cells.nth(at).bounding_box()
            assert box is not None
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= 390


def test_charts_and_tables_are_saved(page, sample):
    board(page)
    expect(page.locator(PLOT)).to_be_visible()
    kinds = {"PNG": b"\x89PNG", "SVG": b"data:image/svg", "CSV": b"Series,"}
    for kind, begins in kinds.items():
        name, data = file_of(page, page.get_by_role("button", name=f"Save the chart as {kind}").click)
        assert name.endswith(f".{kind.lower()}")
        assert data.startswith(begins) or (kind == "SVG" and b"<svg" in data[:200])
    table = page.locator(".runs-tools")
    read = {"CSV": pd.read_csv, "Excel": pd.read_excel, "Parquet": pd.read_parquet}
    for label, read_it in read.items():
        _, data = file_of(page, table.get_by_role("link", name=label).click)
        frame = read_it(io.BytesIO(data))
        assert {"chunk_size", "top_k", "recall", "recall_low", "latency_p50"} <= set(frame.columns)
        assert {300, 1000} <= set(frame["chunk_size"])


@pytest.mark.parametrize("of", ["dashboard", "comparison", "run"])
def test_a_report_opens_without_a_network(page: Page, sample, browser: Browser, tmp_path, of):
    board(page)
    if of == "comparison":
        ticked(page)
        page.get_by_role("button", name="Compare").click()
    elif of == "run":
        page.locator("main tbody a").first.click()
    name, data = file_of(page, page.get_by_role("link", name="Report").first.click)
    assert name == f"{of}.html"
    (tmp_path / name).write_bytes(data)
    context = browser.new_context(offline=True)
    alone = context.new_page()
    asked, errors = [], []
    alone.on("request", lambda request: asked.append(request.url))
    alone.on("pageerror", lambda error: errors.append(str(error)))
    alone.goto((tmp_path / name).as_uri())
    expect(alone.locator("table").first).to_be_visible()
    if of != "comparison":
        expect(alone.locator(".js-plotly-plot")).to_be_visible()
    assert problems(alone) == []
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    assert errors == []
    context.close()


def import_facts(page: Page, file: Path) -> None:
    """Import the facts as a test set of the sample, and evaluate it with two chunk sizes."""
    lines = ["question,references,corpus_id"]
    for question, words in FACTS:
        start = SAMPLE.index(words)
        reference = f'[{{""content"": ""{words}"", ""start_index"": {start}, ""end_index"": {start + len(words)}}}]'
        lines.append(f'"{question}","{reference}",warsaw.txt')
    file.write_text("\n".join(lines), encoding="utf-8")
    page.goto("/testsets/")
    form = page.get_by_role("region", name="Import")
    choose(form, "Corpus it asks about", "Sample")
    form.get_by_label("Test set name").fill(IMPORTED)
    form.get_by_label("Questions", exact=True).set_input_files(file)
    form.get_by_role("button", name="Import").click()
    expect(page.get_by_role("heading", name=IMPORTED)).to_be_visible()
    page.goto("/")
    choose(page, "Corpus", "Sample")
    choose(at_rest(page), "Test set", IMPORTED)
    at_rest(page)
    for size in (250, 500):
        evaluate(page, size)


def test_an_imported_test_set_is_walked_the_same_way(page, sample, tmp_path):
    import_facts(page, tmp_path / "imported.csv")
    page.goto("/dashboard/")
    expect(page.locator("#board")).to_contain_text("No run here has Total: Context matching is shown.")
    expect(page.locator("thead").last).not_to_contain_text("Recall")
    _, numbers = file_of(page, page.get_by_role("button", name="Save the chart as CSV").click)
    assert {"250", "500"} <= {line.split(",")[1] for line in numbers.decode().splitlines()}
    assert_ticks_stay(page)
    page.locator("input[name=run]").first.uncheck()
    page.get_by_role("button", name="Pin as baseline").click()
    expect(page.locator("tbody .badge", has_text="baseline")).to_have_count(1)
    ticked(page)
    page.get_by_role("button", name="Compare").click()
    expect(page.locator(".compared li").first.get_by_role("radio")).to_be_checked()
    expect(page.locator("#questions tbody tr")).to_have_count(len(FACTS))
    assert problems(page) == []
    page.goto("/dashboard/?chart=pivot&down=chunk_size")
    expect(page.get_by_role("group", name="Pivot").locator("tbody tr")).to_have_count(2)
    _, table = file_of(page, page.locator(".chart-save").get_by_role("link", name="CSV").click)
    assert len(pd.read_csv(io.BytesIO(table))) == 2
    assert_archived_and_deleted(page)
    assert problems(at_rest(page)) == []


def assert_ticks_stay(page: Page) -> None:
    """Check that what is ticked stays so when the table is sorted and the runs are tagged."""
    ticked(page)
    page.locator("thead").get_by_role("link", name="Chunk size").click()
    expect(page).to_have_url(re.compile("sort="))
    expect(at_rest(page).locator("input[name=run]:checked")).to_have_count(2)
    page.get_by_text("More", exact=True).click()
    page.get_by_label("Tag for the ticked runs").fill("imported")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator("tbody .badge", has_text="imported")).to_have_count(2)
    expect(page.locator("input[name=run]:checked")).to_have_count(2)


def assert_archived_and_deleted(page: Page) -> None:
    """Archive the first run of the two that there are, find it again among the archived ones, and delete it."""
    page.locator("input[name=run]").first.check()
    page.get_by_text("More", exact=True).click()
    page.get_by_role("button", name="Archive").click()
    expect(page.locator("input[name=run]")).to_have_count(1)
    page.get_by_label("Archived too").check()
    archived = at_rest(page).locator("tbody tr", has=page.locator(".badge", has_text="archived"))
    archived.locator("input[name=run]").check()
    page.get_by_text("More", exact=True).click()
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Delete").click()
    expect(page.locator("#messages")).to_contain_text("Deleted 1 run.")
    expect(page.locator("input[name=run]")).to_have_count(1)
