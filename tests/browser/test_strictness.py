"""The built-in reader's strictness, from the form to the answers: at 1 it declines everything, at 0 nothing."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.waiting import at_rest

REFUSAL = "I am not aware of that topic"


def evaluate(page: Page, strictness: str, cost: str) -> None:
    """Evaluate ten questions with a strictness, seeing what it costs, and wait for the scores."""
    page.goto("/")
    page.get_by_label("Corpus", exact=True).select_option(label="Sample: Warsaw")
    at_rest(page)
    before = page.locator("#run-title a").get_attribute("href") or ""
    page.get_by_label("Strictness", exact=True).fill(strictness)
    expect(page.locator("#strictness-cost")).to_contain_text(cost)
    page.get_by_role("button", name="Evaluate 10 questions").click()
    expect(page.locator("#run-title a")).not_to_have_attribute("href", before)
    expect(page.locator("#results .score-card")).to_have_count(6)


def ask(page: Page) -> str:
    """Ask the chat, which answers as the latest run did; return what then stands there."""
    page.goto("/chat/")
    messages = page.locator(".chat-message[id]")
    before = messages.count()
    page.get_by_label("Message").fill("When was the Royal University of Warsaw established?")
    page.get_by_role("button", name="Send").click()
    expect(messages).to_have_count(before + 1)
    return messages.last.inner_text()


def test_the_strictness_decides_between_declining_and_answering(page, sample):
    evaluate(page, "1", "1 declines every question.")
    page.locator("#run-title a").click()
    page.locator("#questions tbody a").first.click()
    expect(page.locator("main")).to_contain_text("below the strictness of 1.00")
    expect(page.get_by_text("It would have answered:")).to_be_visible()
    declined = ask(page)
    assert REFUSAL in declined
    assert "It would have answered:" in declined

    evaluate(page, "0", "0 answers every question")
    answered = ask(page)
    assert REFUSAL not in answered
    assert "It answers in any case: strictness is 0." in answered
    page.locator(".reader-answer a").last.click()
    expect(page.locator("mark#marked")).to_be_visible()
