"""Runs: what is asked, what it costs, going on after a stop, failures of one question and of all."""

from __future__ import annotations

import threading

import pytest
from django.db import connection

from evaluation.models import Answer, Run, TestSet
from evaluation.services import runs
from evaluation.services.testsets import set_status, spread_out_of_scope
from evaluation.spec import HEADLINE, EvaluationSpec, RunOptions
from rag_pipeline import runtime as limits
from rag_pipeline.background import tasks as background
from rag_pipeline.background.tasks import request_cancel, run_inline
from rag_pipeline.errors import ConfigError, InUseError
from rag_pipeline.services.corpora import import_documents
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from tests.factories import WORDS, make_corpus, make_testset
from tests.fake_openai import Behaviour

pytestmark = pytest.mark.django_db(transaction=True)
CHAT = {"embedding": WORDS, "llm": "openai:gpt-test", "chunk_size": 300}


@pytest.fixture
def impatient(monkeypatch):
    """No failed call is tried again."""
    monkeypatch.setattr(limits, "_configured", limits.ModelLimits(max_retries=0))


@pytest.fixture
def start_over(fake_openai, monkeypatch):
    """A function that makes the server forget: also what calls that were given up send to it late."""

    def forget() -> None:
        fake_openai.start_over()
        monkeypatch.setenv("OPENAI_API_KEY", fake_openai.own_key)

    return forget


def start(testset: TestSet, options: RunOptions | None = None, **settings: object) -> Run:
    return runs.start_run(
        corpus=testset.corpus,
        testset=testset,
        spec=PipelineSpec.create({"embedding": WORDS, "chunk_size": 300} | settings),
        evaluation=EvaluationSpec(eval_embedding=WORDS),
        options=options or RunOptions(),
    )


def done(run: Run) -> Run:
    task = run_inline(run.task)
    run.refresh_from_db()
    assert task.state == "done", task.error
    return run


def test_the_builtin_reader_answers_everything_and_all_five_scores_are_there(data_dir):
    run = done(start(make_testset()))
    assert run.answers.count() == 8
    assert not run.answers.exclude(error="").exists()
    rows = {row.metric: row for row in run.current_scoring.metrics.filter(group="")}
    for name in HEADLINE:
        assert rows[name].mean is not None
        assert 0 <= rows[name].ci_low <= rows[name].mean <= rows[name].ci_high <= 1
    assert run.chunks > 1
    assert (data_dir / "runs" / str(run.pk) / "eval.csv").exists()


def test_progress_names_the_stage_until_its_total_is_known():
    seen: list[tuple[str, int, int]] = []
    run_inline(start(make_testset()).task, lambda now: seen.append((now.step, now.done, now.total)))
    assert seen[0] == ("Preparing the index", 0, 0)
    assert ("Answering", 0, 8) in seen
    assert ("Answering", 8, 8) in seen
    assert seen[-1][0] == "Scoring"
    assert 1 not in {total for _, _, total in seen}  # the one unit of a stage is no count


def test_rejected_questions_are_not_asked():
    testset = make_testset()
    set_status(questions=list(testset.questions.filter(pair_id="p1")), status="rejected")
    assert len(runs.asked_questions(testset=testset, options=RunOptions())) == 6


def test_a_limit_takes_whole_pairs_from_the_front():
    testset = make_testset()
    spread_out_of_scope(testset=testset)
    asked = runs.asked_questions(testset=testset, options=RunOptions(limit=2))
    assert [question.question_id for question in asked] == ["p1s", "p1c", "o1", "p2s", "p2c"]


def test_a_limit_counts_pairs_wherever_out_of_scope_questions_stand():
    testset = make_testset()  # these stand at the end, as in most imported files
    ids = [[q.question_id for q in runs.asked_questions(testset=testset, options=RunOptions(limit=n))] for n in (1, 9)]
    assert ids[0] == ["p1s", "p1c", "o1"]
    assert len(ids[1]) == 8
    testset.questions.exclude(kind="out_of_scope").delete()
    assert len(runs.asked_questions(testset=testset, options=RunOptions(limit=1))) == 1


def test_a_split_is_asked_alone():
    testset = make_testset()
    testset.questions.filter(pair_id="p2").update(split="holdout")
    asked = runs.asked_questions(testset=testset, options=RunOptions(split="holdout"))
    assert {question.pair_id for question in asked} == {"p2"}


def test_the_quick_look_asks_about_ten_questions_in_whole_pairs():
    testset = make_testset()
    options = runs.quick_options(testset=testset, options=RunOptions())
    assert options.limit == 3  # this set has only eight questions, in three pairs and two out of scope


def test_the_estimate_counts_questions_chunks_and_calls():
    testset = make_testset()
    spec = PipelineSpec.create(CHAT)
    estimate = runs.estimate_run(corpus=testset.corpus, testset=testset, spec=spec, options=RunOptions(repeat=2))
    assert (estimate.questions, estimate.calls) == (16, 16)
    assert estimate.to_embed == estimate.chunks > 0
    assert estimate.seconds is None  # this model was never asked: its pace is unknown
    builtin = runs.estimate_run(
        corpus=testset.corpus, testset=testset, spec=PipelineSpec.create({}), options=RunOptions()
    )
    assert builtin.calls == 0
    assert builtin.seconds is not None


def test_a_stopped_run_goes_on_and_asks_nothing_twice(fake_openai, start_over):
    run = start(make_testset(), **CHAT)
    fake_openai.next(*[Behaviour()] * 3, *[Behaviour.rejected_key()] * 20)
    assert run_inline(run.task).state == "failed"
    kept = dict(run.answers.values_list("question_id", "text"))
    start_over()
    background.resume(run.task)
    done(run)
    assert run.answers.count() == 8
    assert len(fake_openai.bodies()) == 8 - len(kept)
    for question, text in kept.items():
        assert run.answers.get(question_id=question).text == text


def test_failed_questions_of_a_finished_run_are_asked_again_and_scored(fake_openai):
    run = start(make_testset(), **CHAT)
    fake_openai.next(Behaviour.too_long())
    done(run)
    failed = run.answers.exclude(error="").get()
    before = run.current_scoring
    fake_openai.reset()
    run.refresh_from_db()
    runs.resume_run(run=run)
    done(run)
    assert len(fake_openai.bodies()) == 1
    failed.refresh_from_db()
    assert (failed.error, bool(failed.text)) == ("", True)
    assert run.current_scoring != before
    assert run.scorings.filter(current=True).count() == 1
    run.task.refresh_from_db()
    assert run.task.failures == 0
    with pytest.raises(ConfigError, match="nothing left"):
        runs.resume_run(run=run)


def test_a_run_without_any_answer_fails_with_the_reason_and_goes_on_later(fake_openai, impatient):
    run = start(make_testset(), **CHAT)
    fake_openai.always = Behaviour.server_error()
    task = run_inline(run.task)
    assert task.state == "failed"
    assert task.error.startswith("No question could be answered.")
    assert "status 500" in task.error
    fake_openai.reset()
    run.refresh_from_db()
    runs.resume_run(run=run)
    done(run)
    assert not run.answers.exclude(error="").exists()
    assert run.scorings.count() == 1


def test_a_server_that_goes_down_stops_the_run_after_twenty_questions(fake_openai, impatient, start_over):
    run = start(make_testset(), RunOptions(repeat=4), **CHAT)
    fake_openai.next(*[Behaviour()] * 5)
    fake_openai.always = Behaviour.server_error(503)
    task = run_inline(run.task)
    assert task.state == "failed"
    assert task.error.startswith("20 questions in a row failed")
    assert run.answers.filter(error="").count() == 5
    start_over()
    run.refresh_from_db()
    runs.resume_run(run=run)
    done(run)
    assert run.answers.count() == 32
    assert len(fake_openai.bodies()) == 27


def test_a_rejected_key_ends_the_run_with_the_mend(fake_openai):
    run = start(make_testset(), **CHAT)
    fake_openai.always = Behaviour.rejected_key()
    task = run_inline(run.task)
    assert task.state == "failed"
    assert "OPENAI_API_KEY" in task.error
    assert not Answer.objects.filter(run=run).exists()


def test_one_failed_question_does_not_stop_a_run(fake_openai):
    run = start(make_testset(), **CHAT)
    fake_openai.next(Behaviour.too_long())
    done(run)
    assert run.answers.count() == 8
    failed = run.answers.exclude(error="").get()
    scores = failed.scores.filter(scoring=run.current_scoring)
    assert scores.exists()
    assert all(score.value is None and score.reason for score in scores)
    assert run.task.failures == 1


def test_a_cancelled_run_keeps_its_answers_and_can_be_deleted(data_dir):
    run = start(make_testset())
    with pytest.raises(InUseError, match="Cancel"):
        runs.delete_run(run=run)
    request_cancel(run.task)
    run.task.refresh_from_db()
    assert run.task.state == "cancelled"
    runs.delete_run(run=run)
    assert not Run.objects.exists()
    assert not (data_dir / "runs" / "1").exists()


def test_cancelling_does_not_wait_for_a_model_that_is_silent(fake_openai):
    run = start(make_testset(), **CHAT)
    fake_openai.next(Behaviour())
    fake_openai.always = Behaviour.hang()
    over = threading.Event()

    def cancel() -> None:
        while not over.wait(0.01) and not (run.answers.exists() and len(fake_openai.bodies()) == 8):
            pass
        background.request_cancel(run.task)
        connection.close()

    canceller = threading.Thread(target=cancel)
    canceller.start()
    ended = run_inline(run.task)
    over.set()
    canceller.join()
    assert ended.state == "cancelled"
    assert run.answers.count() == 1
    assert len(fake_openai.bodies()) == 8


def test_repeats_are_answers_of_their_own():
    run = done(start(make_testset(), RunOptions(repeat=2, limit=1)))
    assert sorted(run.answers.values_list("question__question_id", "repeat")) == [
        ("o1", 0), ("o1", 1),
        ("p1c", 0), ("p1c", 1), ("p1s", 0), ("p1s", 1),
    ]  # fmt: skip


def test_a_document_added_meanwhile_is_not_searched():
    testset = make_testset()
    run = start(testset)
    import_documents(corpus=testset.corpus, files=[("late.txt", b"The Rosetta Stone was found by French soldiers.")])
    done(run)
    assert {c["document"] for answer in run.answers.all() for c in answer.contexts} == {"rosetta_stone.txt"}
    assert {c["document"] for a in done(start(testset)).answers.all() for c in a.contexts} > {"late.txt"}


def test_two_runs_at_once_do_not_disturb_each_other():
    testset = make_testset()
    first, second = start(testset), start(testset, chunk_size=150)
    stop = threading.Event()

    def work() -> None:
        try:
            background.run_worker(stop)
        finally:
            connection.close()

    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    for run in (first, second):
        for _ in range(10_000):
            run.task.refresh_from_db()
            if not run.task.active:
                break
            stop.wait(0.05)
    stop.set()
    for worker in workers:
        worker.join()
    for run in (first, second):
        assert run.task.state == "done", run.task.error
        assert run.answers.count() == 8
        assert run.scorings.count() == 1


@pytest.mark.parametrize("broken", ["other corpus", "no documents", "nothing to ask"])
def test_what_cannot_work_is_refused_before_any_work(broken):
    testset = make_testset()
    corpus = testset.corpus
    options = RunOptions()
    if broken == "other corpus":
        corpus = make_corpus()
    elif broken == "no documents":
        corpus = make_corpus(files={})
        testset = TestSet.objects.create(corpus=corpus, name="empty")
    else:
        testset.questions.update(status="rejected")
    with pytest.raises(ConfigError):
        runs.start_run(
            corpus=corpus, testset=testset, spec=PipelineSpec.create({}), evaluation=EvaluationSpec(), options=options
        )
    assert not Run.objects.exists()


def test_a_test_set_without_answerable_questions_is_run_and_its_empty_scores_say_why():
    testset = make_testset()
    testset.questions.exclude(kind="out_of_scope").delete()
    run = done(start(testset))
    rows = {row.metric: row for row in run.current_scoring.metrics.filter(group="")}
    assert rows["recall"].mean is None
    assert rows["recall"].reason
    assert rows["total"].mean is None
