"""Answering from another run's contexts: they are the ones given, and what cannot be right is refused first."""

from __future__ import annotations

import io

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from evaluation.models import Run, TestSet
from evaluation.services import runs
from evaluation.services.contexts import find_source
from evaluation.services.summaries import run_summary
from evaluation.spec import EvaluationSpec, RunOptions
from rag_pipeline.background import tasks as background
from rag_pipeline.background.tasks import run_inline
from rag_pipeline.errors import ConfigError, InUseError
from rag_pipeline.models import Index
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from tests.compared import compare_runs
from tests.factories import ROSETTA, WORDS, make_run, make_testset
from tests.fake_openai import Behaviour

pytestmark = pytest.mark.django_db(transaction=True)

LAST = (ROSETTA.index("Jean-François"), len(ROSETTA.rstrip()))
"""The last paragraph: no retriever would give it alone to every question."""


@pytest.fixture
def testset() -> TestSet:
    return make_testset()


def odd_run(testset: TestSet, **fields: object) -> Run:
    """Return a run whose every question got the last paragraph, whatever was asked."""
    contexts = {question.question_id: [LAST] for question in testset.questions.all()}
    return make_run(testset, contexts=contexts, settings={"embedding": WORDS, "chunk_size": 90, "top_k": 1}, **fields)


def start(testset: TestSet, source: Run, options: RunOptions | None = None, **settings: object) -> Run:
    return runs.start_run(
        corpus=testset.corpus,
        testset=testset,
        spec=PipelineSpec.create(settings),
        evaluation=EvaluationSpec(eval_embedding=WORDS),
        options=options or RunOptions(),
        contexts_from=source,
    )


def done(run: Run) -> Run:
    task = run_inline(run.task)
    run.refresh_from_db()
    assert task.state == "done", task.error
    return run


def given(run: Run) -> set[tuple[int, int]]:
    return {(each["start"], each["end"]) for answer in run.answers.all() for each in answer.contexts}


def test_the_model_gets_the_contexts_of_the_other_run_and_nothing_is_retrieved(testset):
    source = odd_run(testset, name="odd")
    run = done(start(testset, source, prompt_name="mine", prompt="{context}\n\n{question}"))
    assert given(run) == {LAST}
    assert "Memphis" not in "".join(run.answers.values_list("prompt", flat=True))
    assert not Index.objects.exists()
    assert run.chunks is None
    assert (run.pipeline["chunk_size"], run.pipeline["top_k"], run.pipeline["prompt_name"]) == (90, 1, "mine")
    assert run.contexts_origin == run_summary(run=run)["contexts_from"] == "odd"
    scores = {row.metric: row.mean for row in run.current_scoring.metrics.filter(group="")}
    assert scores["context_matching"] == pytest.approx(1 / 3)


def test_repeats_are_given_the_same_contexts(testset):
    run = done(start(testset, odd_run(testset), RunOptions(repeat=2)))
    assert run.answers.count() == 16
    assert given(run) == {LAST}


def test_comparing_says_where_the_contexts_come_from(testset):
    source = odd_run(testset, name="odd")
    differing = {
        each.name: (each.a, each.b) for each in compare_runs(a=source, b=done(start(testset, source))).settings
    }
    assert differing["contexts_from"] == (None, "odd")
    assert "chunk_size" not in differing


def test_the_estimate_counts_no_chunk_and_only_the_answers_calls(testset):
    spec = PipelineSpec.create({"llm": "openai:gpt-test"})
    source = odd_run(testset)
    found = runs.estimate_run(
        corpus=testset.corpus, testset=testset, spec=spec, options=RunOptions(), contexts_from=source
    )
    assert (found.chunks, found.to_embed, found.calls) == (0, 0, 8)


def test_a_run_of_other_questions_is_refused(testset):
    with pytest.raises(ConfigError, match="asked the questions of"):
        start(testset, odd_run(make_testset()))


def test_a_run_that_asked_fewer_is_refused_and_taken_for_those(testset):
    source = odd_run(testset)
    source.answers.filter(question__pair_id="p3").delete()
    with pytest.raises(ConfigError, match="no contexts for 2 of the 8 questions asked"):
        start(testset, source)
    assert done(start(testset, source, RunOptions(limit=2))).answers.count() == 5


def test_a_question_that_failed_before_it_had_contexts_is_missing(testset):
    source = odd_run(testset, errors={"p1s": "The server is down."})
    assert start(testset, source) is not None  # it failed with its contexts found
    source.answers.filter(question__question_id="p1s").update(contexts=[])
    with pytest.raises(ConfigError, match="no contexts for 1 of the 8"):
        start(testset, source)


def test_nothing_found_is_given_as_nothing(testset):
    source = make_run(testset, contexts={"o1": [], "o2": []}, settings={"retriever": "oracle"})
    run = done(start(testset, source))
    assert run.pipeline["retriever"] == "oracle"
    contexts = dict(run.answers.values_list("question__question_id", "contexts"))
    assert contexts["o1"] == []
    assert len(contexts["p1s"]) == 1


def test_an_unfinished_run_is_refused(testset):
    source = start(testset, odd_run(testset))
    with pytest.raises(ConfigError, match="has not finished"):
        start(testset, source)
    done(source)
    assert given(done(start(testset, Run.objects.get(pk=source.pk)))) == {LAST}


def test_a_run_without_context_has_none_to_give(testset):
    settings = {"use_context": False, "llm": "openai:gpt-test"}
    with pytest.raises(ConfigError, match="used no context"):
        start(testset, make_run(testset, settings=settings))
    with pytest.raises(ConfigError, match="Use context is off") as refused:
        start(testset, odd_run(testset), **settings)
    assert refused.value.field == "use_context"


def test_the_builtin_reader_takes_contexts_that_only_a_model_could_find(testset):
    source = odd_run(testset)
    Run.objects.filter(pk=source.pk).update(
        pipeline=source.pipeline | {"llm": "openai:gpt-test", "reranker": "llm", "rerank_candidates": 20}
    )
    source.refresh_from_db()
    run = done(start(testset, source))
    assert (run.pipeline["llm"], run.pipeline["reranker"]) == ("builtin:extractive", "llm")
    assert given(run) == {LAST}


def test_a_run_is_not_deleted_while_another_needs_its_contexts(testset, fake_openai):
    source = odd_run(testset, name="odd")
    run = start(testset, source, llm="openai:gpt-test")
    with pytest.raises(InUseError, match="contexts of odd"):
        runs.delete_run(run=source)
    fake_openai.next(*[Behaviour.rejected_key()] * 20)
    assert run_inline(run.task).state == "failed"
    run.task.refresh_from_db()
    runs.delete_run(run=source)
    run = Run.objects.get(pk=run.pk)
    assert run.contexts_origin == "odd (deleted)"
    background.resume(run.task)
    again = run_inline(run.task)
    assert (again.state, again.error) == ("failed", "The contexts came from odd (deleted). Start a new run.")


def test_a_run_is_found_by_name_or_id(testset):
    one, other = odd_run(testset, name="odd"), odd_run(testset, name="")
    assert find_source(testset=testset, wanted="odd") == one
    assert (
        find_source(testset=testset, wanted=str(other.pk)) == find_source(testset=testset, wanted=str(other)) == other
    )
    with pytest.raises(ConfigError, match="has no run “even”"):
        find_source(testset=testset, wanted="even")
    odd_run(testset, name="odd")
    with pytest.raises(ConfigError, match="Several runs are called “odd”"):
        find_source(testset=testset, wanted="odd")


def evaluate(testset: TestSet, *arguments: str) -> str:
    out = io.StringIO()
    given = ("--corpus", testset.corpus.name, "--testset", testset.name, "--eval-embedding", WORDS)
    call_command("evaluate", *given, *arguments, stdout=out)
    return out.getvalue()


def test_the_command_takes_contexts_and_refuses_what_they_leave_without_effect(testset):
    odd_run(testset, name="odd")
    assert "contexts from odd" in evaluate(testset, "--contexts-from", "odd", "--set", "prompt_name=again")
    assert given(Run.objects.first()) == {LAST}
    with pytest.raises(CommandError) as refused:
        evaluate(testset, "--contexts-from", "odd", "--set", "chunk_size=200")
    assert str(refused.value) == "chunk_size would change nothing: the contexts come from odd. Leave it out."
    assert refused.value.returncode == 2
    with pytest.raises(CommandError, match="has no run") as absent:
        evaluate(testset, "--contexts-from", "even")
    assert absent.value.returncode == 1
