"""The quiz: a question, its answer and source, what the person says, and what goes to review."""

from __future__ import annotations

import pytest

from evaluation.models import Question, QuizReply
from evaluation.queries.quiz import doubted_questions, quiz_of, sections_of, sources_of
from evaluation.services.testsets import set_status
from evaluation.types import DraftEvidence, DraftQuestion
from rag_pipeline.types import Span
from tests.factories import make_corpus, make_testset
from tests.markup import markup

pytestmark = pytest.mark.django_db


@pytest.fixture
def testset():
    return make_testset()


def page(client, testset, **more) -> str:
    return markup(client.get("/quiz/", {"testset": testset.pk, "round": "1", **more}).content.decode())


def test_without_a_test_set_the_page_says_where_to_go(client):
    assert "There is none yet." in client.get("/quiz/").content.decode()


def test_the_answer_comes_only_when_asked_for_with_its_source(client, testset):
    question = quiz_of(testset, "1", ()).next
    first = page(client, testset)
    assert question.text in first
    assert "Show answer" in first
    assert "I was right" not in first
    shown = page(client, testset, show="1", said="I think so")
    evidence = question.evidence.select_related("document").get()
    assert question.reference in shown
    assert f'<mark class="evidence">{evidence.document.text[evidence.start : evidence.end]}</mark>' in shown
    assert "I think so" in shown


def test_every_pair_is_asked_once_and_the_end_counts(client, testset):
    total = quiz_of(testset, "1", ()).total
    assert total == len(set(testset.questions.exclude(kind="out_of_scope").values_list("pair_id", flat=True)))
    asked = []
    for number in range(total):
        question = quiz_of(testset, "1", ()).next
        asked.append(question.pk)
        verdict = "right" if number else "wrong"
        sent = client.post(f"/quiz/{question.pk}/", {"round": "1", "testset": testset.pk, "verdict": verdict})
        assert sent.status_code == 302
    assert len(set(asked)) == total
    assert f"You knew {total - 1} of {total}" in page(client, testset)
    assert quiz_of(testset, "2", ()).asked == 0  # another round begins anew


def test_what_is_doubted_goes_to_review_and_comes_out_of_it(client, testset):
    question = quiz_of(testset, "1", ()).next
    set_status(questions=[question], status=Question.Status.REVIEWED)
    client.post(f"/quiz/{question.pk}/", {"round": "1", "verdict": "doubtful"})
    question.refresh_from_db()
    assert question.status == Question.Status.NEW
    assert doubted_questions(testset) == [question]
    assert f'href="/testsets/questions/{question.pk}/"' in client.get(f"/quiz/?testset={testset.pk}").content.decode()
    set_status(questions=[question], status=Question.Status.REVIEWED)
    assert doubted_questions(testset) == []


def test_a_reply_is_changed_and_not_added(client, testset):
    question = quiz_of(testset, "1", ()).next
    for verdict in ("right", "wrong"):
        client.post(f"/quiz/{question.pk}/", {"round": "1", "verdict": verdict})
    assert QuizReply.objects.get().verdict == "wrong"


@pytest.mark.parametrize("given", [{"round": "1", "verdict": "maybe"}, {"verdict": "right"}])
def test_what_is_no_reply_is_refused(client, testset, given):
    question = testset.questions.first()
    assert client.post(f"/quiz/{question.pk}/", given).status_code == 422
    assert client.post("/quiz/0/", given).status_code == 404
    assert client.get(f"/quiz/{question.pk}/").status_code == 405


def test_sections_are_the_documents_that_are_asked_about(client, testset):
    [(document, count)] = sections_of(testset)
    assert count == quiz_of(testset, "1", ()).total
    assert quiz_of(testset, "1", {document.pk}).total == count
    assert quiz_of(testset, "1", {document.pk + 1}).total == 0


def test_the_passage_around_the_evidence_is_cut_between_words():
    document = make_corpus(files={"a.txt": "long words stand here " * 60}).documents.get()
    start = document.text.index("words", 600)
    held = (DraftEvidence(Span(document.pk, start, start + 5), "words"),)
    draft = DraftQuestion("p1", "p1", "simple", "What stands?", ("words",), held)
    source = sources_of(make_testset(document.corpus, drafts=[draft]).questions.get())[0]
    assert source.before.startswith("… ")
    assert set(source.before[2:].split()) | set(source.after[:-2].split()) <= {*["long", "words", "stand", "here"]}
    assert source.after.endswith(" …")
