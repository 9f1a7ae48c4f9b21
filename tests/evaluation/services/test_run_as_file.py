"""A run is a file that others read: scored again from it, every score is the one that the run has."""

from __future__ import annotations

import io
import json
from collections import Counter
from typing import Any

import pandas as pd
import pytest

from evaluation.exchange.base import RunWriter, TestSetReader, TestSetWriter
from evaluation.exchange.formats.eval_csv import COLUMNS, EvalCsv
from evaluation.exchange.formats.run_tasks import RunTasks
from evaluation.exchange.reading import read_answers, read_questions
from evaluation.metrics.base import metrics
from evaluation.models import Run
from evaluation.queries.stored_answers import PASSAGES
from evaluation.scoring.answered import ScoredAnswers
from evaluation.scoring.scoring import finished
from evaluation.services.answer_files import score_answers
from evaluation.services.files import export_run, export_testset
from evaluation.spec import HEADLINE, EvaluationSpec
from rag_pipeline.queries.documents import corpus_snapshot
from rag_pipeline.types import SourceDoc
from tests.factories import (
    PAIRS,
    REFUSAL,
    ROSETTA,
    WORDS,
    make_corpus,
    make_run,
    make_testset,
    rosetta_drafts,
    score_run,
)

pytestmark = pytest.mark.django_db

PLAIN = [unit.key for unit in metrics if not unit.needs & {"judge", "weights", "server"} and unit.key not in HEADLINE]
"""Every further metric that needs nothing but the run."""


def make_odd_run() -> None:
    corpus = make_corpus(files={"rosetta_stone.txt": ROSETTA, "copy.txt": f"A copy says:\n{PAIRS[0][3]}\nEnd."})
    document = corpus.documents.get(name="rosetta_stone.txt")
    testset = make_testset(corpus, drafts=rosetta_drafts(document))
    testset.questions.filter(question_id="p1s").update(metadata={"topic": "decree"})
    half = ROSETTA.index(PAIRS[1][3])
    made = make_run(
        testset,
        {"p1c": "It was issued in Memphis.", "p2c": REFUSAL, "o1": "It weighs 760 kg."},
        contexts={"p2s": [(half + 20, half + 60), (0, 40)], "p3c": []},
        errors={"p3s": "The server is down."},
        evaluation={"metrics": PLAIN},
        settings={"embedding": WORDS, "top_k": 3},
        repeat=2,
        scored=False,
    )
    answers = {each.question.question_id: each for each in made.answers.filter(repeat=1)}
    copy = corpus.documents.get(name="copy.txt")
    passage = SourceDoc.of_passage(f"Somewhere else: {PAIRS[0][3]}", "wiki")
    elsewhere = [(copy.pk, "copy.txt", 5, 60), (passage.id, "wiki", 0, len(passage.text))]
    for answer, (pk, name, start, end) in zip((answers["p1s"], answers["p1c"]), elsewhere, strict=True):
        place = {"document_id": pk, "document": name, "start": start, "end": end}
        answer.contexts = [place | {"score": 1.0, "rank": 1, "page": None}]
        answer.details = {PASSAGES: [passage.as_json()]} if pk < 0 else {}
        answer.prompt_tokens, answer.completion_tokens, answer.cost_usd, answer.ttft_s = 40, 4, 0.001, 0.1
        answer.save()
    score_run(run=made, spec=EvaluationSpec.create(made.evaluation))


@pytest.fixture
def run(begin_with: Any) -> Run:
    """Return a run with slips of every kind: refusals, a failure, half of an evidence, repeats of it elsewhere."""
    begin_with(make_odd_run)
    return Run.objects.get()


def scored_again(data: bytes, name: str, run: Run) -> ScoredAnswers:
    spec = EvaluationSpec.create(run.evaluation)
    steps = score_answers(answered=read_answers((name, data)), spec=spec, refusal=REFUSAL, names=[*HEADLINE, *PLAIN])
    return finished(steps)


def of_run(run: Run, metric: str) -> list[float | None]:
    stored = run.current_scoring.scores.filter(metric=metric)
    return list(
        stored.order_by("answer__question__position", "answer__question_id", "answer__repeat").values_list(
            "value", flat=True
        )
    )


def test_answers_jsonl_is_scored_as_the_run_was(run):
    again = scored_again(export_run(run=run, writer=RunTasks), RunTasks.filename, run)
    counted = Counter()
    for name in [*HEADLINE, *PLAIN]:
        column = [score.value for score in again.scored.scores[name]]
        assert column == pytest.approx(of_run(run, name), nan_ok=False), name
        counted[name] = sum(value is not None for value in column)
    assert counted["context_matching"] == counted["mrr"] == 10
    assert counted["robustness"] > 0
    assert {name for name, count in counted.items() if not count} <= {"must_match", "must_not_match", "language_is"}
    for summary in run.current_scoring.metrics.filter(group="", metric__in=[*HEADLINE, *PLAIN]):
        assert again.scored.summary(summary.metric).mean == pytest.approx(summary.mean), summary.metric


def test_the_objects_are_those_of_the_format(run):
    first, *_ = [json.loads(line) for line in export_run(run=run, writer=RunTasks).decode().splitlines()]
    start = ROSETTA.index(PAIRS[0][3])
    assert first["question"] == PAIRS[0][0]
    assert first["metadata_field"] == {"topic": "decree"}
    assert first["contexts"] == first["reference_contexts"] == [PAIRS[0][3]]
    assert first["reference_context_ids"] == [f"rosetta_stone.txt:{start}-{start + len(PAIRS[0][3])}"]
    assert first["is_answerable_label"] is True
    assert first["scores"]["recall"] == 1.0
    questions = read_questions(
        ("r.jsonl", json.dumps(first).encode()), None, corpus_snapshot(corpus=run.corpus).documents
    )
    assert questions[0].evidence[0].span.start == start


def test_eval_csv_is_scored_with_what_it_has(run):
    again = scored_again(export_run(run=run, writer=EvalCsv), EvalCsv.filename, run)
    for name in ("recall", "robustness", "knowledge_bounding", "k_precision", "token_f1", "latency_s"):
        column = [score.value for score in again.scored.scores[name]]
        wanted = of_run(run, name)
        assert [value is None for value in column] == [value is None for value in wanted], name
    assert [score.value for score in again.scored.scores["k_precision"]] == pytest.approx(of_run(run, "k_precision"))
    assert {score.value for score in again.scored.scores["context_matching"]} == {None}


@pytest.mark.parametrize("unit", RunWriter.units(), ids=lambda unit: unit.key)
def test_every_format_has_a_row_an_answer(unit, run):
    data = export_run(run=run, writer=unit)
    if unit.filename.endswith(".xlsx"):
        frame = pd.read_excel(io.BytesIO(data))
    elif unit.filename.endswith(".parquet"):
        frame = pd.read_parquet(io.BytesIO(data))
    else:
        assert len(data.decode().splitlines()) >= 16
        return
    assert list(frame.columns) == [*COLUMNS, *(name for name in PLAIN if name not in COLUMNS)]
    assert len(frame) == 16
    assert frame["recall"].dropna().between(0, 1).all()
    assert frame["question"][0] == PAIRS[0][0]
    answered = read_answers((unit.filename, data))
    assert [sample.trace.answer for _, sample in answered] == list(frame["answer"].fillna(""))


@pytest.mark.parametrize("unit", TestSetWriter.units(), ids=lambda unit: unit.key)
def test_every_format_of_a_test_set_is_read_back(unit):
    testset = make_testset()
    documents = corpus_snapshot(corpus=testset.corpus).documents
    data = export_testset(testset=testset, writer=unit)
    assert TestSetReader.units()
    drafts = read_questions((unit.filename, data), None, documents)
    as_csv = read_questions(("output.csv", export_testset(testset=testset)), None, documents)
    assert drafts == as_csv


@pytest.mark.parametrize(
    "told",
    [
        {"kind": "factoid", "error": 3, "repeat": "two", "top_k": -1, "pair_id": None},
        {"context_spans": "0-3", "reference_spans": [[0, 3]]},
        {"context_spans": [{"document": "a", "start": 0, "end": 3}], "reference_spans": []},
        {"context_spans": [{"document": "a", "start": 0, "end": 5}], "reference_spans": [{"document": "a"}]},
    ],
)
def test_fields_of_these_names_in_files_of_others_are_left_alone(told):
    row = {"question": "Who?", "answer": "He.", "contexts": ["Hello"], "contexts_id": ["a"], **told}
    ((task, sample),) = read_answers(("a.jsonl", json.dumps(row).encode()))
    assert task == row
    assert (sample.kind, sample.error, sample.repeat, sample.ranks_asked) == ("simple", "", 0, None)
    assert sample.context_ids == ("a",)
    assert sample.evidence == ()
