"""The page Score: upload, results, rows, downloads, again, delete."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from evaluation.models import AnswerFile
from rag_pipeline.background.tasks import run_inline
from rag_pipeline.settings.core import DEFAULT_REFUSAL
from tests import fake_embedder  # noqa: F401 - registers words:any

pytestmark = pytest.mark.django_db
NAMES = ["token_f1", "token_recall", "knowledge_bounding", "mrr"]
FORM = {"refusal": DEFAULT_REFUSAL, "judge": "", "judge_votes": "1", "metrics": NAMES}
ROWS = [
    {
        "question": f"Question {number}?", "question_id": f"q{number}", "answer": ("Thebes", "in Memphis")[number % 2],
        "contexts": ["It was Memphis <b>here</b>.", "Elsewhere"], "contexts_id": ["m", "e"],
        "reference_answers": ["Memphis"], "reference_context_ids": ["m", "x"], "reference_contexts": ["It was", "No"],
        "metadata_field": {"era": "old" if number < 20 else "new"}, "is_answerable_label": True, "machine": "no. 7",
    }
    for number in range(30)
]  # fmt: skip


def sent(rows: list[dict[str, Any]] | bytes, name: str = "other-system.jsonl") -> SimpleUploadedFile:
    data = rows if isinstance(rows, bytes) else "\n".join(json.dumps(row) for row in rows).encode()
    return SimpleUploadedFile(name, data)


def score() -> None:
    Client().post("/score/upload/", FORM | {"file": sent(ROWS)})
    file = AnswerFile.objects.get()
    AnswerFile.objects.update(spec=file.spec | {"eval_embedding": "words:any"})
    run_inline(file.task)


@pytest.fixture
def scored(begin_with: Any) -> AnswerFile:
    """A file of 30 rows, scored."""
    begin_with(score)
    return AnswerFile.objects.get()


def test_the_page_offers_a_file_the_metrics_and_an_example(client):
    html = client.get("/score/").content.decode()
    assert ">Score</a>" in html
    for label in ("Answers", "Refusal sentence", "Metrics", "Judge", "Judge votes", "Try it with an example"):
        assert label in html
    assert 'value="token_f1"' in html
    assert 'value="context_matching"' not in html  # a file has no spans
    assert "Nothing was scored yet" in html
    first = b"".join(client.get("/score/example.jsonl").streaming_content).splitlines()[0]
    assert json.loads(first)["contexts"]


def test_an_upload_is_queued_and_shows_its_progress(client):
    response = client.post("/score/upload/", FORM | {"file": sent(ROWS)})
    file = AnswerFile.objects.get()
    assert response["Location"] == f"/score/{file.pk}/"
    assert (file.name, file.rows, file.metrics) == ("other-system.jsonl", 30, NAMES)
    html = client.get(f"/score/{file.pk}/").content.decode()
    assert f'hx-get="/tasks/{file.task_id}/"' in html
    assert "Download scored.jsonl" not in html
    assert "other-system.jsonl" in client.get("/score/").content.decode()


def test_the_example_is_scored_without_a_file(client):
    client.post("/score/upload/", FORM | {"example": "1"})
    assert AnswerFile.objects.get().rows == 12


_UNSENT = ("file", "checkbox")


class Controls(HTMLParser):
    """Reads what a browser would send of the form that uploads."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: dict[str, list[str]] = {}
        self.inside, self.select = False, ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        name, value = given.get("name") or "", given.get("value") or ""
        if tag == "form":
            self.inside = "upload" in (given.get("action") or "")
        elif tag == "select":
            self.select = name
        elif tag == "option" and "selected" in given:
            self.sent[self.select] = [value]
        elif tag == "textarea":
            self.sent[name] = [""]
        elif tag == "input" and self.inside and name and ("checked" in given or given.get("type") not in _UNSENT):
            self.sent.setdefault(name, []).append(value)


def test_the_form_is_taken_as_it_stands(client):
    controls = Controls()
    controls.feed(client.get("/score/").content.decode())
    assert {"token_f1", "groundedness_offline"} <= set(controls.sent["metrics"])
    assert {"faithfulness", "max_words", "answer_reward", "context_matching"}.isdisjoint(controls.sent["metrics"])
    response = client.post("/score/upload/", controls.sent | {"example": "1"})
    assert response.status_code == 302, re.findall(r"field-error[^<]*<[^<]*", response.content.decode())
    assert AnswerFile.objects.get().spec["metric_options"] == {}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"file": sent(b'{"answer": "a"}\n{"answer": 3}\n')}, "Line 2: answer is not a text. Nothing was scored."),
        ({"file": sent(b"name\nx\n", "names.csv")}, "is in no known format"),
        ({}, "Choose a file first."),
        ({"file": sent(ROWS), "metrics": []}, "Tick at least one metric."),
        ({"file": sent(ROWS), "metrics": ["faithfulness"]}, "Faithfulness needs a judge."),
        ({"file": sent(ROWS), "metrics": ["f2"]}, "There is no metric called “f2”"),
        ({"file": sent(ROWS), "judge": "gpt"}, "is not of the form provider:model"),
        ({"file": sent(ROWS), "judge_votes": "2"}, "Select a valid choice"),
        ({"file": sent(ROWS), "refusal": ""}, "Give the sentence"),
    ],
)
def test_what_does_not_fit_is_said_and_nothing_kept(client, changes, words):
    response = client.post("/score/upload/", FORM | changes)
    assert response.status_code == 422
    assert words in response.content.decode().replace("&quot;", '"')
    assert not AnswerFile.objects.exists()


def test_the_means_stand_by_group_with_interval_and_counts(client, scored):
    html = client.get(f"/score/{scored.pk}/").content.decode()
    assert html.index("Headline") < html.index("Lexical") < html.index("Retrieval")
    # 15 of 30 answers hold the reference: token recall 0.50; Wilson 0.33 to 0.67.
    assert "0.33 to 0.67" in html
    assert "30 of 30" in html
    assert "Headline by era" in html


def test_the_rows_are_shown_by_group_in_order_and_page_by_page(client, scored):
    page = client.get(f"/score/{scored.pk}/?group=lexical&page=2").content.decode()
    assert "Question 29?" in page
    assert "Question 0?" not in page
    assert "Page 2 of 2" in page
    best = client.get(f"/score/{scored.pk}/?group=lexical&sort=-token_f1", headers={"HX-Request": "true"})
    html = best.content.decode()
    assert "<title>" not in html
    assert html.index("Question 1?") < html.index("Question 3?") < html.index("Question 0?")
    assert client.get(f"/score/{scored.pk}/?group=none&sort=-oops&page=99").status_code == 200


def test_a_row_has_everything_about_it(client, scored):
    html = client.get(f"/score/{scored.pk}/rows/2/").content.decode()
    for words in ("Question 1?", "in Memphis", "not a refusal", "&lt;b&gt;here&lt;/b&gt;", "should be there", "no. 7"):
        assert words in html
    assert "gold at: rank 1; 2 gold in all" in html
    assert f'href="/score/{scored.pk}/rows/1/"' in html
    assert f'href="/score/{scored.pk}/rows/3/"' in html
    assert client.get(f"/score/{scored.pk}/rows/31/").status_code == 404
    assert client.get(f"/score/{scored.pk}/rows/0/").status_code == 404


def test_the_downloads_are_the_files_that_are_kept(client, scored):
    for name in ("scored.jsonl", "summary.json"):
        response = client.get(f"/score/{scored.pk}/{name}")
        assert b"".join(response.streaming_content) == (scored.folder / name).read_bytes()
        assert name in response["Content-Disposition"]
    assert client.get(f"/score/{scored.pk}/answers.jsonl").status_code == 404
    assert client.get(f"/score/{scored.pk}/..%2fsummary.json").status_code == 404


def test_a_file_is_scored_again_with_other_metrics(client, scored):
    boxes = client.get(f"/score/{scored.pk}/").content.decode().split("Score again with other metrics")[1]
    assert [name for name in ("mrr", "map") if re.search(rf'value="{name}"[^>]*checked', boxes)] == ["mrr"]
    response = client.post(f"/score/{scored.pk}/again/", FORM | {"metrics": ["map"]})
    assert response["Location"] == f"/score/{scored.pk}/"
    scored.refresh_from_db()
    assert scored.spec["eval_embedding"] == "words:any"  # what the form does not show stays
    assert "until the new ones are there" in client.get(f"/score/{scored.pk}/").content.decode()
    run_inline(scored.task)
    assert list(AnswerFile.objects.get().summary["metrics"]) == ["map"]
    refused = client.post(f"/score/{scored.pk}/again/", FORM | {"metrics": []})
    assert refused.status_code == 422
    assert "Tick at least one metric." in refused.content.decode()


def test_a_file_is_deleted(client, scored):
    folder = scored.folder
    assert client.post(f"/score/{scored.pk}/delete/")["Location"] == "/score/"
    assert not AnswerFile.objects.exists()
    assert not folder.exists()
    assert client.get(f"/score/{scored.pk}/").status_code == 404


def test_a_file_that_is_being_scored_is_not_deleted(client):
    client.post("/score/upload/", FORM | {"file": sent(ROWS)})
    pk = AnswerFile.objects.get().pk
    assert "Cancel that first" in client.post(f"/score/{pk}/delete/", follow=True).content.decode()
    assert AnswerFile.objects.exists()


def test_more_files_make_no_more_queries(client, scored):
    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as found:
            client.get("/score/")
        return len(found)

    before = queries()
    AnswerFile.objects.bulk_create([AnswerFile(name=f"f{number}", spec={}) for number in range(5)])
    assert queries() == before


@pytest.mark.parametrize("address", ["upload/", "1/again/", "1/delete/"])
def test_actions_are_posted(client, address):
    assert client.get(f"/score/{address}").status_code == 405


def test_a_row_shows_each_sentence_with_what_supports_it(client):
    client.post("/score/upload/", FORM | {"file": sent(ROWS[1:2]), "metrics": ["groundedness_offline"]})
    file = AnswerFile.objects.get()
    AnswerFile.objects.update(spec=file.spec | {"eval_embedding": "words:any"})
    run_inline(file.task)
    html = client.get(f"/score/{file.pk}/rows/1/").content.decode()
    assert "Sentence by sentence" in html
    assert "Closest, in context 1:" in html
    assert "evidence_start" not in html
