"""The page Test sets: list, generate, import, one set with filters, delete."""

from __future__ import annotations

import csv
import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from evaluation.models import Question, TestSet
from rag_pipeline.background.tasks import request_cancel
from rag_pipeline.models import BackgroundTask
from tests.factories import make_corpus, make_run, make_testset
from tests.markup import markup, words_of
from workbench.models import Preferences

pytestmark = pytest.mark.django_db
FORM = {"pairs": 4, "out_of_scope": 2, "seed": 7, "llm": "builtin:extractive", "purpose": "visitors of a museum"}


def generate(client, corpus, **changes):
    return client.post("/testsets/generate/", {"corpus": corpus.pk, "name": "First"} | FORM | changes)


def test_without_documents_the_page_leads_to_them(client):
    html = client.get("/testsets/").content.decode()
    assert "Upload documents" in html
    assert "Generate test set" not in html


def test_generation_is_queued_with_what_was_asked_and_shown(client):
    corpus = make_corpus()
    response = generate(client, corpus)
    testset = TestSet.objects.get()
    assert response["Location"] == f"/testsets/{testset.pk}/"
    unasked = {"near_share": 50, "prompts": {}, "slips": "", "transformations": ""}
    assert testset.generator == FORM | unasked
    assert testset.task.state == BackgroundTask.State.QUEUED
    page = client.get(response["Location"]).content.decode()
    assert 'hx-trigger="every 2s, task-ended from:body"' in page
    assert "Questions so far" in page


def test_the_form_begins_with_the_preferred_settings(client):
    corpus = make_corpus(name="Library")
    make_testset(corpus, name="Library")
    Preferences.store({"corpus": corpus.pk, "generator": FORM | {"pairs": 12}})
    form = client.get("/testsets/").context["generate"]
    assert form["pairs"].value() == 12
    assert form["purpose"].value() == "visitors of a museum"
    assert form["name"].value() == "Library 2"


@pytest.mark.parametrize(
    ("change", "field"),
    [({"name": ""}, "name"), ({"pairs": 0}, "pairs"), ({"pairs": ""}, "pairs"), ({"out_of_scope": -1}, "out_of_scope")],
)
def test_what_cannot_be_generated_is_said_beside_its_field(client, change, field):
    response = generate(client, make_corpus(), **change)
    assert response.status_code == 422
    assert field in response.context["generate"].errors
    assert not TestSet.objects.exists()


def test_a_name_that_is_taken_and_a_corpus_without_documents_are_refused(client):
    corpus = make_corpus()
    make_testset(corpus, name="First")
    response = generate(client, corpus)
    assert response.status_code == 422
    assert "already has a test set “First”" in words_of(response)
    assert "has no documents" in words_of(generate(client, make_corpus(files={}), name="Second"))


def test_questions_are_shown_while_they_are_written_and_the_part_asks_again(client):
    testset = make_testset()
    testset.task = BackgroundTask.objects.create(kind="generate", state="running", done=3, total=4)
    testset.save()
    part = client.get(f"/testsets/{testset.pk}/", headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in part
    assert "Where was the decree on the Rosetta Stone issued?" in part
    assert "hx-trigger" in part
    BackgroundTask.objects.update(state="done")
    assert "every 2s" not in client.get(f"/testsets/{testset.pk}/").content.decode()


def test_fewer_than_asked_and_what_was_left_out_are_told(client):
    testset = make_testset()
    testset.report = {
        "message": "3 of 30 pairs were made; the documents hold no more.",
        "rejected": {"pairs": {"the sentence needs its neighbours": 5}},
        "examples": [{"text": "It was heavy.", "reason": "the sentence needs its neighbours"}],
    }
    testset.save()
    words = words_of(client.get(f"/testsets/{testset.pk}/"))
    assert "3 of 30 pairs were made" in words
    assert "5 × the sentence needs its neighbours" in words
    assert "It was heavy." in words


def test_twins_stand_side_by_side_with_their_evidence_marked(client):
    testset = make_testset()
    html = markup(client.get(f"/testsets/{testset.pk}/").content.decode())
    pair = html[html.index('id="pair-p1"') : html.index('id="pair-p2"')]
    assert pair.index("Where was the decree") < pair.index("My class is preparing")
    evidence = "The decree was issued in Memphis in 196 BC on behalf of King Ptolemy V Epiphanes."
    assert f'<mark class="evidence">{evidence}</mark>' in pair


@pytest.mark.parametrize(
    ("query", "pairs"),
    [
        ({"kind": "out_of_scope"}, ["o1", "o2"]),
        ({"transformation": "rephrase"}, ["p2"]),
        ({"text": "memphis"}, ["p1"]),
        ({"status": "reviewed"}, ["p3"]),
        ({"text": "nothing like it"}, []),
        ({"kind": "no such kind"}, ["p1", "p2", "p3", "o1", "o2"]),
    ],
)
def test_filters_choose_pairs(client, query, pairs):
    testset = make_testset()
    testset.questions.filter(question_id="p3s").update(status="reviewed")
    listed = client.get(f"/testsets/{testset.pk}/", query).context["list"]
    assert [pair.pair_id for pair in listed.pairs] == pairs


def test_doubtful_pairs_are_shown_and_rejected_at_once(client):
    testset = make_testset()
    assert "quality" not in client.get(f"/testsets/{testset.pk}/").context["filters"].fields  # nobody rated these
    testset.questions.filter(pair_id="p1").update(metadata={"quality": "likely good"})
    testset.questions.filter(pair_id="p2").update(metadata={"quality": "doubtful"})
    address = f"/testsets/{testset.pk}/"
    assert "Reject the" not in words_of(client.get(address))
    page = client.get(address, {"quality": "doubtful"})
    assert [pair.pair_id for pair in page.context["list"].pairs] == ["p2"]
    assert "Simple · doubtful" in words_of(page)
    assert "Reject the 2 not judged on this page" in words_of(page)
    client.post(f"/testsets/{testset.pk}/status/", {"id": page.context["list"].new_ids, "status": "rejected"})
    assert set(testset.questions.filter(status="rejected").values_list("pair_id", flat=True)) == {"p2"}


def test_a_set_by_rules_says_how_many_pairs_are_how_good(client):
    testset = make_testset()
    testset.generator = {"llm": "builtin:extractive"}
    testset.save()
    address = f"/testsets/{testset.pk}/"
    assert "Of this set" not in words_of(client.get(address))
    testset.questions.filter(pair_id__in=["p1", "p2"]).update(metadata={"quality": "likely good"})
    testset.questions.filter(pair_id="p3").update(metadata={"quality": "fair"})
    page = client.get(address)
    assert "Of this set 2 are likely good , 1 is fair ." in words_of(page)
    assert 'href="?quality=likely%20good#questions-title"' in page.content.decode()
    assert "accepted 59 in a hundred of such sets" in words_of(page)
    read_again = {"quality": "likely good", "ranked_with": "SmolLM2-135M-Instruct"}
    testset.questions.filter(pair_id="p1").update(metadata=read_again)
    assert "accepted 62 in a hundred of such sets" in words_of(client.get(address))
    testset.questions.filter(pair_id="p3").update(status="rejected")
    assert "Of this set 2 are likely good ." in words_of(client.get(address))


def test_the_number_of_queries_does_not_grow(client, django_assert_num_queries, django_assert_max_num_queries):
    testset = make_testset()
    address = f"/testsets/{testset.pk}/"
    with django_assert_max_num_queries(22) as counted:
        client.get(address, {"kind": "out_of_scope", "transformation": "near"})
    less = len(counted.captured_queries)
    with django_assert_max_num_queries(less + 2):  # evidence and documents of answerable ones
        client.get(address)
    with django_assert_max_num_queries(22) as counted:
        client.get("/testsets/")
    for _ in range(5):
        make_run(make_testset(testset.corpus), scored=False)
    with django_assert_num_queries(len(counted.captured_queries)):
        client.get("/testsets/")


def test_the_list_shows_the_newest_version_and_links_the_earlier(client):
    old = make_testset(name="Basics")
    new = TestSet.objects.create(corpus=old.corpus, name="Basics", version=2, parent=old)
    rows = client.get("/testsets/").context["page"]
    assert [(row.newest.pk, [each.pk for each in row.earlier]) for row in rows] == [(new.pk, [old.pk])]


def test_output_csv_can_be_downloaded(client):
    testset = make_testset()
    response = client.get(f"/testsets/{testset.pk}/output.csv")
    assert response["Content-Disposition"] == 'attachment; filename="output.csv"'
    rows = list(csv.DictReader(io.StringIO(response.content.decode())))
    assert len(rows) == testset.questions.count()


def test_an_exported_test_set_can_be_imported_again(client):
    testset = make_testset()
    data = client.get(f"/testsets/{testset.pk}/output.csv").content
    response = client.post(
        "/testsets/import/",
        {
            "import-corpus": testset.corpus_id,
            "import-name": "Copy",
            "import-file": SimpleUploadedFile("output.csv", data),
        },
    )
    copy = TestSet.objects.get(name="Copy")
    assert response["Location"] == f"/testsets/{copy.pk}/"
    assert copy.questions.count() == testset.questions.count()


def test_a_file_that_does_not_fit_is_refused_with_its_row(client):
    corpus = make_corpus()
    broken = SimpleUploadedFile("output.csv", b"question_id,kind,question\nq1,simple,\n")
    response = client.post(
        "/testsets/import/", {"import-corpus": corpus.pk, "import-name": "Broken", "import-file": broken}
    )
    assert response.status_code == 422
    assert response.context["importing"].errors
    assert not TestSet.objects.exists()


def test_a_test_set_can_be_deleted_unless_a_run_used_it(client):
    free, used = make_testset(), make_testset()
    make_run(used, scored=False)
    assert client.post(f"/testsets/{free.pk}/delete/").status_code == 302
    response = client.post(f"/testsets/{used.pk}/delete/")
    assert response.status_code == 422
    assert "was used by" in words_of(response)
    assert list(TestSet.objects.all()) == [used]
    assert Question.objects.filter(testset=used).exists()


def test_a_writing_that_was_stopped_goes_on_by_its_button_unless_a_run_used_it(client):
    generate(client, make_corpus())
    testset = TestSet.objects.get()
    address = f"/testsets/{testset.pk}/"
    assert "Go on" not in words_of(client.get(address))
    assert "nothing left to write" in words_of(client.post(f"{address}resume/", follow=True))
    request_cancel(testset.task)
    assert "Go on where it stopped" in words_of(client.get(address))
    assert client.post(f"{address}resume/")["Location"] == address
    testset.task.refresh_from_db()
    assert testset.task.active
    request_cancel(testset.task)
    make_run(testset)
    assert "It cannot go on" in words_of(client.get(address))
    assert "was used by a run" in words_of(client.post(f"{address}resume/", follow=True))


@pytest.mark.parametrize(
    "address",
    ["generate/", "import/", "1/delete/", "1/resume/", "1/complete/", "1/status/", "add/store/", "questions/1/save/"],
)
def test_changes_go_by_post_only(client, address):
    assert client.get(f"/testsets/{address}").status_code == 405


@pytest.mark.parametrize("address", ["", "1/", "1/output.csv", "add/", "questions/1/"])
def test_looking_goes_by_get_only(client, address):
    assert client.post(f"/testsets/{address}").status_code == 405


@pytest.mark.parametrize("address", ["7/", "7/output.csv", "questions/7/"])
def test_what_is_missing_is_not_found(client, address):
    assert client.get(f"/testsets/{address}").status_code == 404
    for change in ("7/delete/", "7/resume/", "7/complete/", "7/status/", "questions/7/save/"):
        assert client.post(f"/testsets/{change}").status_code == 404


def test_what_people_brought_can_be_completed_by_its_button(client):
    testset = make_testset()
    testset.questions.filter(kind="complex").delete()
    page = client.get(f"/testsets/{testset.pk}/")
    assert b"Complete test set" in page.content
    asked = {"complete-twins": "on", "complete-out_of_scope": "2"}
    made = client.post(f"/testsets/{testset.pk}/complete/", asked)
    newest = TestSet.objects.get(name=testset.name, version=2)
    assert made.status_code == 302
    assert made["Location"] == f"/testsets/{newest.pk}/"
    assert newest.task.kind == "complete"
    assert newest.task.payload == {
        "testset": newest.pk, "twins": True, "evidence": False, "out_of_scope": 2, "check": "",
    }  # fmt: skip


def test_nothing_to_complete_is_said_beside_the_form(client):
    testset = make_testset()
    testset.questions.filter(kind="complex").delete()
    page = client.post(f"/testsets/{testset.pk}/complete/", {"complete-out_of_scope": "0"})
    assert page.status_code == 422
    assert "has all that was asked for" in page.content.decode()
    worse = client.post(f"/testsets/{testset.pk}/complete/", {"complete-out_of_scope": "-1"})
    assert worse.status_code == 422
