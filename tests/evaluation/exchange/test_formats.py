"""What every format of files promises: it explains itself, and what one writes and reads comes back as it was."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import PurePath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.exchange.base import (
    ANSWERS,
    RUN,
    TEST_SET,
    AnswersReader,
    AnswersWriter,
    Format,
    ReadFormat,
    TestSetReader,
    TestSetWriter,
    WrittenFormat,
    accepted,
    formats,
)
from evaluation.exchange.formats.output_csv import ERRORS, TRANSFORMATIONS
from evaluation.exchange.formats.separate_files import SeparateFiles
from evaluation.exchange.formats.task_jsonl import TaskJsonl
from evaluation.exchange.rag_tasks import Task, with_scores
from evaluation.exchange.reading import read_answers, read_questions
from evaluation.exchange.uploads import Upload
from evaluation.types import DraftEvidence, DraftQuestion, Score
from rag_pipeline.errors import ConfigError
from rag_pipeline.types import SourceDoc, Span

DOCUMENTS = (
    SourceDoc(3, "stone.txt", "The Rosetta Stone is a stele.\n\n«Ῥωσέττα» — \U0001d4d0, \"quoted\", 'so'."),
    SourceDoc(8, "=odd, name.md", "=1+1 is no formula here; -5 °C is cold.\tTabs, too."),
)
NAMES = {doc.id: doc.name for doc in DOCUMENTS}
BOTH_WAYS = [unit for unit in TestSetReader.units() if issubclass(unit, TestSetWriter)]
ANSWERS_BOTH_WAYS = [unit for unit in AnswersReader.units() if issubclass(unit, AnswersWriter)]


def keys(units):
    return [unit.key for unit in units]


@pytest.mark.parametrize("unit", list(formats), ids=lambda unit: unit.key)
class TestEveryFormat:
    def test_explains_itself(self, unit: type[Format]):
        assert unit.holds in (TEST_SET, ANSWERS, RUN)
        assert unit.__doc__
        assert unit.label
        assert unit.help
        assert unit.extensions
        assert all(re.fullmatch(r"\.[a-z0-9]+", extension) for extension in unit.extensions)
        assert re.fullmatch(r"[a-z]+/[a-z0-9.+-]+(; charset=utf-8)?", unit.content_type)

    def test_is_read_or_written(self, unit: type[Format]):
        assert issubclass(unit, ReadFormat | WrittenFormat)
        if issubclass(unit, ReadFormat):
            assert unit.looks
        if issubclass(unit, WrittenFormat):
            assert PurePath(unit.filename).suffix in unit.extensions


def test_no_two_files_of_one_kind_have_the_same_name():
    names = Counter((unit.holds, unit.filename) for unit in WrittenFormat.units())
    assert set(names.values()) == {1}


def test_a_choice_of_files_offers_the_extensions():
    assert accepted(TestSetReader.units()) == ".csv,.jsonl,.json,.parquet,.xlsx,.txt"
    assert accepted([SeparateFiles]) == ".csv,.parquet,.xlsx,.txt"
    assert accepted(AnswersReader.units()) == ".jsonl,.json,.csv,.parquet,.xlsx,.txt"
    assert accepted([TaskJsonl]) == ".jsonl,.json,.txt"


QUESTION_FILES = {
    "output_csv": "question,kind\nWho?,simple\n",
    "reference_csv": "question,references,corpus_id\nWho?,[],stone\n",
    "task_jsonl": '{"question": "Who?"}',
}
ANSWER_FILES = {
    "answers_jsonl": ' {"answer": "He."}',
    "answers_list": '\n[{"answer": "He."}]',
    "answers_table": "question;answer\nWho?;He.\n",
}


@pytest.mark.parametrize(("key", "text"), QUESTION_FILES.items())
def test_a_file_of_questions_is_known_to_one_format(key, text):
    upload = Upload(("f", text.encode()))
    assert keys(unit for unit in TestSetReader.units() if unit().recognises(upload)) == [key]


@pytest.mark.parametrize(("key", "text"), ANSWER_FILES.items())
def test_a_file_of_answers_is_known_to_one_format(key, text):
    upload = Upload(("f", text.encode()))
    assert keys(unit for unit in AnswersReader.units() if unit().recognises(upload)) == [key]


def test_two_files_are_read_as_two_whatever_they_look_like():
    (draft,) = read_questions(("q.csv", b'{"question": "Who?"}'), ("a.csv", b"He."), DOCUMENTS)
    assert (draft.text, draft.references) == ('{"question": "Who?"}', ("He.",))


storable = st.characters(exclude_categories=["Cs"], exclude_characters="\x00")
# Much of what a cell, a line or a spreadsheet might take for something else.
letters = st.sampled_from("'=+-@\t\r\n,;\"{[\\ aé\u2028\x85\ufeff") | storable
texts = st.text(letters, max_size=40)
words = texts.map(str.strip).filter(bool)
short = st.text(letters, max_size=20).map(str.strip).filter(bool)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)


@st.composite
def evidences(draw: st.DrawFn) -> DraftEvidence:
    doc = draw(st.sampled_from(DOCUMENTS))
    start, end = sorted(draw(st.lists(st.integers(0, len(doc.text)), min_size=2, max_size=2, unique=True)))
    if not doc.text[start:end].strip():
        start, end = 0, len(doc.text)
    return DraftEvidence(Span(doc.id, start, end), doc.text[start:end])


@st.composite
def questions(draw: st.DrawFn, name: str) -> DraftQuestion:
    kind = draw(st.sampled_from(sorted(TRANSFORMATIONS)))
    return DraftQuestion(
        question_id=name,
        pair_id=name,
        kind=kind,
        text=draw(words),
        references=tuple(draw(st.lists(words, max_size=3, unique=True))),
        evidence=() if kind == "out_of_scope" else tuple(draw(st.lists(evidences(), max_size=3))),
        transformation=draw(st.sampled_from(("", *TRANSFORMATIONS[kind]))),
        error=draw(st.sampled_from(("", *ERRORS))),
        split=draw(st.sampled_from(("tune", "holdout"))),
        metadata=draw(st.dictionaries(texts, values, max_size=3)),
    )


test_sets = st.lists(short, min_size=1, max_size=4, unique=True).flatmap(
    lambda names: st.tuples(*(questions(name) for name in names))
)


@pytest.mark.parametrize("unit", BOTH_WAYS, ids=lambda unit: unit.key)
@given(drafts=test_sets)
def test_a_written_test_set_is_read_back(unit, drafts):
    data = unit().write(drafts, NAMES)
    assert read_questions((unit.filename, data), None, DOCUMENTS) == list(drafts)


anything = st.text(st.characters(), max_size=40)
"""Halves of surrogate pairs and control characters too: what another system wrote comes back as it was."""
tasks = st.fixed_dictionaries(
    {"answer": anything},
    optional={
        "question": anything,
        "question_id": anything,
        "contexts": st.lists(anything, max_size=3),
        "reference_answers": st.lists(anything, max_size=3),
        "is_answerable_label": st.booleans(),
        "latency_s": st.floats(0, 1e6),
        "metadata_field": st.dictionaries(anything, anything, max_size=2),
        "of its own": anything,
    },
)
scores = st.builds(Score, st.floats(allow_nan=False, allow_infinity=False)) | st.builds(
    Score.unscored, st.text(min_size=1)
)


@dataclass
class Scored:
    """Objects with their scores, as a writer gets them."""

    pairs: list[tuple[Task, dict[str, Score]]]

    def rows(self):
        return self.pairs

    def summary(self):
        return {"metrics": {}, "rows": len(self.pairs), "notes": {"token_f1": "no “reference” 参照"}}


scored_tasks = st.lists(st.tuples(tasks, st.dictionaries(st.text(), scores, max_size=3)), min_size=1, max_size=4)


@pytest.mark.parametrize("unit", ANSWERS_BOTH_WAYS, ids=lambda unit: unit.key)
@given(pairs=scored_tasks)
def test_written_answers_are_read_back_with_their_scores(unit, pairs):
    found = read_answers((unit.filename, unit().write(Scored(pairs))))
    assert [task for task, _ in found] == [with_scores(task, given) for task, given in pairs]
    assert [task["scores"] for task, _ in found] == [
        {name: score.value for name, score in given.items()} for _, given in pairs
    ]


def test_there_are_formats_that_go_both_ways():
    assert keys(BOTH_WAYS) == ["output_csv", "output_jsonl"]
    assert keys(ANSWERS_BOTH_WAYS) == ["answers_jsonl"]


@pytest.mark.parametrize("unit", [unit for unit in AnswersWriter.units() if ".json" in unit.extensions])
def test_a_file_of_json_is_for_people_too(unit):
    data = unit().write(Scored([({"answer": "He."}, {})]))
    assert json.loads(data) == Scored([({}, {})]).summary()
    assert "参照".encode() in data
    assert data.endswith(b"\n}\n")


somehow = st.text(letters | st.characters(), max_size=60) | st.sampled_from(
    [*QUESTION_FILES.values(), *ANSWER_FILES.values(), "\x00", "\x00 ", "[1", '{"question": 1}', "a,a\n1,2", '"']
)


def refusal_of(reading) -> str | None:
    """Return why something is refused, None where it is read."""
    try:
        assert reading()
    except ConfigError as refused:
        return str(refused)
    return None


@given(text=somehow, answers=st.none() | somehow)
def test_whatever_a_file_holds_it_is_read_or_refused_in_words(text, answers):
    file = ("a.csv", text.encode(errors="surrogatepass"))
    second = None if answers is None else ("b.csv", answers.encode(errors="replace"))
    imported = refusal_of(lambda: read_questions(file, second, DOCUMENTS))
    scored = refusal_of(lambda: read_answers(file))
    assert imported is None or imported.endswith("Nothing was imported.")
    assert scored is None or scored.endswith("Nothing was scored.")
