"""A sweep in the browser: from values to a plan, a curve with bands, a heat map, and a confirmed recommendation."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.waiting import at_rest


@pytest.mark.slow
def test_from_values_to_a_confirmed_recommendation(page, sample):
    page.goto("/sweeps/")
    page.get_by_label("Values to try").fill("chunk_size=200..3200 x 2\nprompt=Concise, Full sentence")
    page.get_by_label("Other settings").fill("top_k=2")
    page.get_by_role("button", name="Show the plan").click()
    expect(page.get_by_text("10 configurations over")).to_be_visible()
    page.get_by_role("button", name="Start").click()
    page.wait_for_url(re.compile(r"/sweeps/\d+/"))
    expect(page.get_by_role("heading", name="What to use")).to_be_visible()
    at_rest(page)
    for chart in ("sweep-curve", "sweep-heat"):
        expect(page.locator(f"[data-chart={chart}].js-plotly-plot")).to_be_visible()
    assert page.locator("[data-chart=sweep-curve] .scatterlayer .js-fill").count() == 2
    expect(page.locator(".chosen-row")).to_have_count(1)
    page.get_by_role("button", name="Confirm").click()
    expect(page.get_by_text("On holdout", exact=True).first).to_be_visible()
    expect(page.get_by_role("heading", name="What to use")).to_be_visible()
    page.get_by_label("Fresh pairs").fill("4")
    page.get_by_role("button", name="Write fresh pairs").click()
    expect(page.get_by_text(re.compile(r"^On \d fresh pairs$")).first).to_be_visible()
    expect(page.get_by_role("heading", name="What to use")).to_be_visible()
    page.get_by_text("Clone a configuration with changes").click()
    page.get_by_label("Changes").fill("hybrid_weight=0.4")
    page.get_by_role("button", name="Clone").click()
    expect(page.locator("#clone-error")).to_contain_text("would change nothing")
    page.get_by_label("Changes").fill("retriever=bm25")
    page.get_by_role("button", name="Clone").click()
    expect(page.get_by_text("clone", exact=True)).to_be_visible()
    expect(page.get_by_role("heading", name="What to use")).to_be_visible()
    page.get_by_role("link", name="Use these settings").click()
    expect(page.get_by_label("Top k", exact=True)).to_have_value("2")


@pytest.mark.slow
def test_several_values_on_the_workbench_lead_to_a_plan(page, sample):
    page.goto("/")
    page.get_by_label("Chunk size", exact=True).fill("300, 600")
    page.get_by_text("Try several").click()
    page.get_by_role("group", name="Retriever").get_by_label("BM25").check()
    page.get_by_role("button", name="Sweep 4 configurations").click()
    page.wait_for_url(re.compile(r"/sweeps/\?"))
    expect(page.get_by_text("4 configurations over")).to_be_visible()
    expect(page.get_by_role("button", name="Start")).to_be_visible()


@pytest.mark.slow
def test_a_quiz_from_question_to_source_and_on(page, sample):
    page.goto("/quiz/")
    page.get_by_role("button", name="Start the quiz").click()
    first = page.locator("#question-title").inner_text()
    page.get_by_label("Your answer").fill("I do not know.")
    page.get_by_role("button", name="Show answer").click()
    expect(page.locator("blockquote mark").first).to_be_visible()
    page.get_by_role("button", name="I was wrong").click()
    expect(page.locator("#question-title")).not_to_have_text(first)
    page.get_by_role("button", name="Show answer").click()
    page.get_by_role("button", name="Question is doubtful").click()
    expect(page.get_by_text("Question 3 of")).to_be_visible()
