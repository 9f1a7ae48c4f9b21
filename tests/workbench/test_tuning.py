"""Tuned embeddings on the page of a test set: start, figures, delete; offered on the Workbench."""

from __future__ import annotations

import re
from typing import Any

import pytest

from evaluation.models import TestSet, TunedEmbedding
from evaluation.tuning.ranking import advice, compare_ranks
from rag_pipeline.background.tasks import request_cancel
from rag_pipeline.runtime import models_folder
from tests.evaluation.tuning_corpus import THINGS, invented_testset
from tests.factories import ROSETTA, make_testset
from tests.markup import words_of
from tests.tiny_bert import make_tiny_bert
from workbench.models import Preferences

pytestmark = pytest.mark.django_db
BUTTON = "Tune embeddings on this test set"
FORM = {"base": "local:all-MiniLM-L6-v2", "epochs": 3, "learning_rate": 0.00005, "batch_size": 16, "negatives": 1,
        "warmup": 0.1, "seed": 0}  # fmt: skip


def tune(client: Any, testset: TestSet, **changes: Any) -> Any:
    return client.post(f"/testsets/{testset.pk}/tune/", {"name": "mill"} | FORM | changes)


def ready_model(testset: TestSet, before: list[int], after: list[int], name: str = "mill") -> TunedEmbedding:
    make_tiny_bert(models_folder() / name, [ROSETTA])
    pairs = [asked for asked, _ in THINGS]
    compared = compare_ranks(before, after, pairs)
    verdict, message = advice(compared, len(pairs))
    return TunedEmbedding.objects.create(
        name=name,
        base="local:all-MiniLM-L6-v2",
        corpus=testset.corpus,
        testset=testset,
        settings={"tuning": {"seed": 7}, "pipeline": {}},
        figures={
            "weights": "00",
            "chunks": 12,
            "tuned_on": {"pairs": 36, "examples": 36, "steps": 9},
            "losses": [2.0, 1.0],
            "measured": {"questions": 12, "pairs": 12, "metrics": compared},
            "verdict": verdict,
            "message": message,
        },
    )


def test_tuning_is_queued_with_what_was_asked_and_shown_with_its_progress(client: Any) -> None:
    testset = invented_testset()
    assert BUTTON in client.get(f"/testsets/{testset.pk}/").content.decode()
    response = tune(client, testset, seed=5)
    assert response["Location"] == f"/testsets/{testset.pk}/#tuned"
    model = TunedEmbedding.objects.get()
    assert model.settings["tuning"] == FORM | {"seed": 5}
    page = client.get(f"/testsets/{testset.pk}/").content.decode()
    assert "tuned:mill" in page
    assert f'hx-get="/tasks/{model.task_id}/"' in page
    assert 'hx-trigger="task-ended from:body"' in page


def test_the_documents_are_cut_as_preferred(client: Any) -> None:
    Preferences.store({"pipeline": {"chunk_size": 300, "chunk_overlap": "0"}})
    tune(client, invented_testset())
    assert TunedEmbedding.objects.get().settings["pipeline"]["chunk_size"] == 300


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"name": ""}, "Give the tuned model a name."),
        ({"name": "two words"}, "letters, digits, dashes and underscores"),
        ({"epochs": "0"}, "Epochs must be a whole number from 1 to 50."),
        ({"base": "openai:text-embedding-3-small"}, "only a local model can"),
        ({"base": "local:/nowhere"}, "no embedding model at /nowhere"),
    ],
)
def test_a_wrong_value_is_said_beside_its_field(client: Any, changes: dict[str, str], words: str) -> None:
    response = tune(client, invented_testset(), **changes)
    assert response.status_code == 422
    assert words in words_of(response)
    assert not TunedEmbedding.objects.exists()


def test_too_few_pairs_are_said_with_the_mend(client: Any) -> None:
    response = tune(client, make_testset())
    assert response.status_code == 422
    assert "tuning needs 10 at least. Generate a larger test set" in words_of(response)


def test_what_tuning_changed_is_shown_with_intervals_and_verdict(client: Any) -> None:
    testset = invented_testset()
    ready_model(testset, before=[2] * 12, after=[1] * 12)
    text = words_of(client.get(f"/testsets/{testset.pk}/"))
    assert "On holdout: 12 questions of 12 pairs, 12 chunks, with 95 % intervals" in text
    # Hit rate@1: 0 of 12 against 12 of 12, each with Wilson's interval; reciprocal rank: 1/2 against 1.
    assert "Hit rate@1 12 0.00 0.00 to 0.24 1.00 0.76 to 1.00 +1.00" in text
    assert re.search(r"MRR@10 12 0\.50 [\d. to]+ 1\.00 [\d. to]+ \+0\.50", text)
    assert "Tuning helped: MRR@10 on holdout changed by +0.500" in text


def test_a_model_that_did_not_help_is_called_so(client: Any) -> None:
    testset = invented_testset()
    ready_model(testset, before=[1] * 12, after=[1] * 11 + [2])
    ready_model(testset, before=[1] * 12, after=[3] * 12, name="worse")
    text = words_of(client.get(f"/testsets/{testset.pk}/tuned/", headers={"HX-Request": "true"}))
    assert "Not distinguishable from the untuned model" in text
    assert "Keep the untuned model; more pairs would tell more." in text
    assert "Tuning made it worse: MRR@10 on holdout changed by -0.667. Keep the untuned model." in text


def test_the_workbench_offers_it_for_both_embeddings(client: Any) -> None:
    ready_model(invented_testset(), [1] * 12, [1] * 12)
    page = client.get("/").content.decode()
    assert '<option value="tuned:mill">' in page
    for name in ("embedding", "eval_embedding"):
        field = re.search(rf'<input[^>]*name="{name}"[^>]*>', page)
        assert field is not None
        assert 'list="known-embeddings"' in field[0]


def test_deleting_says_what_uses_it(client: Any) -> None:
    testset = invented_testset()
    model = ready_model(testset, [1] * 12, [1] * 12)
    Preferences.store({"pipeline": {"embedding": "tuned:mill"}})
    response = client.post(f"/tuned/{model.pk}/delete/")
    assert response.status_code == 422
    assert "“mill” is used by your preferred settings." in words_of(response)
    Preferences.store({})
    assert client.post(f"/tuned/{model.pk}/delete/")["Location"] == f"/testsets/{testset.pk}/#tuned"
    assert not TunedEmbedding.objects.exists()
    assert not (models_folder() / "mill").exists()


def test_a_cancelled_tuning_is_shown_as_such_and_can_be_deleted(client: Any) -> None:
    testset = invented_testset()
    tune(client, testset)
    model = TunedEmbedding.objects.get()
    assert model.task is not None
    request_cancel(model.task)
    assert "cancelled" in words_of(client.get(f"/testsets/{testset.pk}/"))
    client.post(f"/tuned/{model.pk}/delete/")
    assert not TunedEmbedding.objects.exists()


def test_methods_and_missing_ids(client: Any) -> None:
    testset = invented_testset()
    assert client.get(f"/testsets/{testset.pk}/tune/").status_code == 405
    assert client.post(f"/testsets/{testset.pk}/tuned/").status_code == 405
    assert client.get("/tuned/1/delete/").status_code == 405
    assert client.post("/testsets/999/tune/", FORM).status_code == 404
    assert client.post("/tuned/999/delete/").status_code == 404
    assert client.get(f"/testsets/{testset.pk}/tuned/")["Location"] == f"/testsets/{testset.pk}/#tuned"
