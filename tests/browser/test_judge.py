"""A judge from the browser: two runs compared, its prompt changed, what a scoring was asked with."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import Bench
from tests.browser.test_pages import problems
from tests.browser.test_run_parts import PARTS
from tests.browser.waiting import at_rest
from tests.fake_openai import Behaviour, FakeOpenAI

JUDGE = "openai:judge-1"


def test_a_judge_says_which_of_two_runs_answers_better(page, sample):
    page.goto("/runs/")
    links = page.locator("main tbody a").evaluate_all("links => links.map(link => link.getAttribute('href'))")
    first, second = sorted({int(found[1]) for link in links if (found := re.match(r"^/runs/(\d+)/$", link or ""))})[:2]
    page.goto(f"/compare/?a={first}&b={second}")
    page.get_by_role("button", name="Ask the judge which answers are better").click()
    expect(page.locator("#preference input:invalid")).to_have_count(1)  # the judge has to be named
    page.get_by_label("Judge", exact=True).fill(JUDGE)
    page.get_by_role("button", name="Ask the judge which answers are better").click()
    expect(page.locator("#preference")).to_contain_text("win rate of b")  # it comes by itself when the judge has ended
    expect(page.locator("#preference tbody tr").first).to_be_visible()
    assert problems(page) == []
    at_rest(page).locator("#preference .tabs a").last.click()
    expect(page.locator("#preference .tabs a").last).to_have_attribute("aria-current", "true")


def test_a_judge_whose_replies_cannot_be_used_is_loud_and_mended(
    page: Page, sample: Bench, run: str, models: FakeOpenAI
):
    number = run.split("/")[2]
    silent = f"openai:silent-judge-{number}"  # of its own: what one was asked before is not asked again
    page.goto(f"/?run={number}")
    before = page.locator("#run-title a").get_attribute("href") or ""
    page.locator("#more-settings > summary").click()
    page.get_by_label("Judge", exact=True).fill(silent)
    page.get_by_label("Find a metric").fill("judge_score")
    page.get_by_label("Judge score").check()
    models.when("rate the answer", Behaviour.says("I would rather not say."))
    try:
        page.get_by_role("button", name="Evaluate 10 questions").click()
        loud = page.locator(".notice-bad", has_text="Judge score")
        expect(loud).to_contain_text(re.compile(r"no verdict on (\d+) of \1:\s+the judge's reply could not be used"))
    finally:
        models.rules.clear()
    expect(page.locator("#run-title a")).not_to_have_attribute("href", before)
    address = page.locator("#run-title a").get_attribute("href") or ""
    for part in PARTS:
        page.goto(f"{address}{part}")
        expect(loud).to_contain_text("Choose another judge")
    assert problems(page) == []
    loud.get_by_role("link", name="score again").click()
    expect(page.get_by_label("Judge", exact=True)).to_have_value(silent)
    at_rest(page).get_by_role("button", name="Score with these").click()
    expect(page.locator("[data-card=judge_score] .score-card-value")).to_contain_text(re.compile(r"\d\.\d\d"))
    expect(loud).to_have_count(0)


def test_a_prompt_of_the_judge_is_changed_and_reset(page, sample):
    page.goto("/prompts/")
    page.locator("#judge details", has_text="rate_answer").locator("summary").click()
    page.get_by_role("link", name="Edit Rate answer").click()
    prompt = page.get_by_label("Prompt", exact=True)
    shipped = prompt.input_value()
    prompt.fill(shipped.replace("{answer}", ""))
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".field-error")).to_contain_text("must keep {answer}")
    prompt.fill(f"Be stern.\n{shipped}")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("ins")).to_contain_text("Be stern.")
    assert problems(page) == []
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Reset to the shipped text").click()
    expect(page.get_by_text("Nothing: the shipped text is in force.")).to_be_visible()
    expect(prompt).to_have_value(shipped)
