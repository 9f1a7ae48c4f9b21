"""Chat in the browser: answers stream in, errors stand beside their field, a good question is kept."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Bench
from tests.commands import run_command


@pytest.fixture(autouse=True, scope="module")
def versions_go_again(sample: Bench) -> Iterator[None]:
    """Leave the sample's test set to other tests as it was: a change to it made a new version."""
    yield
    code = "from evaluation.models import TestSet; TestSet.objects.filter(version__gt=1).delete()"
    assert run_command("shell", "-v", "0", "-c", code, data=sample.data).returncode == 0


def ask(page: Page, text: str) -> None:
    """Type a message and send it with Enter; wait for the finished answer."""
    done = page.locator(".chat-message[id]")
    before = done.count()
    page.get_by_label("Message").fill(text)
    page.keyboard.press("Enter")
    expect(done).to_have_count(before + 1)


@pytest.fixture
def chat(page, sample):
    """The chat page with the sample's latest run."""
    page.goto("/chat/")
    return page


def test_a_question_of_the_test_set_is_answered_with_its_contexts(chat):
    question = chat.locator("[data-chat-sample]").first.inner_text()
    chat.locator("[data-chat-sample]").first.click()
    expect(chat.get_by_label("Message")).to_have_value(question)
    ask(chat, question)
    expect(chat.get_by_label("Message")).to_have_value("")
    message = chat.locator(".chat-message").last
    expect(message.locator(".chat-line")).to_contain_text("contexts")
    message.locator("summary", has_text="context").click()
    expect(message.locator(".context").first).to_be_visible()
    chat.reload()
    expect(chat.locator(".chat-message").last).to_contain_text(question)


def test_the_reader_without_context_is_explained_and_the_message_kept(page, sample):
    page.goto("/chat/")
    page.get_by_label("Use context").uncheck()
    page.get_by_label("Message").fill("Who was it?")
    with page.expect_response("**/chat/stream/") as answer:
        page.get_by_role("button", name="Send").click()
    assert answer.value.status == 422
    expect(page.locator("#chat-composer")).to_contain_text("cannot run without context")
    expect(page.get_by_label("Message")).to_have_value("Who was it?")


def test_a_question_from_the_chat_goes_into_the_test_set(chat):
    ask(chat, chat.locator("[data-chat-sample]").first.inner_text())
    chat.get_by_role("link", name="Add to test set").last.click()
    chat.get_by_label("Question", exact=True).fill("What did I ask in the chat?")
    chat.get_by_label("The documents answer it").check()
    chat.get_by_label("Reference answers").fill("This.")
    chat.locator(".context-choice").first.click()
    chat.get_by_role("button", name="Add to test set").click()
    added = chat.locator(".pair", has_text="What did I ask in the chat?")
    expect(added.locator("mark.evidence")).to_be_visible()
    expect(added).to_contain_text("added by hand")


def test_two_settings_side_by_side_are_voted_on_blind(page, sample):
    page.goto("/chat/")
    page.get_by_role("link", name="Side by side").click()
    page.get_by_label("Message").fill("When did the uprising begin?")
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#chat-composer")).to_contain_text("Tick 2 to 4 saved settings.")
    saved = page.locator("input[name=settings]")
    saved.nth(0).check()
    saved.nth(1).check()
    page.get_by_label("Blind").check()
    page.get_by_role("button", name="Send").click()
    asked = page.locator(".chat-message[id]")
    expect(asked.locator(".chat-side-answer")).to_have_count(2)
    expect(asked).not_to_contain_text("Sample, chunks")
    expect(page.locator("#chat-composer")).not_to_contain_text("Tick 2 to 4")
    asked.get_by_role("button", name="B", exact=True).click()
    expect(asked).to_contain_text("preferred")
    expect(asked).to_contain_text("Sample, chunks")
    expect(page.locator(".chat-votes")).to_contain_text("1 of 1")


def test_questions_are_judged_and_edited_in_place(page, sample):
    page.goto("/testsets/")
    page.locator("main tbody a").first.click()
    first = page.locator(".pair").first
    reviewed = page.locator("#question-counts")
    first.get_by_role("button", name="Accept").first.click()
    expect(first.locator(".badge-good").first).to_be_visible()
    expect(reviewed).not_to_contain_text(" 0 reviewed")
    first.get_by_role("link", name="Edit").first.click()
    first.get_by_label("Question").fill("Is this edited in place?")
    first.get_by_role("button", name="Save question").click()
    expect(page.locator(".pair", has_text="Is this edited in place?")).to_be_visible()
