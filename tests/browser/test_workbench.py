"""The Workbench keeps what was set, names what it compares with, and notices what has been run already."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.test_flow import evaluate
from tests.browser.waiting import at_rest


def with_settings_of(page: Page, run: str) -> Locator:
    """Open the Workbench with the settings of a run; return its field of the chunk size."""
    page.goto(run)
    page.get_by_role("link", name="Use these settings").click()
    expect(at_rest(page).locator("#cost")).to_contain_text("Same as")
    return page.get_by_label("Chunk size", exact=True)


def test_settings_stay_as_they_were_left(page: Page, run: str):
    size = with_settings_of(page, run)
    testset = page.get_by_label("Test set", exact=True)
    asked = testset.input_value()
    size.fill("333")
    size.press("Tab")
    expect(page.locator("#cost")).to_contain_text(re.compile(r"Changed since .+: Chunk size"))
    at_rest(page)
    for go in (lambda: page.goto("/documents/"), page.reload):
        go()
        page.goto("/")
        expect(at_rest(page).get_by_label("Chunk size", exact=True)).to_have_value("333")
        expect(testset).to_have_value(asked)
        expect(page.locator("#cost")).to_contain_text("Changed since")


def test_a_run_is_compared_in_one_sentence_and_not_made_twice(page: Page, run: str):
    with_settings_of(page, run)
    evaluate(page, 640)
    verdict = page.locator(".verdict")
    expect(verdict).to_contain_text(re.compile(r"against .+\(Chunk size changed\)"))
    expect(verdict).to_contain_text("Compared with")
    expect(page.locator("#cost")).to_contain_text("Same as")
    page.locator("#cost a").first.click()
    expect(page).to_have_url(re.compile(r"/runs/\d+/$"))
