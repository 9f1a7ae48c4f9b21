"""The page of a document: trying chunkers recolours the text and redraws the histogram without a reload."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.waiting import at_rest


def shown(page: Page) -> int:
    return int(re.sub(r"\D", "", page.locator("#chunks-title").inner_text().partition(" ")[0]))


def drawn(page: Page) -> int:
    """Return how many chunks the histogram counts."""
    chart = page.locator("[data-chart=size-figure].js-plotly-plot")
    expect(chart).to_be_visible()
    return chart.evaluate("box => box.data.flatMap(trace => trace.y).reduce((sum, count) => sum + count, 0)")


def test_another_chunker_colours_the_text_anew_and_redraws_the_histogram(page, sample):
    page.goto("/documents/")
    page.get_by_role("link", name="warsaw.txt").first.click()
    before = shown(at_rest(page))
    assert drawn(page) == before
    page.get_by_label("Chunker").select_option("hierarchical")
    parent_size = page.get_by_label("Parent size")
    expect(parent_size).to_be_visible()
    at_rest(page).get_by_label("Chunk size").fill("120")
    page.get_by_label("Chunk size").press("Tab")
    expect(page.locator(".parent-mark").first).to_contain_text("Parent 1 of")
    expect(page).to_have_url(re.compile(r"chunker=hierarchical&chunk_size=120$"))
    assert drawn(at_rest(page)) == shown(page) > before
    colours = page.locator(".chunk-body").evaluate_all(
        "parts => parts.slice(0, 4).map(part => getComputedStyle(part).backgroundColor)"
    )
    assert len(set(colours)) == 4
    parent_size.fill("100")
    parent_size.press("Tab")
    expect(page.locator("#cut-result")).to_contain_text("Raise the parent size")
