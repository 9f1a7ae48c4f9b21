"""The pages around a run, on the sample and on an imported test set: parts, definitions, navigation, drawer, phone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Bench
from tests.browser.waiting import PATIENCE_S, at_rest

PARTS = ("", "failures/", "questions/", "settings/")


def test_a_run_is_walked_through_its_parts(page: Page, run: str):
    page.goto(run)
    parts = page.get_by_role("navigation", name="Parts of the run")
    expect(page.locator(".score-card")).to_have_count(6)
    expect(page.get_by_role("region", name="What it took")).to_contain_text("Retrieval")
    parts.get_by_role("link", name="Failures").click()
    expect(page).to_have_url(re.compile(f"{run}failures/$"))
    points = page.get_by_role("region", name="Which metrics speak for which point")
    expect(points.get_by_role("row")).to_have_count(8)
    expect(points.get_by_role("link", name="Knowledge bounding")).to_be_visible()
    parts.get_by_role("link", name="Questions").click()
    at_rest(page).get_by_label("Kind").select_option(label="Out of scope")
    expect(page).to_have_url(re.compile(f"{run}questions/.*kind=out_of_scope"))
    kinds = page.locator("#questions tbody td:nth-child(2)")
    expect(kinds.first).to_contain_text("Out of scope")
    assert all("Out of scope" in text for text in kinds.all_inner_texts())
    parts.get_by_role("link", name="Settings").click()
    expect(page.get_by_role("heading", name="Settings of this run")).to_be_visible()
    parts.get_by_role("link", name="Summary").click()
    expect(page).to_have_url(re.compile(f"{run}$"))


def test_scores_are_grouped_by_the_metadata_of_an_imported_set(page: Page, imported: str):
    page.goto(imported)
    at_rest(page).get_by_label("Grouped by").select_option(label="Level")
    table = page.get_by_role("region", name="Scores by level")
    expect(table.get_by_role("rowheader")).to_have_text(["easy", "hard"])
    expect(page).to_have_url(re.compile("by=level"))
    page.reload()
    expect(page.get_by_role("region", name="Scores by level")).to_be_visible()


def test_parts_of_few_questions_are_folded_and_open(page: Page, evaluated: str):
    page.goto(evaluated)
    few = page.get_by_text(re.compile("parts? with fewer than 7 questions")).first
    table = few.locator("xpath=../table")
    expect(table).to_be_hidden()
    few.click()
    expect(table).to_be_visible()


def test_a_definition_opens_by_mouse_keyboard_and_touch(page: Page, browser: Browser, sample: Bench, run: str):
    page.goto(run)
    name = "What is knowledge bounding?"
    text = page.locator(".definition:popover-open")
    at_rest(page).get_by_role("button", name=name).click()
    expect(text).to_contain_text("out-of-scope")
    box = text.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 1440
    page.keyboard.press("Escape")
    expect(text).to_have_count(0)
    page.get_by_role("button", name=name).focus()
    page.keyboard.press("Enter")
    expect(text).to_be_visible()
    context = browser.new_context(base_url=sample.url, has_touch=True, viewport={"width": 390, "height": 844})
    phone = context.new_page()
    phone.set_default_timeout(1000 * PATIENCE_S)
    phone.goto(f"{run}failures/")
    phone.get_by_role("button", name="What is failure points?").tap()
    expect(phone.locator(".definition:popover-open")).to_contain_text("Barnett")
    phone.locator(".definition:popover-open a").tap()
    expect(phone.locator("#failure_points + dd")).to_be_visible()
    expect(phone.locator(".fold-section[open]")).to_have_count(1)  # the long page is folded but for what was asked for
    phone.get_by_role("navigation", name="On this page").get_by_role("link", name="Rules").tap()
    expect(phone.locator("#must_match")).to_be_visible()
    context.close()


def test_the_corpus_in_the_head_is_that_of_all_pages(page: Page, sample: Bench):
    page.goto("/documents/")
    page.get_by_label("New corpus").or_(page.get_by_text("New corpus")).first.click()
    page.get_by_label("Name", exact=True).fill("Second corpus")
    page.get_by_role("button", name="Create corpus").click()
    head = page.locator("#corpus-menu > summary")
    expect(head).to_contain_text("Second corpus")
    page.goto("/testsets/")
    expect(head).to_contain_text("Second corpus")
    head.click()
    page.locator("#corpus-menu").get_by_role("button", name="Sample: Warsaw").click()
    expect(page).to_have_url(re.compile("/testsets/$"))
    page.goto("/")
    expect(page.get_by_label("Corpus", exact=True).locator("option:checked")).to_have_text(re.compile("Sample"))


def test_the_drawer_holds_the_settings_by_stage_and_closes(page: Page, sample: Bench):
    page.goto("/")
    at_rest(page).get_by_text("More settings", exact=True).first.click()
    drawer = page.locator(".drawer-panel")
    expect(drawer).to_be_in_viewport()
    box = drawer.bounding_box()
    assert box is not None
    assert box["width"] > 900
    groups = ["Chunks", "Retrieval", "Answer", "Metrics", "Scoring", "Failure points", "Questions"]
    expect(drawer.locator("legend")).to_have_text(groups)
    drawer.get_by_role("link", name="Scoring").click()
    expect(page.get_by_label("Agreement", exact=True)).to_be_in_viewport()
    scrolled = drawer.evaluate("panel => panel.scrollTop")
    page.get_by_label("Agreement", exact=True).select_option("semantic_similarity")
    at_rest(page)
    expect(drawer).to_be_visible()  # what was open is open, where it was
    assert abs(drawer.evaluate("panel => panel.scrollTop") - scrolled) < 80
    page.keyboard.press("Escape")
    expect(drawer).to_be_hidden()
    expect(page.locator("#more-settings > summary")).to_be_focused()


def test_presets_and_versions_of_a_prompt(page: Page, sample: Bench):
    page.goto("/")
    panel = page.locator("#settings")
    at_rest(page).get_by_label("Chunk size", exact=True).fill("512")
    panel.get_by_text("Presets").click()
    page.get_by_label("Name of the preset").fill("middle chunks")
    page.get_by_label("Name of the preset").press("Enter")
    expect(page.locator("#messages")).to_contain_text("Saved the preset")
    at_rest(page).get_by_role("button", name="Reset to preferred").click()
    expect(page.get_by_label("Chunk size", exact=True)).not_to_have_value("512")
    at_rest(page).get_by_role("button", name="middle chunks", exact=True).click()
    expect(page.get_by_label("Chunk size", exact=True)).to_have_value("512")
    for version, text in (
        ("My prompt", "Short. {context} {question}"),
        ("My prompt v2", "Shorter. {context} {question}"),
    ):
        at_rest(page).get_by_label("Prompt", exact=True).fill(text)
        expect(page.locator("#prompt-reading")).to_contain_text("edited, no name yet")
        if not page.get_by_label("Name in the library").is_visible():
            panel.get_by_text("Save under a name", exact=True).click()
        page.get_by_label("Name in the library").fill("My prompt")
        at_rest(page).get_by_role("button", name="Save", exact=True).click()
        chosen = page.get_by_label("Take from the library").locator("option:checked")
        expect(chosen).to_have_text(re.compile(f"^{version} "))
    at_rest(page).get_by_label("Take from the library").select_option("My prompt")
    expect(page.get_by_label("Prompt", exact=True)).to_have_value("Short. {context} {question}")


COVERED = """() => {
  const field = document.activeElement;
  if (!field || field === document.body) return "";
  const box = field.getBoundingClientRect();
  if (!box.width || !box.height) return "";
  const x = Math.min(Math.max(box.left + box.width / 2, 1), innerWidth - 1);
  const into = box.height < innerHeight / 2 ? box.height / 2 : 20;
  const y = Math.min(Math.max(box.top + into, 1), innerHeight - 1);
  const there = document.elementFromPoint(x, y);
  const free = there && (field.contains(there) || there.contains(field) || there.closest("label"));
  return free ? "" : `${field.outerHTML.slice(0, 90)} under ${there ? there.className : "nothing"}`;
}"""


@pytest.mark.parametrize("width", [390, 1440])
def test_focus_is_never_under_a_bar_that_stays(page: Page, run: str, width: int):
    page.set_viewport_size({"width": width, "height": 844})
    covered = []
    for path in ("/", "/chat/", "/sweeps/", f"{run}questions/", run):
        page.goto(path)
        at_rest(page)
        for _ in range(45):
            page.keyboard.press("Tab")
            covered += [f"{path}: {found}" for found in [page.evaluate(COVERED)] if found]
        for _ in range(15):
            page.keyboard.press("Shift+Tab")
            covered += [f"{path} back: {found}" for found in [page.evaluate(COVERED)] if found]
    assert covered == []


CONTRASTS = """() => {
  const line = (part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  const light = (color) => {
    const [r, g, b] = color.match(/[0-9.]+/g).slice(0, 3).map((part) => line(Number(part) / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const below = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const color = getComputedStyle(each).backgroundColor;
      if (color !== "rgba(0, 0, 0, 0)" && color !== "transparent") return color;
    }
    return "rgb(255, 255, 255)";
  };
  const texts = Array.from(document.querySelectorAll("[data-chart] svg text"));
  return texts.filter((text) => text.textContent.trim() && text.getBoundingClientRect().width).map((text) => {
    const style = getComputedStyle(text);
    const pair = [light(style.fill), light(below(text.closest("[data-chart]")))].sort((a, b) => b - a);
    return [(pair[0] + 0.05) / (pair[1] + 0.05), Number(style.fillOpacity) * Number(style.opacity), text.textContent];
  }).filter(([ratio, opacity]) => ratio < 4.5 || opacity < 0.99);
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_small_text_in_charts_has_contrast(page: Page, sample: Bench, theme: str):
    page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    for path in ("/", "/dashboard/"):
        page.goto(path)
        expect(page.locator("[data-chart].js-plotly-plot").first).to_be_visible()
        expect(page.locator("[data-chart] svg text").first).to_be_attached()
        assert page.evaluate(CONTRASTS) == []


def test_a_phone_hides_no_run_score_or_part(page: Page, run: str):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(run)
    for name in ("Recall", "Robustness", "Brevity", "Knowledge bounding", "Context matching", "Total"):
        card = page.locator(".score-card").filter(has=page.get_by_role("heading", name=name, exact=True))
        card.scroll_into_view_if_needed()
        expect(card.locator(".score-card-value")).to_be_in_viewport()
    for part in PARTS:
        page.goto(f"{run}{part}")
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        expect(page.get_by_role("navigation", name="Parts of the run").get_by_role("link")).to_have_count(4)
    page.goto("/")
    page.locator(".menu-pages > summary").click()
    for label in ("Workbench", "Documents", "Test sets", "Dashboard", "Sweeps", "Compare", "Chat", "Metrics", "Score"):
        expect(page.get_by_role("navigation", name="Menu").get_by_role("link", name=label, exact=True)).to_be_visible()
