"""The very first visit: the page is there at once and turns into the sample's scores by itself."""

from __future__ import annotations

import re

from playwright.sync_api import expect


def test_the_sample_appears_without_a_reload(page, bench):
    page.goto(bench.url)
    expect(page.locator("main")).to_contain_text("A sample is being made")
    expect(page.get_by_role("progressbar")).to_be_visible()
    so_far = page.get_by_role("region", name="Questions and answers so far")
    expect(so_far).to_contain_text(re.compile(r"[1-9][0-9]* of 150 answered"))
    expect(so_far.get_by_role("listitem")).to_have_count(6)
    expect(page.locator("[data-chart].js-plotly-plot")).to_be_visible()
    expect(page.get_by_role("link", name=re.compile("^Compare with Sample"))).to_be_visible()
