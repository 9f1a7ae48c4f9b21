"""What browser tests do with forms."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page

from tests.browser.waiting import at_rest


def choose(part: Page | Locator, label: str, text: str) -> None:
    """Choose the option whose text begins with `text`."""
    field = part.get_by_label(label, exact=True)
    value = field.locator("option").filter(has_text=re.compile(f"^{re.escape(text)}")).first.get_attribute("value")
    field.select_option(value)


def first_link(page: Page, pattern: str) -> str:
    """Return the first address on a page that a pattern fits."""
    links = page.locator("main a").evaluate_all("links => links.map(link => link.getAttribute('href'))")
    return next(link for link in links if re.match(pattern, link or ""))


def sample_run(page: Page) -> str:
    """Return the address of the newest run on the sample's own test set; others that tests import are short."""
    page.goto("/dashboard/")
    choose(page, "Test set", "Sample: Warsaw · Sample questions")
    return first_link(at_rest(page), r"^/runs/\d+/$")
