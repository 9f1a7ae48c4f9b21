"""Runs as rows: current scores, states, filters, and no more queries for more runs."""

from __future__ import annotations

import pytest
from django.db import connection

from evaluation.models import Run
from evaluation.queries.runs import rows_of, run_rows, runs_to_choose, with_current_scoring
from evaluation.spec import EvaluationSpec
from rag_pipeline.models import BackgroundTask
from tests.factories import WORDS, make_run, make_testset, score_run

pytestmark = pytest.mark.django_db


def test_a_row_has_the_settings_and_the_scores_of_its_run():
    run = make_run(settings={"chunk_size": 400}, errors={"o2": "The server is down."})
    (row,) = run_rows()
    assert row.run == run
    assert row.settings["chunk_size"] == 400
    assert (row.state, row.answers, row.failed) == ("done", 8, 1)
    assert (row.prompt_name, row.reader, row.agreement) == ("Concise", "extractive", "token_recall")
    assert list(row.metrics) == [
        "recall", "robustness", "brevity", "knowledge_bounding", "context_matching", "total",
    ]  # fmt: skip
    assert row.total is not None
    assert row.total.mean == 5.0


def test_only_the_current_scoring_is_shown():
    run = make_run(answers={"p1s": "Cairo"})
    score_run(run=run, spec=EvaluationSpec(eval_embedding=WORDS, agreement="semantic_similarity"))
    (row,) = run_rows()
    assert row.agreement == "semantic_similarity"
    assert row.metrics["recall"].mean == pytest.approx(2 / 3)


def test_newest_first_and_archived_ones_only_when_asked_for():
    testset = make_testset()
    old, hidden, new = make_run(testset), make_run(testset, archived=True), make_run(testset)
    assert [row.run for row in run_rows()] == [new, old]
    assert [row.run for row in run_rows(archived=True)] == [new, hidden, old]


def test_rows_can_be_limited_to_a_test_set_or_a_corpus():
    by_tokens = make_run(settings={"chunk_unit": "tokens", "chunk_size": 128})
    by_characters = make_run(evaluation={"agreement": "semantic_similarity"})
    assert [row.run for row in run_rows(testset=by_tokens.testset)] == [by_tokens]
    assert [row.run for row in run_rows(corpus=by_characters.corpus)] == [by_characters]


def test_a_run_under_way_has_its_state_and_no_scores():
    task = BackgroundTask.objects.create(kind="evaluate", state="failed", error="OpenAI rejected the key.")
    make_run(scored=False, task=task)
    (row,) = run_rows()
    assert (row.state, row.error, row.metrics, row.total) == ("failed", "OpenAI rejected the key.", {}, None)


def test_more_runs_take_no_more_queries(django_assert_num_queries):
    testset = make_testset()
    make_run(testset)
    with django_assert_num_queries(5):
        run_rows()
    for _ in range(3):
        make_run(testset)
    with django_assert_num_queries(5):
        assert len(run_rows()) == 4


def test_failed_answers_are_counted_beside_all_answers():
    testset = make_testset()
    whole, failing = make_run(testset), make_run(testset, errors={"p1s": "Timed out.", "o1": "Timed out."})
    counts = {row.run.pk: (row.answers, row.failed) for row in run_rows()}
    assert counts == {whole.pk: (8, 0), failing.pk: (8, 2)}


def test_the_runs_to_choose_from_are_the_scored_ones_archived_ones_only_among_all():
    testset = make_testset()
    first, archived = make_run(testset), make_run(testset, archived=True)
    make_run(testset, scored=False)
    elsewhere = make_run()
    assert [each.pk for each in runs_to_choose()] == [elsewhere.pk, archived.pk, first.pk]
    assert [each.archived for each in runs_to_choose()] == [False, True, False]
    assert [each.name for each in runs_to_choose(testset=testset)] == [str(first)]


def test_more_runs_to_choose_from_take_no_more_queries(django_assert_num_queries):
    testset = make_testset()
    make_run(testset)
    with django_assert_num_queries(2):
        runs_to_choose()
    for _ in range(3):
        make_run(testset)
    with django_assert_num_queries(2):
        assert {each.testset for each in runs_to_choose()} == {str(testset)}


@pytest.mark.parametrize("held", [True, False], ids=["a page that holds the run", "a table of runs"])
def test_a_run_that_ends_while_it_is_read_is_not_done_without_scores(held: bool):
    task = BackgroundTask.objects.create(kind="evaluate", state="running")
    made = make_run(scored=False, task=task)

    def ends(execute, sql, *rest):
        found = execute(sql, *rest)
        if "evaluation_scoring" in sql and task.state == "running":
            task.state = "done"
            score_run(run=Run.objects.get(pk=made.pk), spec=EvaluationSpec.create(made.evaluation))
            task.save(update_fields=["state"])
        return found

    with connection.execute_wrapper(ends):
        runs = list(with_current_scoring(Run.objects.select_related("task"))) if held else list(Run.objects.all())
        (row,) = rows_of(runs)
    assert task.state == "done"
    scoring = runs[0].current_scoring if held else row.metrics
    assert (row.state, bool(scoring)) == ("running", False)
    assert run_rows()[0].metrics
