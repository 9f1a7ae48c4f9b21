"""What a person changes in a sweep on its way: dropped ones are kept, running ones stopped, any cloned with changes."""

from __future__ import annotations

import csv
import io
import json

import pytest

from evaluation.models import Sweep
from evaluation.queries.sweep_importance import importance_of
from evaluation.queries.sweep_table import sweep_table
from evaluation.services.sweep_budget import Budget
from evaluation.services.sweep_changes import clone_configuration, keep_configuration, stop_configuration
from evaluation.services.sweep_files import sweep_csv
from evaluation.services.sweeps import confirm_sweep, resume_sweep
from evaluation.spec import RunOptions
from rag_pipeline.background.tasks import run_inline
from rag_pipeline.errors import ConfigError
from rag_pipeline.pipeline.runner import run_blocks
from rag_pipeline.services.pipelines import open_pipeline
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from rag_pipeline.types import Query
from tests.evaluation.sweeps import CHAT, begun, done, many_pairs, retrieved, spec_of, swept
from tests.factories import make_testset
from tests.fake_openai import Behaviour

pytestmark = pytest.mark.django_db(transaction=True)
RACE = {"top_k": "1,8", "chunk_size": "20,45"}


def rows_of(sweep: Sweep) -> dict[int, object]:
    return {row.configuration.number: row for row in sweep_table(sweep).rows}


@pytest.fixture
def two_sizes(begin_with) -> Sweep:
    """A finished sweep of two configurations."""
    begin_with(retrieved, {"chunk_size": "60,120"})
    return Sweep.objects.get()


def run_race() -> None:
    swept(many_pairs(), RACE, retrieval_only=True, search="race")


@pytest.fixture
def race(begin_with) -> Sweep:
    """A finished race that dropped some configurations."""
    begin_with(run_race)
    return Sweep.objects.get()


def test_a_dropped_configuration_that_is_kept_goes_on_to_the_end(race):
    before = rows_of(race)
    number = next(number for number, row in before.items() if row.dropped)
    keep_configuration(sweep=race, number=number)
    race = done(race)
    after = rows_of(race)
    assert (after[number].state, after[number].dropped, after[number].n) == ("done", None, 40)
    assert after[number].run == before[number].run
    assert {key: row.n for key, row in after.items() if key != number} == {
        key: row.n for key, row in before.items() if key != number
    }
    with pytest.raises(ConfigError, match="was not dropped"):
        keep_configuration(sweep=race, number=number)


def test_what_is_kept_is_dropped_by_no_later_look():
    """Kept after the first look of a race, it is in the second, and there it is as far behind as before."""
    sweep = begun(many_pairs(60), spec_of(RACE, retrieval_only=True, search="race"))
    kept: list[int] = []

    def keep(task) -> None:
        sweep.refresh_from_db()
        if not kept and sweep.state.get("dropped"):
            kept.extend(map(int, sweep.state["dropped"]))
            keep_configuration(sweep=sweep, number=kept[0])

    assert run_inline(sweep.task, keep).state == "done"
    sweep.refresh_from_db()
    rows = rows_of(sweep)
    assert (rows[kept[0]].state, rows[kept[0]].n) == ("done", 60)
    assert rows[kept[0]].verdict.word == "worse"


def test_a_running_configuration_that_is_stopped_ends_and_the_others_go_on(monkeypatch):
    sweep = begun(many_pairs(12), spec_of({"chunk_size": "20,45,90"}))
    check = Budget.check
    stopped: list[int] = []

    def stop(budget) -> None:
        check(budget)
        running = sweep.runs.filter(task__state="running", task__stage="answer", pipeline__chunk_size=45)
        if not stopped and running.exists():
            stopped.append(2)
            stop_configuration(sweep=Sweep.objects.get(), number=2)

    monkeypatch.setattr(Budget, "check", stop)
    sweep = done(sweep)
    assert stopped
    rows = rows_of(sweep)
    assert [row.state for row in rows.values()] == ["done", "stopped", "done"]
    assert rows[2].run.task.state == "cancelled"
    assert sweep.task.failures == 0
    assert sweep_table(sweep).recommendation.number in (1, 3)


def test_what_is_asked_of_a_server_together_ends_with_the_next_answer(fake_openai):
    """One block answers all; of the other, wanted no longer, one call is answered and the rest would hang."""
    testset = make_testset()
    questions = [Query(each.text) for each in testset.questions.all()]
    fake_openai.when("Nay", Behaviour.hang())
    fake_openai.when(f"{questions[0].text} Nay", Behaviour.says("Memphis."))
    specs = [PipelineSpec.create(CHAT | {"prompt": f"{{context}} {{question}} {name}"}) for name in ("Yea", "Nay")]
    pipelines = [open_pipeline(corpus=testset.corpus, spec=each) for each in specs]
    blocks = [(pipeline, questions) for pipeline in pipelines]
    answered = [block for batch in run_blocks(blocks, ended={1}) for block, _, _ in batch]
    assert sorted(answered) == [0] * 8 + [1]


def test_one_that_has_not_begun_is_never_asked_and_can_be_kept_all_the_same():
    sweep = begun(make_testset(), spec_of({"chunk_size": "60,120"}, retrieval_only=True))
    stop_configuration(sweep=sweep, number=2)
    with pytest.raises(ConfigError, match="only configuration left"):
        stop_configuration(sweep=sweep, number=1)
    sweep = done(sweep)
    assert [row.state for row in rows_of(sweep).values()] == ["done", "stopped"]
    assert sweep.runs.count() == 1
    with pytest.raises(ConfigError, match="ended already"):
        stop_configuration(sweep=sweep, number=1)
    keep_configuration(sweep=sweep, number=2)
    assert [row.state for row in rows_of(done(sweep)).values()] == ["done", "done"]


def test_a_clone_is_run_with_its_change_and_shown_with_it(two_sizes):
    sweep = two_sizes
    made = clone_configuration(sweep=sweep, number=2, changes={"top_k": "1", "retriever": "bm25"})
    assert made.label == "chunk size 120 · top k 1 · retriever bm25"
    sweep = done(sweep)
    table = sweep_table(sweep)
    assert table.swept == ["chunk_size", "top_k", "retriever"]
    assert [dict(row.configuration.swept) for row in table.rows] == [
        {"chunk_size": 60, "top_k": 4, "retriever": "dense"},
        {"chunk_size": 120, "top_k": 4, "retriever": "dense"},
        {"chunk_size": 120, "top_k": 1, "retriever": "bm25"},
    ]
    clone = table.rows[2]
    assert (clone.state, clone.n, clone.configuration.of) == ("done", 6, 2)
    settings = clone.run.pipeline
    assert (settings["top_k"], settings["retriever"], settings["chunk_size"]) == (1, "bm25", 120)
    assert {len(answer.contexts) for answer in clone.run.answers.all()} == {1}
    rows = list(csv.DictReader(io.StringIO(sweep_csv(table).decode())))
    assert [(row["chunk_size"], row["top_k"], row["retriever"]) for row in rows][2] == ("120", "1", "bm25")


def test_a_clone_of_a_clone_and_of_a_race_that_runs():
    sweep = begun(many_pairs(), spec_of(RACE, retrieval_only=True, search="race"))
    made: list[int] = []

    def clone(task) -> None:
        sweep.refresh_from_db()
        if not made and sweep.state.get("dropped"):
            made.append(clone_configuration(sweep=sweep, number=4, changes={"top_k": "5"}).number)
            made.append(clone_configuration(sweep=sweep, number=made[0], changes={"chunk_size": "90"}).number)

    assert run_inline(sweep.task, clone).state == "done"
    sweep.refresh_from_db()
    rows = rows_of(sweep)
    assert [rows[each].n for each in made] == [40, 40]
    assert [rows[each].run.pipeline["top_k"] for each in made] == [5, 5]
    assert rows[made[1]].run.pipeline["chunk_size"] == 90
    assert json.dumps(sweep.spec) == json.dumps(Sweep.objects.get().spec)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"chunk_size": "120"}, "would be the same as chunk size 120"),
        ({"chunk_size": "60"}, "would be the same as chunk size 60"),
        ({"hybrid_weight": "0.3"}, "would change nothing"),
        ({"prompt": "Full sentence"}, "would be the same as chunk size 60"),  # retrieval alone reads no prompt
        ({"top_k": "1,2"}, "one value"),
        ({"tok_k": "1"}, "Did you mean top_k"),
        ({"top_k": "0"}, "at least 1"),
        ({}, "Say what to change"),
    ],
)
def test_a_clone_that_changes_nothing_or_cannot_work_is_refused(two_sizes, changes, said):
    sweep = two_sizes
    with pytest.raises(ConfigError, match=said):
        clone_configuration(sweep=sweep, number=1, changes=changes)
    assert "clones" not in sweep.state
    assert sweep.task.state == "done"


def test_the_same_budget_of_context_holds_for_clones():
    sweep = swept(make_testset(), {"chunk_size": "60,120"}, retrieval_only=True, compare_at="tokens:60")
    with pytest.raises(ConfigError, match="sets top_k itself"):
        clone_configuration(sweep=sweep, number=1, changes={"top_k": "3"})
    made = clone_configuration(sweep=sweep, number=1, changes={"retriever": "bm25"})
    assert made.spec.settings["context_budget"] == 60
    assert sweep_table(done(sweep)).rows[2].context_tokens <= 60


def test_prompts_of_clones_are_called_by_their_names(fake_openai):
    sweep = swept(make_testset(), {"top_k": "1,2"}, CHAT | {"chunk_size": 60})
    clone_configuration(sweep=sweep, number=1, changes={"prompt": "Full sentence"})
    rows = sweep_table(done(sweep)).rows
    assert [row.configuration.swept["prompt"] for row in rows] == ["Concise", "Concise", "Full sentence"]
    assert [row.calls for row in rows] == [8, 8, 8]


def test_a_guided_search_is_not_misled_by_clones():
    grid = {"chunk_size": "60..300 + 40", "top_k": "1..8 + 1"}
    sweep = begun(make_testset(), spec_of(grid, search="guided", trials=4, retrieval_only=True))
    made: list[int] = []

    def clone(task) -> None:
        sweep.refresh_from_db()
        if not made and sweep.state.get("trials"):
            first = next(iter(sweep.state["trials"].values()))
            made.append(clone_configuration(sweep=sweep, number=first, changes={"retriever": "bm25"}).number)

    assert run_inline(sweep.task, clone).state == "done"
    sweep.refresh_from_db()
    assert made == [57]  # 7 sizes, 8 of top k
    rows = rows_of(sweep)
    assert len(rows) == 5
    assert {row.state for row in rows.values()} == {"done"}


def test_clones_are_left_out_of_what_settings_explain():
    sweep = swept(make_testset(), {"chunk_size": "60,300", "top_k": "1,2"}, retrieval_only=True)
    before = importance_of(sweep_table(sweep))
    clone_configuration(sweep=sweep, number=1, changes={"top_k": "4"})
    assert importance_of(sweep_table(done(sweep))) == before


def test_a_sweep_that_was_confirmed_takes_clones_too():
    testset = make_testset()
    testset.questions.filter(pair_id="p3").update(split="holdout")
    sweep = swept(testset, {"chunk_size": "60,90"}, run=RunOptions(split="tune"), retrieval_only=True)
    confirm_sweep(sweep=sweep, number=1)
    sweep = done(sweep)
    clone_configuration(sweep=sweep, number=1, changes={"top_k": "1"})
    sweep = done(sweep)
    table = sweep_table(sweep)
    assert (len(table.confirmations), [row.state for row in table.rows]) == (2, ["done"] * 3)
    with pytest.raises(ConfigError, match="nothing left"):
        resume_sweep(sweep=sweep)
