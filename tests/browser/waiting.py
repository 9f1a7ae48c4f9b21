"""How long browser tests wait, and for what: a loaded machine is slow, not wrong."""

from __future__ import annotations

from playwright.sync_api import Page, expect

PATIENCE_S = 90


def at_rest(page: Page) -> Page:
    """Wait until a page hears keys and clicks: its scripts are there, and what htmx brought is connected with them.

    `page.goto` waits for the scripts; a click on a link does not wait for those of the next page.
    """
    page.wait_for_load_state()
    expect(page.locator(".htmx-request, .htmx-swapping, .htmx-settling")).to_have_count(0)
    return page
