"""What a person types and presses while the server is sending the settings anew."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.waiting import at_rest


@pytest.fixture
def slow(page: Page) -> Callable[[], None]:
    """Hold back the answers that bring the settings anew until the returned function is called."""
    held: list[Route] = []
    released = False

    def hold(route: Route) -> None:
        if released:
            route.continue_()
        else:
            held.append(route)

    def release() -> None:
        nonlocal released
        released = True
        for route in held:
            route.continue_()

    page.route("**/settings/", hold)
    return release


def choose_again(page: Page) -> None:
    """Choose the corpus that is chosen: the server is asked for the settings that fit it."""
    corpus = page.get_by_label("Corpus", exact=True)
    corpus.select_option(corpus.input_value())
    expect(page.locator(".htmx-request")).not_to_have_count(0)


def test_what_is_typed_meanwhile_stays(page, sample, slow):
    page.goto("/")
    choose_again(page)
    page.get_by_label("Chunk size", exact=True).fill("777")
    slow()
    at_rest(page)
    expect(page.get_by_label("Chunk size", exact=True)).to_have_value("777")
    expect(page.locator("#mark-chunk_size")).to_contain_text("undo")


def test_a_button_pressed_meanwhile_is_pressed_with_what_was_typed(page, sample, slow):
    page.goto("/")
    choose_again(page)
    page.get_by_label("Top k", exact=True).fill("7")
    page.get_by_role("button", name="Save as preferred").click()
    slow()
    expect(page.locator("#messages")).to_contain_text("Saved as preferred")
    page.reload()
    expect(page.get_by_label("Top k", exact=True)).to_have_value("7")


def test_a_button_held_down_while_the_settings_come_anew_is_pressed(page, sample, slow):
    page.goto("/")
    choose_again(page)
    page.get_by_label("Top k", exact=True).fill("6")
    page.get_by_role("button", name="Save as preferred").hover()
    page.mouse.down()
    slow()
    at_rest(page).mouse.up()
    expect(page.locator("#messages")).to_contain_text("Saved as preferred")
    page.reload()
    expect(page.get_by_label("Top k", exact=True)).to_have_value("6")


def test_a_double_click_starts_one_run(page, sample):
    page.goto("/runs/")
    runs = page.locator("main").get_by_role("link", name=re.compile("^Run "))
    before = runs.count()
    page.goto("/")
    shown = page.locator("#run-title a").get_attribute("href") or ""
    page.get_by_role("button", name="Evaluate 10 questions").dblclick()
    expect(page.locator("#run-title a")).not_to_have_attribute("href", shown)
    at_rest(page)
    page.goto("/runs/")
    expect(runs).to_have_count(before + 1)
