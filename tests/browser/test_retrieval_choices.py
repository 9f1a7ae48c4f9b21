"""Choosing how to retrieve: the form follows the choice, and the run shows what each step kept."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect


def field(page: Page, label: str):
    return page.locator("#settings").get_by_label(label, exact=True)


def test_children_hybrid_and_consolidation_from_the_form_to_the_answer(page, sample):
    page.goto("/")
    page.locator("#more-settings > summary").click()
    field(page, "Chunker").select_option("hierarchical")
    field(page, "Parent size").fill("900")
    field(page, "Chunk size").fill("250")
    field(page, "Retriever").select_option("hybrid")
    expect(field(page, "Hybrid weight")).to_be_visible()
    expect(field(page, "MMR lambda")).to_have_count(0)
    field(page, "Consolidation").select_option("extract")
    expect(field(page, "Parent size")).to_have_value("900")
    shown = page.locator("#run-title a").get_attribute("href") or ""
    page.get_by_role("button", name="Evaluate 10 questions").click()
    expect(page.locator("#run-title a")).not_to_have_attribute("href", shown)
    expect(page.locator("#results .score-card")).to_have_count(6)
    page.locator("#run-title a").click()
    expect(page.locator("main")).to_contain_text(re.compile("hierarchical", re.IGNORECASE))
    page.locator("main tbody a").first.click()
    expect(page.locator("main")).to_contain_text("What each step of retrieval kept")


def test_what_cannot_work_is_said_beside_the_field(page, sample):
    page.goto("/")
    page.locator("#more-settings > summary").click()
    field(page, "Reranker").fill("cross_encoder:/no/such/folder")
    page.get_by_role("button", name="Evaluate", exact=True).click()
    expect(page.locator("#settings .field-error")).to_contain_text("/no/such/folder")
    assert page.locator("#id_query_transform option[disabled]").count() >= 1
