"""A test set that people brought gets what it lacks: evidence, twins, questions out of scope, a split."""

from __future__ import annotations

import pytest

from evaluation.question_writers.base import Completion
from evaluation.services.completing import lacking, start_completion
from evaluation.services.imports import import_testset
from rag_pipeline.background.tasks import resume, run_inline
from rag_pipeline.errors import ConfigError
from rag_pipeline.models import BackgroundTask
from tests.factories import ROSETTA, make_corpus, make_testset

pytestmark = pytest.mark.django_db(transaction=True)

QUESTIONS = (
    "When was the Rosetta Stone found?\nWhat is the name of the captain of the ship?\nIs the stone heavy?\n"
    "In which museum has the stone been shown?\n"
)
ANSWERS = "July 1799\nAhab\nyes\nthe British Museum\n"


@pytest.fixture
def brought():
    """Return four questions with answers and nothing else."""
    file = ("questions.csv", QUESTIONS.encode())
    return import_testset(corpus=make_corpus(), name="Ours", file=file, answers=("answers.csv", ANSWERS.encode()))


def completed(testset, **wanted):
    """Return the completed test set."""
    name = wanted.pop("name", "")
    made = start_completion(testset=testset, wanted=Completion(**wanted), name=name, inline=True)
    assert run_inline(made.task, lambda _: None).state == BackgroundTask.State.DONE
    made.refresh_from_db()
    return made


def test_evidence_is_found_by_the_words_of_the_reference_and_the_rest_is_told(brought):
    made = completed(brought, twins=False, evidence=True)
    found = {one.text: [each.span for each in one.evidence.all()] for one in made.questions.all()}
    (span,) = found["When was the Rosetta Stone found?"]
    assert "July 1799" in ROSETTA[span.start : span.end]
    assert not found["What is the name of the captain of the ship?"]
    reasons = made.report["rejected"]["evidence"]
    assert reasons == {
        "no passage holds what its reference says": 1, "its reference has no word that could be searched for": 1,
    }  # fmt: skip
    assert "without evidence remain" in made.report["message"]


def test_each_question_gets_one_twin_that_shares_its_references_and_evidence(brought):
    made = completed(brought, twins=True, evidence=True)
    pairs = {}
    for question in made.questions.all():
        pairs.setdefault(question.pair_id, {})[question.kind] = question
    assert all(set(pair) == {"simple", "complex"} for pair in pairs.values())
    for pair in pairs.values():
        simple, twin = pair["simple"], pair["complex"]
        assert twin.text != simple.text
        assert twin.reference_answers == simple.reference_answers
        assert twin.split == simple.split
        assert [each.span for each in twin.evidence.all()] == [each.span for each in simple.evidence.all()]
    assert "Rosetta" in " ".join(pair["complex"].text.title() for pair in pairs.values())


def test_out_of_scope_questions_are_counted_with_those_there_are(brought):
    made = completed(brought, twins=False, evidence=False, out_of_scope=4)
    outside = made.questions.filter(kind="out_of_scope")
    assert outside.count() == len({one.text for one in outside}) == 4
    more = completed(made, twins=False, evidence=False, out_of_scope=6)
    assert more.questions.filter(kind="out_of_scope").count() == 6
    assert len({one.question_id for one in more.questions.all()}) == more.questions.count()


def test_the_set_itself_stays_and_the_result_is_its_next_version_or_has_a_name_of_its_own(brought):
    before = list(brought.questions.values_list("text", "kind", "split"))
    assert str(completed(brought, twins=True, evidence=False)) == "Ours v2"
    assert str(completed(brought, twins=True, evidence=False, name="Theirs")) == "Theirs"
    assert list(brought.questions.values_list("text", "kind", "split")) == before
    with pytest.raises(ConfigError, match="already has a test set “Theirs”"):
        start_completion(testset=brought, wanted=Completion(), name="Theirs")


def test_a_set_without_holdout_gets_one_by_pair():
    testset = make_testset()
    testset.questions.update(split="tune")
    made = completed(testset, twins=False, evidence=False, out_of_scope=5)
    splits = {}
    for question in made.questions.exclude(question_id__startswith="o0"):
        splits.setdefault(question.pair_id, set()).add(question.split)
    assert all(len(each) == 1 for each in splits.values())
    assert {"holdout"} in splits.values()


def test_a_set_that_lacks_nothing_is_not_completed():
    testset = make_testset()
    assert lacking(testset=testset, wanted=Completion()) == {}
    with pytest.raises(ConfigError, match="has all that was asked for"):
        start_completion(testset=testset, wanted=Completion())


def test_a_set_that_is_still_made_waits(brought):
    made = start_completion(testset=brought, wanted=Completion())
    with pytest.raises(ConfigError, match="still being made"):
        start_completion(testset=made, wanted=Completion())


@pytest.fixture
def basics(fake_openai):
    """Return a set whose second pair is unclear, whose third has a wrong reference, one out-of-scope answered."""
    testset = make_testset()
    testset.questions.filter(question_id="p2s").update(text="When did they find it?")
    testset.questions.filter(pair_id="p3").update(reference_answers=["a purple giraffe"])
    testset.questions.filter(question_id="o1").update(text="Where was the Rosetta Stone found?")
    return testset


def test_a_model_mends_what_it_can_and_rejects_the_rest(basics, fake_openai):
    made = completed(basics, twins=False, evidence=False, check="openai:checker")
    found = {one.question_id: one for one in made.questions.all()}
    assert {one.metadata["checked"] for one in found.values()} == {"openai:checker"}
    assert "problem" not in found["p1s"].metadata
    assert found["p1s"].text == basics.questions.get(question_id="p1s").text

    unclear = found["p2s"]
    assert unclear.metadata["problem"] == "It cannot be understood without the passage"
    assert unclear.metadata["before"]["text"] == "When did they find it?"
    assert unclear.text.startswith("What is known about")
    assert unclear.status == "new"
    for name in ("p2s", "p2c", "p3s", "p3c"):
        (evidence,) = found[name].evidence.all()
        assert ROSETTA[evidence.start : evidence.end] == found[name].reference
    assert found["p3s"].metadata["problem"] == "Its reference answer is not what the evidence says"

    assert (found["o1"].status, found["o2"].status) == ("rejected", "new")
    assert made.report["rejected"]["check"] == {"The documents answer it": 1}
    assert made.report["usage"]["calls"] == len(fake_openai.bodies())
    assert made.report["message"] == "openai:checker checked 8 questions: 4 mended, 1 rejected."
    before = basics.questions.get(question_id="p2s")
    assert before.text == "When did they find it?"


def test_what_a_person_has_judged_is_not_checked(basics):
    basics.questions.filter(pair_id="p2").update(status="reviewed")
    basics.questions.filter(question_id="o1").update(status="rejected")
    made = completed(basics, twins=False, evidence=False, check="openai:checker")
    assert made.questions.get(question_id="p2s").text == "When did they find it?"
    assert "checked" not in made.questions.get(question_id="o1").metadata
    with pytest.raises(ConfigError, match="openai:checker has checked it"):
        start_completion(testset=made, wanted=Completion(check="openai:checker"))


def test_a_check_that_was_cut_off_goes_on_with_the_rest(basics, fake_openai):
    fake_openai.key = "another"
    made = start_completion(
        testset=basics, wanted=Completion(twins=False, evidence=False, check="openai:checker"), inline=True
    )
    assert run_inline(made.task, lambda _: None).state == BackgroundTask.State.FAILED
    assert "key" in made.task.error
    assert not any("checked" in one.metadata for one in made.questions.all())
    fake_openai.key = fake_openai.own_key
    resume(made.task)
    assert run_inline(made.task, lambda _: None).state == BackgroundTask.State.DONE
    assert all("checked" in one.metadata for one in made.questions.all())


def test_a_mended_pair_is_not_called_good_or_doubtful_any_more(basics, fake_openai):
    basics.questions.exclude(kind="out_of_scope").update(metadata={"quality": "doubtful"})
    made = completed(basics, twins=False, evidence=False, check="openai:checker")
    mended = {each.pair_id for each in made.questions.all() if "before" in each.metadata}
    assert mended
    assert {each.pair_id for each in made.questions.all() if "quality" in each.metadata} == {"p1", "p2", "p3"} - mended


def test_a_second_model_says_what_it_found_itself(basics, fake_openai):
    first = completed(basics, twins=False, evidence=False, check="openai:checker")
    second = completed(first, twins=False, evidence=False, check="openai:other")
    mended = second.questions.get(question_id="p2s")
    assert mended.metadata == {"checked": "openai:other"}
    assert mended.text == first.questions.get(question_id="p2s").text
    assert second.report["message"] == "openai:other checked 7 questions: 0 mended, 0 rejected."
    assert second.questions.get(question_id="o1").metadata["checked"] == "openai:checker"


def test_what_has_no_evidence_is_not_checked(brought, fake_openai):
    with pytest.raises(ConfigError, match="no evidence to be checked by"):
        start_completion(testset=brought, wanted=Completion(twins=False, evidence=False, check="openai:checker"))
    made = completed(brought, twins=False, evidence=True, check="openai:checker")
    found = {one.text: one for one in made.questions.all()}
    assert found["What is the name of the captain of the ship?"].status == "new"
    assert "checked" not in found["What is the name of the captain of the ship?"].metadata
    assert found["When was the Rosetta Stone found?"].metadata["checked"] == "openai:checker"


@pytest.mark.parametrize(
    ("llm", "said"),
    [("builtin:extractive", "cannot check questions. Name a model"), ("nonsense", "provider")],
)
def test_what_cannot_check_is_refused_beside_its_field(basics, llm, said):
    with pytest.raises(ConfigError, match=said) as refused:
        start_completion(testset=basics, wanted=Completion(check=llm))
    assert refused.value.field == "check"
