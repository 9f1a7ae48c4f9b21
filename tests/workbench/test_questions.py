"""Questions of a test set: edit in place, accept, reject, add with evidence found exactly."""

from __future__ import annotations

import pytest

from evaluation.models import Question, TestSet
from tests.factories import ROSETTA, make_corpus, make_run, make_testset
from workbench.models import Chat, ChatMessage

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
EVIDENCE = "It has been on public display at the British Museum almost continuously since 1802."


@pytest.fixture
def testset():
    """Three pairs and two out-of-scope questions."""
    return make_testset()


def question(testset, question_id="p1s") -> Question:
    return testset.questions.get(question_id=question_id)


def edit(client, item, text="Where was it issued?", references="Memphis\nIn Memphis", **headers):
    return client.post(
        f"/testsets/questions/{item.pk}/save/", {"text": text, "references": references}, headers=headers
    )


def test_a_question_is_edited_in_place(client, testset):
    item = question(testset)
    part = client.get(f"/testsets/questions/{item.pk}/", headers=HTMX).content.decode()
    assert "<html" not in part
    assert 'name="text"' in part
    response = edit(client, item, **HTMX)
    assert response.status_code == 200
    assert 'id="pair-p1"' in response.content.decode()
    item.refresh_from_db()
    assert (item.text, item.status) == ("Where was it issued?", "reviewed")
    assert question(testset, "p1c").reference_answers == ["Memphis", "In Memphis"]


def test_without_javascript_editing_has_its_page_and_returns_to_the_list(client, testset):
    item = question(testset)
    assert "<html" in client.get(f"/testsets/questions/{item.pk}/").content.decode()
    response = client.post(
        f"/testsets/questions/{item.pk}/save/", {"text": "New?", "references": "x", "query": "kind=simple"}
    )
    assert response["Location"] == f"/testsets/{testset.pk}/?kind=simple#pair-p1"


def test_an_edit_without_text_or_reference_is_explained(client, testset):
    for change in ({"text": " "}, {"references": "\n "}):
        response = edit(client, question(testset), **change)
        assert response.status_code == 422
        assert response.context["form"].errors
    assert question(testset).text == "Where was the decree on the Rosetta Stone issued?"


def test_an_out_of_scope_question_has_no_reference_to_edit(client, testset):
    html = client.get(f"/testsets/questions/{question(testset, 'o1').pk}/").content.decode()
    assert 'name="references"' not in html


def test_editing_a_used_test_set_makes_a_version_and_goes_there(client, testset):
    make_run(testset, scored=False)
    response = edit(client, question(testset))
    newer = TestSet.objects.get(version=2)
    assert response["Location"] == f"/testsets/{newer.pk}/?page=1#pair-p1"
    assert "Your change made" in client.get(response["Location"]).content.decode()
    assert question(testset).text == "Where was the decree on the Rosetta Stone issued?"
    assert question(newer).text == "Where was it issued?"


def test_with_htmx_the_browser_is_sent_to_the_new_version(client, testset):
    make_run(testset, scored=False)
    response = edit(client, question(testset), **HTMX)
    assert response["HX-Redirect"].startswith(f"/testsets/{TestSet.objects.get(version=2).pk}/")


def test_questions_are_accepted_and_rejected(client, testset):
    item = question(testset)
    address = f"/testsets/{testset.pk}/status/"
    response = client.post(address, {"id": item.pk, "status": "reviewed"}, headers=HTMX)
    assert "reviewed" in response.content.decode()
    client.post(address, {"id": item.pk, "status": "rejected"})
    item.refresh_from_db()
    assert item.status == "rejected"


@pytest.mark.parametrize("sent", [{}, {"id": "x", "status": "reviewed"}, {"id": "1", "status": "perfect"}])
def test_a_judgement_of_nothing_is_refused(client, testset, sent):
    response = client.post(f"/testsets/{testset.pk}/status/", sent)
    assert response.status_code == 422
    assert "Choose questions of this test set first." in response.content.decode()


FIELDS = {
    "kind": "simple",
    "text": "Since when has it been on display?",
    "references": "1802",
    "quote": EVIDENCE,
}


def add(client, testset, **values):
    place = {"testset": testset.pk, "document": testset.corpus.documents.get().pk}
    return client.post("/testsets/add/store/", FIELDS | place | values)


def test_a_question_is_added_with_its_evidence_found_exactly(client, testset):
    response = add(client, testset, quote=EVIDENCE.replace(" ", "\n"))
    added = testset.questions.get(text="Since when has it been on display?")
    assert response["Location"] == f"/testsets/{testset.pk}/?page=1#pair-{added.pair_id}"
    evidence = added.evidence.get()
    assert evidence.document.text[evidence.start : evidence.end] == EVIDENCE
    assert added.reference_answers == ["1802"]


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"quote": "It was on display in 1802."}, "quote"),
        ({"quote": ""}, "quote"),
        ({"document": ""}, "document"),
        ({"references": " "}, "references"),
        ({"text": ""}, "text"),
    ],
)
def test_what_is_missing_is_said_beside_its_field(client, testset, values, field):
    response = add(client, testset, **values)
    assert response.status_code == 422
    assert field in response.context["form"].errors
    assert not Question.objects.filter(question_id__startswith="m").exists()


def test_an_out_of_scope_question_needs_no_evidence(client, testset):
    add(client, testset, kind="out_of_scope", text="Who wrote Faust?", references="", quote="")
    assert testset.questions.get(text="Who wrote Faust?").evidence.count() == 0


def test_a_passage_of_a_document_fills_the_form(client, testset):
    document = testset.corpus.documents.get()
    response = client.get("/testsets/add/", {"document": document.pk, "quote": EVIDENCE})
    form = response.context["form"]
    assert form["quote"].value() == EVIDENCE
    assert str(form["document"].value()) in (str(document), str(document.pk))


def test_a_repeated_passage_is_taken_where_it_was_selected(client, testset):
    document = make_corpus(files={"twice.txt": f"{ROSETTA}\n{ROSETTA}"}).documents.get()
    other = make_testset(document.corpus, drafts=[])
    values = {"document": document.pk, "testset": other.pk}
    assert "stands 2 times" in client.post("/testsets/add/store/", FIELDS | values).content.decode()
    client.post("/testsets/add/store/", FIELDS | values | {"near": len(ROSETTA)})
    assert other.questions.get().evidence.get().start > len(ROSETTA)


@pytest.fixture
def message(testset):
    """A chat message with two contexts; the second one answers."""
    document = testset.corpus.documents.get()
    at = document.text.index(EVIDENCE)
    contexts = [
        {"rank": 1, "document_id": document.pk, "document": document.name, "start": 0, "end": 60, "used": False},
        {"rank": 2, "document_id": document.pk, "document": document.name, "start": at, "end": at + 83, "used": True},
    ]
    for each in contexts:
        each |= {"text": document.text[each["start"] : each["end"]], "score": 0.5, "page": None}
    chat = Chat.objects.create(corpus=testset.corpus)
    return ChatMessage.objects.create(
        chat=chat, question="Since when is it on display?", answer="1802", trace={"contexts": contexts}
    )


def test_a_chat_message_fills_the_form_and_its_context_becomes_evidence(client, testset, message):
    form = client.get("/testsets/add/", {"message": message.pk}).context["form"]
    assert form["text"].value() == "Since when is it on display?"
    assert form["references"].value() == "1802"
    assert form["context"].value() == "1"
    sent = {"message": message.pk, "testset": testset.pk, "kind": "simple", "text": "Since when?", "references": "1802"}
    assert client.post("/testsets/add/store/", sent).status_code == 422
    client.post("/testsets/add/store/", sent | {"context": "1", "quote": "since 1802"})
    evidence = testset.questions.get(text="Since when?").evidence.get()
    assert evidence.document.text[evidence.start : evidence.end] == "since 1802"


def test_a_refused_message_is_offered_as_out_of_scope(client, message):
    ChatMessage.objects.update(refused="list")
    assert client.get("/testsets/add/", {"message": message.pk}).context["form"]["kind"].value() == "out_of_scope"


def test_without_a_test_set_or_a_source_the_page_says_what_to_do(client):
    corpus = make_corpus(files={"stone.txt": ROSETTA})
    page = client.get("/testsets/add/", {"document": corpus.documents.get().pk}).content.decode()
    assert "Make a test set" in page
    assert "not there any more" in client.get("/testsets/add/", {"message": 999}).content.decode()
