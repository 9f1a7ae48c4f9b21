"""The very first visit: the page is there at once and turns into the sample's scores by itself."""

from __future__ import annotations

import re

from playwright.sync_api import expect


def test_the_sample_appears_without_a_reload(page, bench):
    page.goto(bench.url)
    expect(page.locator("main")).to_contain_text("A sample is being made")
    expect(page.get_by_role("progressbar")).to_be_visible()
    expect(page.locator("[data-chart].js-plotly-plot")).to_be_visible()
    expect(page.get_by_role("link", name=re.compile("^Compare with Sample"))).to_be_visible()
