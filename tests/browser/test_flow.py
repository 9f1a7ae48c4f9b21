"""The whole job in the browser, on a document of the user's own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Bench
from tests.browser.forms import choose
from tests.browser.waiting import at_rest
from tests.commands import ROOT
from tests.fake_openai import Behaviour, FakeOpenAI

DOCUMENT = ROOT / "workbench" / "sample" / "warsaw.txt"
CORPUS = "My town"
TESTSET = "Residents"


def dots(page: Page) -> int:
    """Return how many runs the chart shows."""
    chart = at_rest(page).locator("[data-chart].js-plotly-plot")
    expect(chart).to_be_visible()
    script = "plot => plot.data.reduce((n, trace) => n + (trace.customdata ? trace.x.length : 0), 0)"
    count: int = chart.evaluate(script)
    return count


def choose_corpus(page: Page, text: str) -> None:
    """Choose the corpus on the Workbench; its test sets and results come along."""
    choose(page, "Corpus", text)
    expect(page.get_by_label("Test set", exact=True).locator("option").filter(has_text=TESTSET)).to_have_count(1)
    at_rest(page)


def scores(page: Page) -> Locator:
    """Return the score cards of the Workbench."""
    return page.locator("#results .score-card")


def evaluate(page: Page, chunk_size: int) -> None:
    """Set the chunk size on the Workbench and evaluate until the scores stand there."""
    page.get_by_label("Chunk size", exact=True).fill(str(chunk_size))
    before = page.locator("#run-title a").get_attribute("href") if page.locator("#run-title a").count() else ""
    page.get_by_role("button", name="Evaluate", exact=True).click()
    expect(page.locator("#run-title a")).not_to_have_attribute("href", before or "-")
    expect(scores(page)).to_have_count(6)


@pytest.fixture(scope="module")
def downloads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where downloads of this module go."""
    return tmp_path_factory.mktemp("downloads")


def saved(page: Page, label: str, folder: Path) -> bytes:
    """Press a download button and return the file's bytes."""
    with page.expect_download() as download:
        page.get_by_role("link", name=label).first.click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path.read_bytes()


def test_upload(page):
    page.goto("/documents/")
    page.get_by_label(re.compile("^Files")).set_input_files(DOCUMENT)
    page.get_by_label("Into corpus").fill(CORPUS)
    page.get_by_role("button", name="Upload documents").click()
    expect(page.get_by_role("link", name=DOCUMENT.name).first).to_be_visible()


def test_generate(page):
    page.goto("/testsets/")
    form = page.get_by_role("region", name="Generate")
    choose(form, "Corpus", CORPUS)
    form.get_by_label("Name", exact=True).fill(TESTSET)
    form.get_by_label("Pairs").fill("6")
    form.get_by_label("Out of scope").fill("4")
    form.get_by_role("button", name="Generate test set").click()
    expect(page.get_by_role("link", name="Download output.csv").first).to_be_visible()


def test_evaluate_two_chunk_sizes(page):
    page.goto("/")
    choose_corpus(page, CORPUS)
    choose(page, "Test set", TESTSET)
    page.get_by_label("Chunk size", exact=True).fill("900")
    expect(page.locator("#cost")).to_contain_text("chunks to embed")
    evaluate(page, 900)
    expect(page.locator("#cost")).to_contain_text("none to embed")
    assert dots(page) == 1
    evaluate(page, 300)
    assert dots(page) == 2
    expect(page.locator("#results")).to_contain_text("won")


def test_compare(page):
    page.goto("/")
    choose_corpus(page, CORPUS)
    page.get_by_role("link", name=re.compile("^Compare with")).click()
    expect(page).to_have_url(re.compile(r"/compare/\?a=\d+&b=\d+"))
    expect(page.locator("main")).to_contain_text("Chunk size")
    expect(page.locator("main")).to_contain_text("300")


def test_a_run_is_cancelled(page, models: FakeOpenAI):
    page.goto("/")
    choose_corpus(page, CORPUS)
    page.get_by_label("Model", exact=True).fill("openai:slow")
    models.always = Behaviour.hang()
    try:
        before = page.locator("#run-title a").get_attribute("href") or "-"
        page.get_by_role("button", name="Evaluate 10 questions").click()
        expect(page.locator("#run-title a")).not_to_have_attribute("href", before)
        page.get_by_role("button", name="Cancel").click()
        stopped = page.get_by_text(re.compile("cancelled: what stands below is"))
        expect(stopped).to_be_visible()  # and the last good result stays in its place
        expect(scores(page)).to_have_count(6)
    finally:
        models.always = Behaviour()


def test_settings_return_after_a_restart(page, bench: Bench):
    page.goto("/")
    choose_corpus(page, CORPUS)
    page.get_by_label("Chunk size", exact=True).fill("444")
    page.get_by_role("button", name="Save as preferred").click()
    expect(page.locator("#messages")).to_contain_text("Saved as preferred")
    at_rest(page).get_by_label("Top k", exact=True).fill("9")
    expect(page.locator("#mark-top_k")).to_contain_text("undo")
    at_rest(page)
    page.goto("about:blank")  # an open page would rightly say that the server does not answer
    bench.restart()
    page.goto("/")
    expect(page.get_by_label("Chunk size", exact=True)).to_have_value("444")
    expect(page.get_by_label("Top k", exact=True)).to_have_value("9")  # as it was left, though it was not saved
    expect(page.get_by_label("Corpus", exact=True).locator("option:checked")).to_have_text(re.compile(CORPUS))


def test_runs_are_still_there_after_the_restart(page):
    page.goto("/runs/")
    expect(page.locator("main")).to_contain_text(TESTSET)


def test_a_cancelled_run_goes_on_after_the_restart(page):
    page.goto("/runs/")
    page.locator("tbody tr", has_text="cancelled").get_by_role("link").first.click()
    page.get_by_role("button", name="Go on where it stopped").click()
    expect(page.locator(".score-card")).to_have_count(6)
    expect(page.get_by_role("button", name="Go on where it stopped")).to_have_count(0)


def test_chat_answers_from_the_documents(page):
    page.goto("/chat/")
    page.get_by_label("Message").fill("Which river does Warsaw lie on?")
    page.get_by_role("button", name="Send").click()
    message = page.locator(".chat-message").last
    expect(message.get_by_text(re.compile("contexts?$")).first).to_be_visible()
    expect(message.get_by_role("link", name="Add to test set")).to_be_visible()


def test_both_files_have_the_bytes_of_the_data_folder(page, bench: Bench, downloads: Path):
    page.goto("/testsets/")
    page.get_by_role("link", name=TESTSET).first.click()
    output = saved(page, "Download output.csv", downloads)
    assert output in {path.read_bytes() for path in (bench.data / "testsets").glob("*/output.csv")}
    page.goto("/runs/")
    page.locator("main").get_by_role("link", name=re.compile("^Run ")).first.click()
    evaluation = saved(page, "Download eval.csv", downloads)
    assert evaluation in {path.read_bytes() for path in (bench.data / "runs").glob("*/eval.csv")}
