"""Whatever a row holds or lacks: every metric gives a number in its range, or nothing with a reason.

It goes through the whole registry, so that a metric that is added is held to the same.
"""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.exchange.formats.answers_jsonl import AnswersJsonl
from evaluation.exchange.rag_tasks import KNOWN, LISTS, TAKEN, TEXTS, Answered
from evaluation.exchange.reading import read_answers
from evaluation.metrics.base import metrics
from evaluation.scoring.answered import ScoredAnswers, score_answered
from evaluation.scoring.scoring import finished
from evaluation.services.answer_files import score_answers
from evaluation.spec import EvaluationSpec
from rag_pipeline.errors import ConfigError
from rag_pipeline.settings.core import DEFAULT_REFUSAL
from tests.fake_embedder import embed_words

Row = dict[str, Any]
LONG = " ".join(f"word{number % 97} of sentence {number}." for number in range(2600))
"""10,400 words."""
FULL: Row = {
    "question": "Where does the Nile end?", "question_id": "n1", "metadata_field": "rivers",
    "answer": "It ends in the Mediterranean Sea, north of Cairo. It does not reach the Atlantic.",
    "contexts": ["The Nile ends in the Mediterranean Sea.", "Cairo has 10 million people."], "contexts_id": ["a", "b"],
    "reference_answers": ["the Mediterranean Sea", "in the sea"], "reference_contexts": ["The Nile ends in the sea."],
    "reference_context_ids": ["a"], "is_answerable_label": True, "latency_s": 1.5, "ttft_s": 0.5, "prompt_tokens": 40,
    "completion_tokens": 12, "cost_usd": 0.001,
}  # fmt: skip
CHANGES: dict[str, Row] = {
    "full": {},
    "all null": dict.fromkeys(FULL),
    **{f"no {name}": {name: None} for name in FULL},
    **{f"empty {name}": {name: [] if name in LISTS else ""} for name in (*TEXTS, *LISTS)},
    **{f"blank {name}": {name: ["", " \n\t", "\u00a0"]} for name in LISTS},
    **{f"blank {name}": {name: " \n\t\u3000"} for name in TEXTS},
    "long": {"answer": LONG, "contexts": [LONG[:9000], LONG[9000:30000]], "reference_answers": [LONG[500:20000]]},
    "one long word": {"answer": "x" * 40_000, "contexts": ["y" * 40_000]},
    "Chinese": {"answer": "尼罗河流入地中海。它很长！", "reference_answers": ["地中海"], "contexts": ["它流入海。"]},
    "Arabic": {"answer": "يصب النيل في البحر المتوسط؟ نعم.", "reference_answers": ["البحر المتوسط"]},
    "emoji": {"answer": "🐪\U0001f3fd\u200d♀\ufe0f 🇪🇬", "contexts": ["🐪"], "reference_answers": ["🐪"]},
    "marks alone": {"answer": "…!? -- ()", "reference_answers": ["."], "contexts": ["***"], "question": "?"},
    "articles alone": {"answer": "the a an", "reference_answers": ["The"], "contexts": ["an"]},
    "the same again": {"contexts": ["same"] * 4, "contexts_id": ["a"] * 4, "reference_context_ids": ["a", "a"]},
    "more ids than texts": {"contexts_id": ["a", "b", "c", "d"], "contexts": ["one"]},
    "more texts than ids": {"contexts_id": [], "contexts": ["one", "two"]},
    "out of scope, declined": {"is_answerable_label": False, "answer": DEFAULT_REFUSAL, "reference_answers": []},
    "out of scope, attempted": {"is_answerable_label": False},
    "declined": {"answer": DEFAULT_REFUSAL},
    "half a surrogate pair": {"answer": "a \ud83d b", "contexts": ["\udc2a"], "question": "\ud83d"},
    "control characters": {"answer": "a\x00b\x1b[31m\u202e", "contexts": ["\x00"], "reference_answers": ["\x07"]},
    "markup": {"answer": "{answer} %s {{ x }} <script>", "contexts": ["{context} \\1 $&"], "question": "{question}"},
    "nothing took anything": dict.fromkeys(TAKEN, 0),
    "scored before": {"scores": {"token_f1": 2}, "notes": {"x": "y"}},
}  # fmt: skip
ROWS = [FULL | change for change in CHANGES.values()]


def answered(rows: list[Row]) -> Answered:
    return read_answers(("rows.jsonl", "\n".join(json.dumps(row) for row in rows).encode()))


def scored(rows: list[Row], names: list[str] | None = None) -> ScoredAnswers:
    spec = EvaluationSpec()
    return finished(score_answered(answered(rows), spec, DEFAULT_REFUSAL, embed_words, names=names))


def lines(result: ScoredAnswers) -> list[Row]:
    """Return the objects of the written file."""
    return [json.loads(line) for line in AnswersJsonl().write(result).decode().split("\n") if line]


def check(result: ScoredAnswers, rows: list[Row]) -> None:
    """Hold a result to what the format promises."""
    written = lines(result)
    summary = json.loads(json.dumps(result.summary(), allow_nan=False))["metrics"]
    assert [_bare(line) for line in written] == [_bare(row) for row in rows]
    for name in result.names:
        unit, column = metrics.get(name), [line["scores"][name] for line in written]
        for place, value in enumerate(column):
            note = written[place]["notes"].get(name)
            if value is None:
                assert note, (name, place)
            else:
                assert note is None, (name, place)
                assert math.isfinite(value), (name, place)
                assert unit.low <= value <= unit.high, (name, place, value)
        found = summary[name]
        assert found["n"] == sum(value is not None for value in column), name
        assert found["n"] + found["n_null"] == len(rows), name
        if found["n"] and found["mean"] is not None:
            assert found["ci_low"] <= found["mean"] <= found["ci_high"], name


def _bare(row: Row) -> Row:
    return {name: value for name, value in row.items() if name not in ("scores", "notes")}


computed = [unit.key for unit in metrics if "weights" not in unit.needs]


@pytest.fixture(scope="module")
def everything():
    """Return every row with every score that needs no weights: its texts are cut and compared once for all."""
    return scored(ROWS, computed)


def test_every_metric_survives_every_row(everything):
    check(everything, ROWS)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([ROWS[0], *ROWS[-14:-8:2], {"answer": ""}], id="some"),
        pytest.param(ROWS, id="all", marks=pytest.mark.slow),
    ],
)
def test_metrics_with_a_judge_survive_the_rows_too(fake_openai, rows):
    judged = [name for name in computed if "judge" in metrics.get(name).needs]
    spec = EvaluationSpec(judge="openai:judge-1", eval_embedding="words:any")
    result = finished(score_answers(answered=answered(rows), spec=spec, refusal=DEFAULT_REFUSAL, names=judged))
    check(result, rows)
    first = lines(result)[0]["scores"]
    unscored = {name for name, value in first.items() if value is None}
    assert unscored == {name for name in judged if "other_answer" in metrics.get(name).needs}


def test_all_at_once_are_all_there_and_those_with_weights_wait_to_be_named():
    result = scored([FULL, {"answer": "x"}])
    check(result, [FULL, {"answer": "x"}])
    assert set(result.names) == set(metrics.keys())
    for name in set(metrics.keys()) - set(computed):
        assert "chosen by name" in lines(result)[0]["notes"][name]


def test_a_row_scores_the_same_alone_and_among_others(everything):
    names = [name for name in computed if "judge" not in metrics.get(name).needs]
    together = everything.columns()
    for place in range(0, len(ROWS), 5):
        alone = scored([ROWS[place]], names).columns()
        assert {name: column[0] for name, column in alone.items()} == pytest.approx(
            {name: together[name][place] for name in names}, abs=1e-6
        ), list(CHANGES)[place]


WORDS = ("Nile", "the", "3.5", "not", "地中海", "نهر", "🐪", "e\u0301", "1,000", "A.", "[1]")
MARKS = (".", "!?", "\n", "\u00a0", " ", "-", "'", "?", "“", "```", "$1", "\x00", "\ud83d")
PIECES = st.sampled_from(WORDS + MARKS)
TEXT = st.lists(PIECES, max_size=12).map(" ".join) | st.text(max_size=30)
NULL = st.none()
RANDOM_ROW = st.fixed_dictionaries(
    {"answer": TEXT},
    optional={
        "question": NULL | TEXT,
        "contexts": NULL | st.lists(TEXT, max_size=4),
        "contexts_id": NULL | st.lists(st.sampled_from("abc"), max_size=4),
        "reference_answers": NULL | st.lists(TEXT, max_size=3),
        "reference_contexts": NULL | st.lists(TEXT, max_size=3),
        "reference_context_ids": NULL | st.lists(st.sampled_from("abc"), max_size=3),
        "is_answerable_label": NULL | st.booleans(),
        "metadata_field": NULL | TEXT | st.dictionaries(TEXT, TEXT | st.integers(), max_size=2),
        "latency_s": NULL | st.floats(0, 1e6),
        "completion_tokens": NULL | st.integers(0, 10**9),
    },
)


@settings(max_examples=10)
@given(rows=st.lists(RANDOM_ROW, min_size=1, max_size=4))
def test_random_rows(rows):
    check(scored(rows), rows)


@pytest.mark.slow
@settings(max_examples=120)
@given(rows=st.lists(RANDOM_ROW, min_size=1, max_size=4))
def test_many_random_rows(rows):
    check(scored(rows), rows)


ANY = st.recursive(
    NULL | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


@settings(max_examples=150)
@given(name=st.sampled_from(KNOWN), value=ANY)
def test_a_wrong_type_is_refused_with_its_line_or_scored(name, value):
    row = {"answer": "a"} | {name: value}
    try:
        keys = [task.keys() for task, _ in answered([FULL, row])]
    except ConfigError as refused:
        said = str(refused)
    else:
        said = ""
        assert keys == [FULL.keys(), row.keys()]
    assert not said or (said.startswith("Line 2: ") and said.endswith("Nothing was scored."))


@pytest.mark.slow
@pytest.mark.django_db
def test_every_row_with_the_real_embedding():
    check(
        finished(score_answers(answered=answered(ROWS), spec=EvaluationSpec(), refusal=DEFAULT_REFUSAL, names=None)),
        ROWS,
    )
