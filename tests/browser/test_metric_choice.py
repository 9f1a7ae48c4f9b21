"""Choosing metrics: options under a ticked box, what is closed, aspects of one's own, all of it kept."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.waiting import at_rest

SERIOUS = {"serious", "critical"}


def open_picker(page: Page) -> None:
    """Open More settings with every group of metrics."""
    page.goto("/")
    page.locator("#more-settings > summary").click()
    page.locator(".metric-group").evaluate_all("groups => groups.forEach((group) => { group.open = true; })")


def change_another_setting(page: Page) -> None:
    """Choose the other agreement, which brings the settings anew."""
    agreement = page.get_by_label("Agreement", exact=True)
    other = "token_recall" if agreement.input_value() != "token_recall" else "semantic_similarity"
    with page.expect_response("**/settings/"):
        agreement.select_option(other)
    at_rest(page)
    expect(agreement).to_have_value(other)


def test_options_show_with_their_metric_and_outlive_a_change_of_other_settings(page, sample):
    open_picker(page)
    limit = page.locator("[name=option-max_words-limit]")
    expect(limit).to_be_hidden()
    page.get_by_label("At most so many words").check()
    limit.fill("7")
    expect(page.locator("#mark-metric_options")).to_contain_text("undo")
    change_another_setting(page)
    expect(limit).to_have_value("7")
    expect(limit).to_be_visible()
    page.get_by_role("button", name="Save as preferred").click()
    expect(page.locator("#messages")).to_contain_text("Saved as preferred")
    page.goto("/")
    page.locator("#more-settings > summary").click()
    expect(limit).to_have_value("7")
    expect(page.locator("#mark-metric_options")).not_to_contain_text("undo")


def test_a_run_is_scored_with_what_was_ticked(page, sample):
    open_picker(page)
    page.get_by_label("At most so many words").check()
    page.locator("[name=option-max_words-limit]").fill("1")
    shown = page.locator("#run-title a").get_attribute("href") or ""
    page.get_by_role("button", name="Evaluate 10 questions").click()
    expect(page.locator("#run-title a")).not_to_have_attribute("href", shown)
    expect(page.locator("#results .score-card")).to_have_count(6)
    page.locator("#run-title a").click()
    expect(page.locator("[data-card=max_words]").get_by_role("heading")).to_have_text("At most so many words")


def test_words_find_metrics(page, sample):
    open_picker(page)
    page.get_by_label("Find a metric").fill("retrieval map")
    expect(page.locator(".metric-choice:visible")).to_have_count(1)
    expect(page.get_by_label("MAP")).to_be_visible()
    page.get_by_label("Find a metric").press("Enter")  # must not start a run
    page.get_by_label("Find a metric").fill("")
    expect(page.get_by_label("Token F1")).to_be_visible()


def test_a_judge_opens_what_it_scores_and_further_aspects(page, sample):
    open_picker(page)
    faithfulness = page.get_by_label("Faithfulness")
    expect(faithfulness).to_be_disabled()
    expect(page.locator("[data-metric=faithfulness] .metric-unmet")).to_have_text("– choose a judge")
    page.get_by_label("Judge", exact=True).fill("openai:gpt-4.1-mini")
    expect(faithfulness).to_be_enabled()
    expect(page.locator("[data-metric=faithfulness] .metric-unmet")).to_be_hidden()
    page.locator("[name=aspect-0-name]").fill("Polite")
    page.locator("[name=aspect-0-definition]").fill("Is the answer polite?")
    page.locator("[name=aspect-1-name]").fill("Brave")
    page.locator("[name=aspect-1-definition]").fill("Is it brave?")
    expect(page.locator("[name=aspect-2-name]")).to_have_value("")
    expect(page.locator("[data-own-count]")).to_have_text("2")
    change_another_setting(page)
    expect(page.locator("[name=aspect-1-name]")).to_have_value("brave")
    expect(page.locator("[name=aspect-1-definition]")).to_have_value("Is it brave?")


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_the_open_picker(page, sample, theme, width):
    page.emulate_media(color_scheme=theme)
    page.set_viewport_size({"width": width, "height": 900})
    open_picker(page)
    page.locator(".metric-choice > .check input:enabled").evaluate_all(
        "boxes => boxes.forEach((box) => { box.checked = true; })"
    )
    found = Axe().run(page).response["violations"]
    assert [each["id"] for each in found if each["impact"] in SERIOUS] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
