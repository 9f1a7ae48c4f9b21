"""Marking answers with keys, and the page Calibration, with the sample's real answers."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_pages import further, problems
from tests.browser.waiting import at_rest

MOST_SKIPPED = 20


@pytest.fixture
def run_address(page: Page, sample) -> str:
    """Return the address of a run of the sample."""
    return further(page)[-1]


def test_answers_are_marked_by_keys_and_the_next_one_comes(page, run_address):
    page.goto(run_address)
    page.get_by_role("link", name="Calibration").click()
    page.get_by_role("link", name="Mark answers").first.click()
    page.get_by_role("link", name="Right or wrong").click()
    line, question = page.locator(".queue-line"), page.locator("#queue-question")
    expect(line).to_contain_text("Right: 0 of")
    seen = []
    for number, key in enumerate("rwr", 1):
        seen.append(question.inner_text())
        at_rest(page).keyboard.press(key)
        expect(line).to_contain_text(f"Right: {number} of")
    assert question.inner_text() not in seen
    at_rest(page).keyboard.press("p")
    expect(question).to_have_text(seen[-1])
    expect(page.get_by_role("button", name="Right")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("heading", name="Scores")).to_be_visible()
    at_rest(page).get_by_role("button", name="Take back").click()
    expect(line).to_contain_text("Right: 2 of")


def test_both_marks_are_asked_before_the_next_answer_comes(page, run_address):
    page.goto(f"{run_address}marks/")
    given = page.locator(".mark-bar [aria-pressed=true]")  # by the test before, on its answers
    for _ in range(MOST_SKIPPED):
        if not given.count() and page.get_by_role("button", name="Grounded").count():
            break
        address = page.url
        page.keyboard.press("s")
        expect(page).not_to_have_url(address)
        at_rest(page)
    question = page.locator("#queue-question")
    text = question.inner_text()
    page.keyboard.press("n")
    expect(page.get_by_role("button", name="Not grounded")).to_have_attribute("aria-pressed", "true")
    expect(question).to_have_text(text)
    at_rest(page).keyboard.press("w")
    expect(question).not_to_have_text(text)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_pages_of_calibration_are_accessible_and_narrow_enough(page, run_address, theme):
    page.emulate_media(color_scheme=theme)
    found = []
    for path in ("calibration/", "marks/"):
        page.goto(f"{run_address}{path}")
        found += problems(page)
        for width in (390, 1440):
            page.set_viewport_size({"width": width, "height": 844})
            if page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
                found.append(f"{path} is wider than {width}")
    assert found == []
