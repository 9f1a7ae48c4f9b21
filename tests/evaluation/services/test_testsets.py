"""Test sets: editing makes a new version once a run used them; deleting is refused where something needs them."""

from __future__ import annotations

import pytest

from evaluation.generator_spec import GeneratorSpec
from evaluation.models import Question, TestSet
from evaluation.services import testsets
from rag_pipeline.errors import ConfigError, InUseError
from tests.factories import make_corpus, make_run, make_testset

pytestmark = pytest.mark.django_db


def question(testset: TestSet, name: str) -> Question:
    return testset.questions.get(question_id=name)


def test_an_unused_test_set_is_edited_in_place():
    testset = make_testset()
    edited = testsets.edit_question(question=question(testset, "p1s"), text=" Where? ", reference_answers=["Memphis"])
    assert edited.testset == testset
    assert edited.text == "Where?"
    assert edited.status == "reviewed"
    assert question(testset, "p1c").reference_answers == ["Memphis"]  # twins share their references


def test_what_a_person_changed_is_not_called_good_or_doubtful_any_more():
    testset = make_testset()
    testset.questions.filter(pair_id__in=["p1", "p2"]).update(metadata={"quality": "doubtful", "writer": "builtin"})
    testsets.edit_question(question=question(testset, "p1s"), text="Where?", reference_answers=["Memphis"])
    left = {each.question_id: each.metadata for each in testset.questions.filter(pair_id__in=["p1", "p2"])}
    assert [left[name] for name in ("p1s", "p1c")] == [{"writer": "builtin"}] * 2
    assert left["p2s"]["quality"] == "doubtful"


def test_editing_a_used_one_makes_a_new_version_and_leaves_the_old_as_it_was():
    testset = make_testset()
    make_run(testset)
    before = list(testset.questions.values_list("question_id", "text"))
    edited = testsets.edit_question(question=question(testset, "p1s"), text="Where?", reference_answers=["Memphis"])
    assert (edited.testset.name, edited.testset.version, edited.testset.parent) == (testset.name, 2, testset)
    assert list(testset.questions.values_list("question_id", "text")) == before
    assert edited.testset.questions.count() == len(before)
    old = question(testset, "p1s").evidence.get()
    new = edited.evidence.get()
    assert (new.document, new.start, new.end) == (old.document, old.start, old.end)


def test_reviewing_a_used_one_makes_no_version_but_rejecting_does():
    testset = make_testset()
    make_run(testset)
    assert testsets.set_status(questions=[question(testset, "o1")], status="reviewed") == testset
    rejected = testsets.set_status(questions=[question(testset, "o1")], status="rejected")
    assert rejected.version == 2
    assert question(rejected, "o1").status == "rejected"
    assert question(testset, "o1").status == "reviewed"


def test_a_question_is_added_with_its_evidence():
    testset = make_testset()
    document = testset.corpus.documents.get()
    added = testsets.add_question(
        testset=testset, kind="simple", text="Where is it shown?", reference_answers=["British Museum"],
        document=document, start=10, end=30,
    )  # fmt: skip
    held = added.evidence.get()
    assert (held.start, held.end) == (10, 30)
    assert added.position == testset.questions.count() - 1


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"text": "  "}, "text"),
        ({"reference_answers": []}, "reference_answers"),
        ({"document": None}, "evidence"),
        ({"start": 30}, "evidence"),
        ({"end": 10**6}, "evidence"),
        ({"kind": "odd"}, "kind"),
    ],
)
def test_an_incomplete_question_is_refused_at_its_field(changes, field):
    testset = make_testset()
    given = {
        "kind": "simple", "text": "Where?", "reference_answers": ["There"],
        "document": testset.corpus.documents.get(), "start": 10, "end": 30,
    }  # fmt: skip
    with pytest.raises(ConfigError) as caught:
        testsets.add_question(testset=testset, **(given | changes))
    assert caught.value.field == field


def test_finds_the_newest_version_or_the_one_asked_for():
    testset = make_testset(name="basics")
    make_run(testset)
    testsets.set_status(questions=[question(testset, "o1")], status="rejected")
    assert testsets.get_testset(corpus=testset.corpus, name="basics").version == 2
    assert testsets.get_testset(corpus=testset.corpus, name="basics v1") == testset
    with pytest.raises(ConfigError, match="basics"):
        testsets.get_testset(corpus=testset.corpus, name="other")


def test_a_used_test_set_is_not_deleted_and_the_message_names_the_run():
    testset = make_testset()
    run = make_run(testset, name="Nightly")
    with pytest.raises(InUseError, match="Nightly"):
        testsets.delete_testset(testset=testset)
    run.delete()
    testsets.delete_testset(testset=testset)
    assert not TestSet.objects.filter(pk=testset.pk).exists()


def test_out_of_scope_questions_stand_evenly_between_the_pairs():
    testset = make_testset()
    testsets.spread_out_of_scope(testset=testset)
    assert list(testset.questions.values_list("question_id", flat=True)) == [
        "p1s", "p1c", "o1", "p2s", "p2c", "o2", "p3s", "p3c",
    ]  # fmt: skip


def test_a_name_is_taken_once():
    corpus = make_corpus()
    testsets.start_generation(corpus=corpus, name="first", spec=GeneratorSpec())
    with pytest.raises(ConfigError, match="already"):
        testsets.start_generation(corpus=corpus, name="first ", spec=GeneratorSpec())


def test_the_name_of_one_that_failed_before_its_first_question_is_free_again():
    corpus = make_corpus()
    left = testsets.start_generation(corpus=corpus, name="first", spec=GeneratorSpec())
    left.task.state = left.task.State.FAILED
    left.task.save(update_fields=["state"])
    assert testsets.start_generation(corpus=corpus, name="first", spec=GeneratorSpec()).task.active
    assert corpus.testsets.count() == 1


def test_a_test_set_cannot_be_edited_while_it_is_written():
    testset = testsets.start_generation(corpus=make_corpus(), name="first", spec=GeneratorSpec())
    with pytest.raises(ConfigError, match="still being generated"):
        testsets.add_question(testset=testset, kind="out_of_scope", text="Why?")
