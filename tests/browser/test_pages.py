"""Every page with the sample's real runs: accessible, narrow enough, without a script error."""

from __future__ import annotations

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.forms import first_link, sample_run
from tests.browser.waiting import PATIENCE_S, at_rest

PAGES = {
    "Workbench": "/",
    "Documents": "/documents/",
    "Test sets": "/testsets/",
    "Sweeps": "/sweeps/",
    "Quiz": "/quiz/",
    "Dashboard": "/dashboard/",
    "Compare": "/compare/",
    "Chat": "/chat/",
    "Side by side": "/chat/side-by-side/",
    "Metrics": "/metrics/",
    "Score": "/score/",
}
SERIOUS = {"serious", "critical"}


def further(page: Page) -> list[str]:
    """Return the addresses of a document, a test set and the parts of a run of the sample, its summary last.

    Test sets that other tests import have only a few questions.
    """
    found = []
    for start, pattern in (("/documents/", r"^/documents/\d+/$"), ("/testsets/", r"^/testsets/\d+/$")):
        page.goto(start)
        found.append(first_link(page, pattern))
    run = sample_run(page)
    return [*found, f"{run}failures/", f"{run}questions/", f"{run}settings/", run]


def problems(page: Page) -> list[str]:
    """Return what axe finds serious on the present page."""
    violations = Axe().run(page).response["violations"]
    return [
        f"{page.url}: {each['id']} {each['nodes'][0]['html'][:120]}" for each in violations if each["impact"] in SERIOUS
    ]


def test_the_first_page_shows_the_sample_runs(page, sample):
    page.goto("/")
    chart = page.locator("[data-chart].js-plotly-plot")
    expect(chart).to_be_visible()
    expect(page.locator("#results .score-card")).to_have_count(6)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious(page, sample, theme):
    page.emulate_media(color_scheme=theme)
    found = []
    for path in [*PAGES.values(), *further(page)]:
        page.goto(path)
        found += problems(page)
    assert found == []


def test_the_navigation_marks_the_page(page, sample):
    below = {"Quiz": "Test sets", "Sweeps": "Dashboard", "Score": "Metrics", "Side by side": "Chat"}
    for name, path in PAGES.items():
        page.goto(path)
        entry = below.get(name, name)
        current = page.get_by_role("navigation", name="Pages").locator("[aria-current=page]")
        expect(current).to_have_text(entry)
        if name in below:
            tab = page.get_by_role("navigation", name=entry, exact=True).locator("[aria-current=page]")
            expect(tab).to_have_text(name)
        assert page.locator("h1").count() == 1


@pytest.mark.parametrize("width", [390, 1024, 1440])
def test_nothing_scrolls_sideways(page, sample, width):
    page.set_viewport_size({"width": width, "height": 844})
    wide = []
    for path in [*PAGES.values(), *further(page)]:
        page.goto(path)
        if page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
            wide.append(path)
    assert wide == []


def test_pages_render_without_javascript(browser, sample):
    context = browser.new_context(java_script_enabled=False, base_url=sample.url)
    page = context.new_page()
    page.set_default_timeout(1000 * PATIENCE_S)
    for path in PAGES.values():
        response = page.goto(path)
        assert response is not None
        assert response.status == 200
        assert page.locator("h1").count() == 1
    context.close()


def test_scoring_again_ends_with_the_new_scores_without_a_reload(page, sample):
    address = further(page)[-1]
    page.goto(address)
    card = page.locator(".score-card").first
    total = card.inner_text()
    page.goto(f"{address}failures/")
    page.get_by_role("button", name="Score again").click()
    expect(page.locator("#refusals").get_by_text("Scored again")).to_be_visible()
    expect(page.get_by_role("progressbar")).to_have_count(0)
    page.goto(address)
    expect(card).to_have_text(total, use_inner_text=True)


def test_the_consequence_of_a_threshold_is_shown_in_place(page, sample):
    address = f"{further(page)[-1]}failures/"
    page.goto(address)
    page.get_by_role("button", name="Show the consequence").click()
    expect(page.locator("#refusals").get_by_text("Every answer is judged as it is stored.")).to_be_visible()
    at_rest(page).get_by_label("Refusal threshold").fill("0.1")
    expect(page.locator("#refusals").get_by_text("judged otherwise")).to_be_visible()
    expect(page).to_have_url(re.compile(f"{address}$"))


def test_a_dot_of_the_chart_opens_its_run(page, sample):
    page.goto("/")
    point = at_rest(page).locator("[data-chart] .scatterlayer .points path").first
    expect(point).to_be_visible()
    point.scroll_into_view_if_needed()
    point.element_handle().wait_for_element_state("stable")
    box = point.bounding_box()
    assert box is not None
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(*middle)
    expect(page.locator(".hoverlayer .hovertext")).to_be_visible()
    page.mouse.click(*middle)
    expect(page).to_have_url(re.compile(r"/runs/\d+/$"))
