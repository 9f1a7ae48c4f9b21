"""A test set with metadata, imported and evaluated in the browser."""

from __future__ import annotations

import csv
import io
import json

from playwright.sync_api import Page, expect

from tests.browser.forms import choose
from tests.browser.waiting import at_rest
from tests.commands import ROOT

IMPORTED = "Imported with levels"


def with_levels(rows: int) -> bytes:
    """Return the first questions of the sample as a file whose metadata name a level, easy or hard."""
    shipped = ROOT / "workbench" / "sample" / "questions.csv"
    questions = list(csv.DictReader(io.StringIO(shipped.read_text(encoding="utf-8"))))[:rows]
    for place, row in enumerate(questions):
        row["metadata"] = json.dumps({"level": "hard" if place // 3 % 2 else "easy", "source": place})
    out = io.StringIO()
    writer = csv.DictWriter(out, list(questions[0]))
    writer.writeheader()
    writer.writerows(questions)
    return out.getvalue().encode()


def import_and_evaluate(page: Page) -> str:
    """Return the address of a run on the imported test set."""
    page.goto("/testsets/")
    form = page.get_by_role("region", name="Import from a file")
    choose(form, "Corpus it asks about", "Sample")
    form.get_by_label("Test set name").fill(IMPORTED)
    file = {"name": "levels.csv", "mimeType": "text/csv", "buffer": with_levels(60)}
    form.get_by_label("Questions").set_input_files(file)  # type: ignore[arg-type]
    form.get_by_role("button", name="Import").click()
    expect(page.get_by_role("heading", name=IMPORTED)).to_be_visible()
    page.goto("/")
    choose(page, "Corpus", "Sample")
    at_rest(page)
    choose(page, "Test set", IMPORTED)
    at_rest(page).get_by_role("button", name="Evaluate", exact=True).click()
    expect(page.locator("#results .score-card")).to_have_count(6)
    address = page.locator("#run-title a").get_attribute("href")
    assert address is not None
    return address
