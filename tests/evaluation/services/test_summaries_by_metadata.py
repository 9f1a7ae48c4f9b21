"""The summary of a run tells its scores apart by what the metadata of its questions say."""

from __future__ import annotations

import pytest

from evaluation.services.summaries import run_summary
from tests.factories import REFUSAL, make_run, make_testset

pytestmark = pytest.mark.django_db


def test_means_stand_by_the_values_of_a_key():
    testset = make_testset()
    for number, topic in ((1, "decree"), (2, "decree"), (3, "scripts")):
        testset.questions.filter(pair_id=f"p{number}").update(metadata={"topic": topic, "page": number})
    run = make_run(testset, {"p2s": REFUSAL})
    found = run_summary(run=run)["by_metadata"]
    assert set(found) == {"topic", "page"}
    assert {value: (each["rows"], each["metrics"]["recall"]["mean"]) for value, each in found["topic"].items()} == {
        "decree": (4, 0.5),
        "scripts": (2, 1.0),
    }
    assert found["topic"]["decree"]["metrics"]["recall"]["n"] == 2


def test_without_metadata_or_scores_there_is_nothing_to_tell_apart():
    assert run_summary(run=make_run())["by_metadata"] == {}
    testset = make_testset()
    testset.questions.filter(question_id="p1s").update(metadata={"topic": "decree"})
    assert run_summary(run=make_run(testset, scored=False))["by_metadata"] == {}
