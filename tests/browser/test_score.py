"""Scoring the answers of another system, as a person does it."""

from __future__ import annotations

import json

from playwright.sync_api import expect

from tests.browser.test_pages import problems

ROWS = [
    {
        "question": "On which river does Warsaw stand?",
        "answer": "On the Vistula.",
        "reference_answers": ["the Vistula"],
    },
    {"question": "Who built it?", "answer": "", "reference_answers": ["nobody knows"]},
]


def test_a_file_is_uploaded_scored_and_looked_through(page, sample, tmp_path):
    file = tmp_path / "their-answers.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in ROWS), encoding="utf-8")
    page.goto("/")
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Metrics", exact=True).click()
    page.get_by_role("navigation", name="Metrics").get_by_role("link", name="Score", exact=True).click()
    page.get_by_label("Answers", exact=True).set_input_files(file)
    assert problems(page) == []
    page.get_by_role("button", name="Score", exact=True).click()
    expect(page.get_by_role("heading", name="their-answers.jsonl")).to_be_visible()
    # The page asks for itself again once the scores are there.
    expect(page.get_by_role("link", name="Download summary.json")).to_be_visible()
    assert problems(page) == []
    page.get_by_role("navigation", name="Groups of metrics").get_by_role("link", name="Lexical").click()
    expect(page.locator("#rows thead")).to_contain_text("Token F1")
    page.get_by_role("link", name=ROWS[0]["question"]).click()
    expect(page.get_by_role("heading", name="What should have been retrieved")).to_have_count(0)
    expect(page.locator("main")).to_contain_text("On the Vistula.")
    assert problems(page) == []
