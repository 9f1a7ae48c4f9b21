"""Tuning an embedding: it learns, the same again; it is measured honestly; nothing half-made is left."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from evaluation.models import Question, TestSet, TunedEmbedding
from evaluation.services.runs import start_run
from evaluation.services.testsets import delete_testset
from evaluation.services.tuning import delete_tuned, ranked_questions, start_tuning
from evaluation.spec import EvaluationSpec, RunOptions
from evaluation.tuning_spec import TuningSpec
from rag_pipeline.background.tasks import request_cancel, run_inline
from rag_pipeline.embedders.tuned import tuned_names
from rag_pipeline.errors import ConfigError, InUseError
from rag_pipeline.models import BackgroundTask
from rag_pipeline.services.indexes import open_embedder
from rag_pipeline.services.pipelines import search
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from tests.evaluation.tuning_corpus import ASKED, SENTENCE, THINGS, invented_testset, vocabulary
from tests.factories import make_run, make_testset
from tests.tiny_bert import make_tiny_bert

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning"),
]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the setting of a model that knows all words and nothing of their meaning."""
    return f"local:{make_tiny_bert(tmp_path_factory.mktemp('tiny') / 'model', vocabulary(), mixing=0.05)}"


def tune(testset: TestSet, base: str, name: str = "mill", **settings: Any) -> TunedEmbedding:
    spec = TuningSpec.create({"base": base, "epochs": 25, "learning_rate": 4e-3, "negatives": 0} | settings)
    tuned = start_tuning(testset=testset, name=name, spec=spec, pipeline=PipelineSpec.create(), inline=True)
    assert tuned.task is not None
    task = run_inline(tuned.task)
    assert task.error == ""
    tuned.refresh_from_db()
    return tuned


def tune_shortly(base: str) -> None:
    tune(invented_testset(tune=1, holdout=0), base, epochs=1)


@pytest.fixture
def tuned(tiny: str, begin_with: Callable[..., None]) -> TunedEmbedding:
    """A tuned embedding called mill, of a test set of its own without holdout."""
    begin_with(tune_shortly, tiny)
    return TunedEmbedding.objects.get()


def tune_with_holdout(base: str) -> None:
    tune(invented_testset(tune=1), base, epochs=1)


def mean_rank(testset: TestSet, embedding: str) -> float:
    """Return the mean rank of the evidence of the holdout questions, as a person who searches finds it."""
    spec = PipelineSpec.create({"embedding": embedding, "top_k": len(THINGS)})
    ranks = []
    for asked, told in THINGS:
        found = search(corpus=testset.corpus, spec=spec, query=ASKED[3].format(asked)).contexts
        ranks.append(next(context.rank for context in found if told in context.text))
    return sum(ranks) / len(ranks)


@pytest.mark.slow
def test_a_tuned_model_ranks_the_evidence_higher_and_says_so(tiny: str) -> None:
    testset = invented_testset()
    before = mean_rank(testset, tiny)
    tuned = tune(testset, tiny)
    assert tuned_names() == ["mill"]
    assert mean_rank(testset, "tuned:mill") < before - 1
    figures = tuned.figures
    assert figures["tuned_on"] == {"pairs": 36, "examples": 36, "steps": len(figures["losses"])}
    assert figures["measured"]["questions"] == 12
    mrr = figures["measured"]["metrics"]["mrr@10"]
    assert mrr["after"]["mean"] > 0.6 > 0.4 > mrr["before"]["mean"]
    assert mrr["difference"]["low"] > 0
    assert figures["verdict"] == "better"
    assert figures["message"].startswith("Tuning helped: MRR@10 on holdout changed by +")


def test_the_same_seed_gives_the_same_weights(tiny: str, tuned: TunedEmbedding) -> None:
    again = tune(tuned.testset, tiny, "again", epochs=1)
    assert again.figures["weights"] == tuned.figures["weights"]
    assert open_embedder("tuned:again").fingerprint == open_embedder("tuned:mill").fingerprint


@pytest.mark.slow
def test_the_same_seed_gives_the_same_weights_and_another_one_others(tiny: str) -> None:
    testset = invented_testset(tune=1, holdout=0)
    marks = [tune(testset, tiny, name, epochs=2, seed=seed).figures["weights"] for name, seed in
             (("one", 3), ("two", 3), ("three", 4))]  # fmt: skip
    assert marks[0] == marks[1] != marks[2]
    assert open_embedder("tuned:one").fingerprint == open_embedder("tuned:two").fingerprint


def test_without_holdout_there_are_no_figures_but_a_reason(tiny: str) -> None:
    figures = tune(invented_testset(tune=1, holdout=0), tiny, epochs=1).figures
    assert figures["measured"] is None
    assert "no accepted answerable question in its holdout split" in figures["reason"]


def test_a_cancelled_tuning_leaves_nothing_and_its_name_is_free(tiny: str, data_dir: Path) -> None:
    testset = invented_testset(tune=1)
    spec = TuningSpec.create({"base": tiny, "epochs": 30})
    tuned = start_tuning(testset=testset, name="mill", spec=spec, pipeline=PipelineSpec.create(), inline=True)
    seen: list[str] = []

    def stop(task: BackgroundTask) -> None:
        seen.append(task.step)
        if task.step == "Tuning" and task.done >= 2:
            request_cancel(task)

    assert tuned.task is not None
    assert run_inline(tuned.task, stop).state == BackgroundTask.State.CANCELLED
    assert "Tuning" in seen
    assert "Measuring on holdout" not in seen
    assert tuned_names() == []
    assert not list((data_dir / "models").glob("*")) + list((data_dir / "models").glob(".*"))
    assert tune(testset, tiny, epochs=1).ready
    assert TunedEmbedding.objects.count() == 1


def test_only_accepted_answerable_questions_of_the_split_are_learned_from(tiny: str) -> None:
    testset = invented_testset(tune=1)
    testset.questions.filter(question_id="blorn0").update(status=Question.Status.REJECTED)
    texts = [question.text for question in ranked_questions(testset=testset, split="tune")]
    assert len(texts) == 11
    assert "What is a blorn for?" not in texts
    assert len(ranked_questions(testset=testset, split="holdout")) == 12


def test_too_few_pairs_are_refused_with_the_mend(tiny: str) -> None:
    with pytest.raises(ConfigError, match="3 accepted pairs with evidence in its tune split; tuning needs 10 at least"):
        tune(make_testset(), tiny)
    assert not TunedEmbedding.objects.exists()


@pytest.mark.parametrize("name", ["", "two words", "../up", ".hidden", "x" * 61])
def test_names_that_are_no_folder_are_refused(tiny: str, name: str) -> None:
    with pytest.raises(ConfigError, match="letters, digits") as caught:
        tune(invented_testset(tune=1), tiny, name)
    assert caught.value.field == "name"


@pytest.mark.parametrize("base", ["openai:text-embedding-3-small", "tuned:x", "local:"])
def test_only_a_local_model_can_be_tuned(base: str) -> None:
    with pytest.raises(ConfigError, match="only a local model can"):
        TuningSpec.create({"base": base})


def test_a_name_is_taken_once_whatever_its_case(tiny: str, tuned: TunedEmbedding) -> None:
    with pytest.raises(ConfigError, match="already a tuned embedding called “mill”"):
        tune(tuned.testset, tiny, "Mill")


def test_what_is_used_cannot_be_deleted_and_the_rest_goes_whole(tuned: TunedEmbedding, data_dir: Path) -> None:
    run = make_run(tuned.testset, name="With tuning", settings={"embedding": "tuned:mill"}, scored=False)
    with pytest.raises(InUseError, match="used by With tuning"):
        delete_tuned(tuned=tuned)
    run.delete()
    with pytest.raises(InUseError, match="used by your preferred settings"):
        delete_tuned(tuned=tuned, also_used_by=["your preferred settings"])
    assert (data_dir / "models" / "mill" / "model.safetensors").exists()
    delete_tuned(tuned=tuned)
    assert tuned_names() == []
    assert not TunedEmbedding.objects.exists()
    assert not BackgroundTask.objects.filter(kind="tune").exists()


def test_a_tuned_model_scores_answers_too_and_is_then_in_use(tuned: TunedEmbedding) -> None:
    scoring = {"eval_embedding": "tuned:mill", "agreement": "semantic_similarity"}
    run = make_run(tuned.testset, name="Scored by it", evaluation=scoring)
    assert run.current_scoring is not None
    recall = run.current_scoring.metrics.get(metric="recall", group="")
    assert recall.n == 12
    assert recall.mean is not None
    with pytest.raises(InUseError, match="used by Scored by it"):
        delete_tuned(tuned=tuned)


def test_a_test_set_under_tuning_stays_and_the_model_outlives_it_later(tiny: str) -> None:
    testset = invented_testset(tune=1, holdout=0)
    spec = TuningSpec.create({"base": tiny, "epochs": 1})
    tuned = start_tuning(testset=testset, name="mill", spec=spec, pipeline=PipelineSpec.create(), inline=True)
    with pytest.raises(InUseError, match="being tuned"):
        delete_testset(testset=testset)
    with pytest.raises(InUseError, match="still being tuned"):
        delete_tuned(tuned=tuned)
    assert tuned.task is not None
    run_inline(tuned.task)
    delete_testset(testset=testset)
    tuned.refresh_from_db()
    assert tuned.testset is None
    assert tuned_names() == ["mill"]


@pytest.mark.parametrize("field", ["embedding", "eval_embedding"])
def test_an_unknown_tuned_model_is_refused_before_a_run_with_those_there_are(tuned: TunedEmbedding, field: str) -> None:
    testset = tuned.testset
    pipeline = {"embedding": "tuned:mull"} if field == "embedding" else {}
    scoring = {"eval_embedding": "tuned:mull"} if field == "eval_embedding" else {}
    with pytest.raises(ConfigError, match=r"no tuned embedding called “mull”. There are: mill\.") as caught:
        start_run(
            corpus=testset.corpus,
            testset=testset,
            spec=PipelineSpec.create(pipeline),
            evaluation=EvaluationSpec.create(scoring),
            options=RunOptions.create({}),
        )
    assert caught.value.field == field


@pytest.mark.parametrize(("split", "said"), [("all", True), ("tune", True), ("holdout", False)])
def test_a_run_on_questions_that_the_model_has_seen_says_so(
    tiny: str, begin_with: Callable[..., None], split: str, said: bool
) -> None:
    begin_with(tune_with_holdout, tiny)
    testset = TestSet.objects.get()
    runs = [
        start_run(
            corpus=testset.corpus,
            testset=testset,
            spec=PipelineSpec.create({"embedding": embedding}),
            evaluation=EvaluationSpec.create({}),
            options=RunOptions.create({"split": split}),
        )
        for embedding in ("tuned:mill", tiny)
    ]
    assert [any("has learned from the tune split" in note for note in run.notes) for run in runs] == [said, False]


def test_a_model_tuned_anew_under_an_old_name_gets_vectors_of_its_own(tiny: str, tuned: TunedEmbedding) -> None:
    testset = tuned.testset
    before = open_embedder("tuned:mill").embed_passages([SENTENCE])
    delete_tuned(tuned=tuned)
    tune(testset, tiny, epochs=4)
    assert float(before[0] @ open_embedder("tuned:mill").embed_passages([SENTENCE])[0]) < 0.9999


def test_the_command_prints_the_figures(tiny: str, capsys: pytest.CaptureFixture[str]) -> None:
    testset = invented_testset(tune=1)
    call_command("tune_embedding", corpus=testset.corpus.name, testset=testset.name, name="mill", base=tiny, epochs=1)
    out = capsys.readouterr().out
    assert "tuned:mill: 12 pairs of the tune split, 12 examples" in out
    assert "On holdout, 12 questions of 12 pairs, 12 chunks:" in out
    for figure in ("hit_rate@1", "hit_rate@4", "mrr@10"):
        assert figure in out
    assert "--set embedding=tuned:mill" in out
