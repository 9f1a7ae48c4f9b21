"""Sweeps confirmed with pairs that are written afresh, from what no question of the test set rests on."""

from __future__ import annotations

import json

import pytest

from evaluation.generator_spec import GeneratorSpec
from evaluation.models import Evidence, Sweep, TestSet
from evaluation.queries.sweep_table import sweep_table
from evaluation.services import generation
from evaluation.services.fresh_pairs import confirm_afresh
from evaluation.services.sweep_files import sweep_csv, sweep_json
from evaluation.services.sweeps import confirm_sweep, resume_sweep
from evaluation.services.testsets import start_generation
from evaluation.spec import RunOptions
from evaluation.types import DraftEvidence, DraftQuestion
from rag_pipeline.background import tasks
from rag_pipeline.background.tasks import request_cancel, run_inline
from rag_pipeline.errors import ConfigError
from rag_pipeline.services import pipelines
from rag_pipeline.types import Span
from tests.evaluation.sweeps import begun, done, spec_of, swept, with_room
from tests.factories import WORDS, make_corpus, make_testset
from tests.finished import SAMPLE

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def no_weights(monkeypatch):
    """Let questions be written and answered over words: no embedding model is loaded."""
    monkeypatch.setattr(generation, "WRITER_EMBEDDING", WORDS)
    monkeypatch.setattr(pipelines, "READER_EMBEDDING", WORDS)


def write() -> None:
    corpus = make_corpus(files={"warsaw.txt": SAMPLE.read_text("utf-8")[:26000]})
    testset = start_generation(corpus=corpus, name="Basics", spec=GeneratorSpec(pairs=6, out_of_scope=4))
    assert run_inline(testset.task).state == "done"


@pytest.fixture
def written(begin_with) -> TestSet:
    """A test set written by rules on a real text, with questions that are out of scope."""
    begin_with(write)
    return TestSet.objects.get()


def spans(testset: TestSet) -> list[tuple[int, int, int]]:
    return [(each.document_id, each.start, each.end) for each in Evidence.objects.filter(question__testset=testset)]


def fresh_of(sweep: Sweep) -> TestSet:
    return TestSet.objects.get(pk=sweep.state["fresh"]["testset"])


def test_fresh_pairs_rest_on_no_character_that_a_question_rests_on(written):
    sweep = swept(written, {"chunk_size": "100,300"}, retrieval_only=True)
    confirm_afresh(sweep=sweep, number=1, pairs=5)
    sweep = done(sweep)
    fresh = fresh_of(sweep)
    assert fresh.questions.filter(kind="simple").count() == 5
    assert fresh.questions.filter(kind="out_of_scope").count() == 0  # retrieval alone is not asked them
    old, new = spans(written), spans(fresh)
    assert new
    assert not [
        (one, other) for one in new for other in old if one[0] == other[0] and one[1] < other[2] and other[1] < one[2]
    ]
    texts = set(written.questions.values_list("text", flat=True))
    assert not texts & set(fresh.questions.values_list("text", flat=True))
    assert fresh.parent == written
    assert fresh.created == sweep.created  # the runs see the documents of then


def test_recommended_and_current_settings_are_asked_the_fresh_pairs_alone(written):
    sweep = swept(written, {"chunk_size": "100,300"}, retrieval_only=True)
    before = [(row.run.pk, row.n) for row in sweep_table(sweep).rows]
    confirm_afresh(sweep=sweep, number=2, pairs=4)
    sweep = done(sweep)
    table = sweep_table(sweep)
    assert table.written == (4, 4)
    assert [row.run.pipeline["chunk_size"] for row in table.fresh] == [300, 1000]
    for row in table.fresh:
        assert row.run.testset == table.fresh_testset
        assert {each.question.testset_id for each in row.run.answers.all()} == {table.fresh_testset.pk}
        assert row.answers == 8
        assert row.metrics["context_matching"].mean is not None
    assert [(row.run.pk, row.n) for row in table.rows] == before  # they are no configurations
    assert table.confirmations == []
    told = json.loads(sweep_json(table))["recommendation"]["fresh"]
    assert (told["asked"], told["made"], len(told["runs"])) == (4, 4, 2)
    assert sweep_csv(table).count(b"\n") == 3
    with pytest.raises(ConfigError, match="already"):
        confirm_afresh(sweep=sweep, number=1, pairs=4)


def test_scores_that_need_out_of_scope_questions_get_their_share(written):
    sweep = swept(written, {"chunk_size": "300"}, fresh_pairs=3)
    fresh = fresh_of(sweep)
    assert fresh.questions.filter(kind="simple").count() == 3
    assert fresh.questions.filter(kind="out_of_scope").count() == 2  # 4 to 6 pairs, as in the test set
    texts = set(written.questions.filter(kind="out_of_scope").values_list("text", flat=True))
    assert not texts & set(fresh.questions.values_list("text", flat=True))
    assert [row.metrics["total"].mean is not None for row in sweep_table(sweep).fresh] == [True, True]


def test_a_small_text_gives_fewer_and_it_is_said():
    sweep = swept(with_room(), {"chunk_size": "60"}, retrieval_only=True, fresh_pairs=99)
    table = sweep_table(sweep)
    made, asked = table.written
    assert asked == 99
    assert 1 <= made < 99
    said = table.fresh_testset.report["message"]
    assert said.startswith(f"{made} of 99 pairs were made; most others were left out because")
    assert len(table.fresh) == 2


def test_a_text_of_which_nothing_is_left_fails_the_writing_alone():
    corpus = make_corpus(files={"one.txt": "The decree was issued in Memphis in 196 BC on behalf of King Ptolemy V."})
    document = corpus.documents.get()
    whole = DraftEvidence(Span(document.pk, 0, document.length), document.text)
    asked = DraftQuestion("p1", "p1", "simple", "Where was the decree issued?", ("Memphis",), (whole,))
    sweep = swept(make_testset(corpus, drafts=[asked]), {"chunk_size": "60"}, retrieval_only=True, fresh_pairs=3)
    table = sweep_table(sweep)
    assert (table.written, table.fresh) == ((0, 3), [])
    assert "No question could be made" in table.fresh_testset.task.error
    assert sweep.task.failures == 1
    assert table.recommendation.number == 1


def test_holdout_and_fresh_pairs_may_both_confirm_in_any_order(written):
    written.questions.filter(pair_id="p001").update(split="holdout")
    for first in (True, False):
        sweep = swept(written, {"chunk_size": "100,300"}, run=RunOptions(split="tune"), retrieval_only=True)
        asks = [lambda s: confirm_sweep(sweep=s, number=1), lambda s: confirm_afresh(sweep=s, number=1, pairs=2)]
        for ask in asks if first else asks[::-1]:
            ask(sweep)
            sweep = done(sweep)
        table = sweep_table(sweep)
        assert (len(table.confirmations), len(table.fresh)) == (2, 2)


def test_retrieval_alone_is_confirmed_on_the_holdout_questions():
    testset = make_testset()
    testset.questions.filter(pair_id="p3").update(split="holdout")
    sweep = swept(testset, {"chunk_size": "60"}, run=RunOptions(split="tune"), retrieval_only=True, confirm=True)
    for row in sweep_table(sweep).confirmations:
        assert {each.question.split for each in row.run.answers.all()} == {"holdout"}


def test_a_sweep_that_saw_holdout_can_still_be_confirmed_afresh(written):
    sweep = swept(written, {"chunk_size": "300"}, run=RunOptions(split="all"), retrieval_only=True, fresh_pairs=2)
    assert len(sweep_table(sweep).fresh) == 2


def test_stopped_while_they_are_written_it_goes_on_there(written, monkeypatch):
    sweep = begun(written, spec_of({"chunk_size": "300"}, retrieval_only=True, fresh_pairs=4))
    store = generation.store_questions

    def stopping(**given):
        monkeypatch.setattr(generation, "store_questions", store)
        stored = store(**given)
        request_cancel(sweep.task)
        return stored

    monkeypatch.setattr(generation, "store_questions", stopping)
    monkeypatch.setattr(tasks._Pace, "due", lambda pace: True)  # it hears of it at once, however quick it is
    assert run_inline(sweep.task).state == "cancelled"
    sweep.refresh_from_db()
    first = list(fresh_of(sweep).questions.values_list("pk", flat=True))
    assert len(first) == 2  # the first pair, and no other
    resume_sweep(sweep=sweep)
    sweep = done(sweep)
    fresh = fresh_of(sweep)
    assert fresh.questions.filter(kind="simple").count() == 4
    assert set(first) <= set(fresh.questions.values_list("pk", flat=True))
    assert len(sweep_table(sweep).fresh) == 2


@pytest.mark.parametrize("pairs", [0, 501])
def test_no_pairs_or_too_many_are_refused(pairs):
    sweep = swept(make_testset(), {"chunk_size": "60"}, retrieval_only=True)
    with pytest.raises(ConfigError, match="1 to 500"):
        confirm_afresh(sweep=sweep, number=1, pairs=pairs)
    assert "fresh" not in sweep.state
