"""Files of questions become test sets whole, or not at all."""

from __future__ import annotations

import json

import pytest

from evaluation.exchange.csv_cells import to_csv
from evaluation.exchange.formats.output_csv import COLUMNS
from evaluation.models import Question, TestSet
from evaluation.services import files
from evaluation.services.imports import import_testset
from evaluation.services.testsets import store_questions
from evaluation.types import DraftEvidence, DraftQuestion
from rag_pipeline.errors import ConfigError
from rag_pipeline.types import Span
from tests.factories import ROSETTA, make_corpus, make_testset, rosetta_drafts

pytestmark = pytest.mark.django_db

FOUND = "The stone was found in July 1799"
AT = ROSETTA.index(FOUND)


@pytest.fixture
def corpus():
    return make_corpus()


def take(corpus, content, name="questions.csv", answers=None):
    data = content if isinstance(content, bytes) else content.encode()
    return import_testset(corpus=corpus, name="Imported", file=(name, data), answers=answers)


def refusal(corpus, content, **kwargs):
    with pytest.raises(ConfigError) as caught:
        take(corpus, content, **kwargs)
    assert not TestSet.objects.exists()
    assert not Question.objects.exists()
    return str(caught.value)


def output(*rows):
    """Return an output.csv whose rows give only some columns."""
    return to_csv(COLUMNS, [[row.get(name, "") for name in COLUMNS] for row in rows])


def test_our_own_file_comes_back_byte_for_byte(corpus):
    document = corpus.documents.get()
    odd = DraftQuestion(
        "=odd", "=odd", "simple", "'=What is 'it'?\nSay, \"it\".", ("-5 °C", "'@minus"),
        (DraftEvidence(Span(document.pk, 4, 11), "Rosetta"), DraftEvidence(Span(document.pk, 12, 17), "Stone")),
        metadata={"topic": "stones"},
    )  # fmt: skip
    original = make_testset(corpus)
    original.questions.all().delete()
    store_questions(testset=original, drafts=[*rosetta_drafts(document), odd])
    data = files.export_testset(testset=original)
    imported = take(corpus, data, "output.csv")
    assert files.export_testset(testset=imported) == data
    assert imported.questions.get(question_id="=odd").reference_answers == ["-5 °C", "'@minus"]


def test_the_file_is_written_unasked(corpus, data_dir):
    testset = take(corpus, output({"question": "Who?", "kind": "out_of_scope"}))
    assert (data_dir / "testsets" / str(testset.pk) / "output.csv").exists()
    assert testset.report["made"] == {"pairs": 0, "out_of_scope": 1}


def test_a_context_without_offsets_is_looked_up(corpus):
    row = {"question": "When?", "kind": "simple", "reference_answer": "July 1799", "context": FOUND.replace(" ", "\n")}
    question = take(corpus, output(row)).questions.get()
    evidence = question.evidence.get()
    assert (evidence.start, evidence.end) == (AT, AT + len(FOUND))
    assert question.reference_answers == ["July 1799"]


def test_questions_and_answers_in_two_files(corpus):
    testset = take(
        corpus,
        'question\nWhen was it found?\n"Where, exactly?"\n',
        answers=("answers.csv", b'answer\nJuly 1799\n"Rashid, Egypt"\n'),
    )
    assert [(each.text, each.reference_answers) for each in testset.questions.all()] == [
        ("When was it found?", ["July 1799"]),
        ("Where, exactly?", ["Rashid, Egypt"]),
    ]
    assert not testset.questions.filter(evidence__isnull=False).exists()


def test_two_files_without_headers(corpus):
    testset = take(corpus, "When?\nWhere?\n", answers=("answers.csv", b"1799\nRashid\n"))
    assert testset.questions.count() == 2


def test_excerpts_with_offsets_as_chunking_benchmarks_publish_them(corpus):
    excerpts = json.dumps([{"content": FOUND, "start_index": AT, "end_index": AT + len(FOUND)}])
    data = to_csv(["question", "references", "corpus_id"], [["When was it found?", excerpts, "rosetta_stone"]])
    question = take(corpus, data).questions.get()
    assert (question.kind, question.reference_answers, question.evidence.get().start) == ("simple", [], AT)


def test_the_rag_task_format(corpus):
    tasks = [
        {
            "question": "When was it found?", "question_id": "t1", "metadata_field": {"topic": "dates"},
            "answer": "1799", "contexts": ["something"], "reference_answers": ["July 1799"],
            "reference_contexts": [FOUND], "is_answerable_label": True,
        },
        {"question": "Where?", "reference_answers": "Rashid", "reference_context_ids": ["rosetta_stone.txt:4-11"]},
        {"question": "How heavy is it?", "question_id": "t3", "is_answerable_label": False, "contexts": ["x"]},
    ]  # fmt: skip
    testset = take(corpus, "\n".join(map(json.dumps, tasks)), "tasks.jsonl")
    first, second, third = testset.questions.all()
    assert (first.question_id, first.kind, first.metadata) == ("t1", "simple", {"topic": "dates"})
    assert (first.evidence.get().start, second.evidence.get().start) == (AT, 4)
    assert (second.question_id, second.reference_answers) == ("q002", ["Rashid"])
    assert (third.kind, third.evidence.count()) == ("out_of_scope", 0)


def test_a_missing_split_is_drawn_by_pair_and_a_given_one_kept(corpus):
    rows = [
        {"question": f"Question {n} {kind}?", "kind": kind, "pair_id": f"p{n}", "split": "holdout" if n == 0 else ""}
        for n in range(11)
        for kind in ("simple", "complex")
    ]
    testset = take(corpus, output(*rows))
    splits = {}
    for question in testset.questions.all():
        splits.setdefault(question.pair_id, set()).add(question.split)
    assert all(len(each) == 1 for each in splits.values())
    assert splits["p0"] == {"holdout"}
    assert sum(each == {"holdout"} for each in splits.values()) == 1 + 3  # 30 % of the ten others


def test_semicolons_and_a_byte_order_mark_are_understood(corpus):
    testset = take(corpus, "\ufeffquestion;kind;reference_answer\nWhen?;simple;1799, July\n")
    assert testset.questions.get().reference_answers == ["1799, July"]


@pytest.mark.parametrize(
    "row, reason",
    [
        ({"kind": "simple"}, "Row 3: the question is empty."),
        ({"question": "Who?", "kind": "hard"}, "Row 3: the kind is “hard”. Possible: simple, complex, out_of_scope."),
        ({"question": "Who?", "kind": "complex", "transformation": "near"}, "Row 3: transformation is “near”."),
        ({"question": "Who?", "kind": "simple", "split": "test"}, "Row 3: split is “test”. Possible: tune, holdout."),
        (
            {"question": "Who?", "kind": "simple", "document": "other.txt", "start": "1", "end": "2"},
            "Row 3: there is no document “other.txt” in the corpus (there: rosetta_stone.txt). Ingest it first.",
        ),
        (
            {"question": "Who?", "kind": "simple", "document": "rosetta_stone", "start": "4", "end": "99999"},
            "Row 3: the span 4 to 99999 does not lie within “rosetta_stone.txt”, which has",
        ),
        (
            {"question": "Who?", "kind": "simple", "document": "rosetta_stone", "start": "four", "end": "9"},
            "Row 3: start is “four”, not a whole number.",
        ),
        (
            {"question": "?", "kind": "simple", "document": "rosetta_stone", "start": 0, "end": 9, "context": "Roset"},
            "not the context given, “Roset”: it stands at 4 to 9.",
        ),
        ({"question": "Who?", "kind": "simple", "context": "Nowhere."}, "Row 3: the context “Nowhere.” does not stand"),
        ({"question": "Who?", "kind": "simple", "reference_answers": "['a']"}, "Row 3: reference_answers is not JSON"),
        ({"question": "Who?", "kind": "simple", "metadata": "[1]"}, "Row 3: metadata is not a JSON object."),
        ({"question": "Who?", "kind": "simple", "metadata": '{"a": NaN}'}, "not JSON (NaN is no JSON value)"),
        ({"question": "Who?", "kind": "simple", "metadata": '{"a": 1e999}'}, "1e999 is too large a number"),
        ({"question": "Who?", "kind": "simple", "spans": "[" * 9999}, "spans is not JSON (it is nested too deep)"),
        ({"question": "Who?", "kind": "out_of_scope", "context": FOUND}, "an out-of-scope question has no evidence"),
        ({"question": "Who?", "kind": "simple", "question_id": "q1"}, "more than one row: questions 1 and 2"),
        ({"question": "Who?", "kind": "out_of_scope", "pair_id": "q1"}, "both answerable and out-of-scope"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_with_row_and_reason(corpus, row, reason):
    good = {"question": "When?", "kind": "simple", "question_id": "q1", "pair_id": "q1"}
    message = refusal(corpus, output(good, row))
    assert reason in message
    assert message.endswith("Nothing was imported.")


@pytest.mark.parametrize(
    "content, reason",
    [
        ("", "“questions.csv” is empty."),
        ("question\nWho?\n", "has only questions. Give the file with their answers too."),
        ("a,b\n1,2\n", "is in no known format."),
        ("question,kind\nWho?\n", "Row 2: it has 1 cells, the header has 2."),
        ("question,kind\n", "The file has no questions."),
        ("Frage\n".encode("utf-16"), "is not UTF-8 text"),
        ('question,kind\n"Who?,simple\n', "is not a well-formed CSV file"),
        ('{"question": "Who?"\n', "Line 1: it is not JSON"),
        ('{"question": ""}\n', "Line 1: the question is empty."),
        ('{"question": "Who?", "metadata_field": NaN}\n', "Line 1: it is not JSON (NaN is no JSON value)."),
        ('{"question":' * 9999, "Line 1: it is not JSON (it is nested too deep)."),
        ("question,kind,question\nWho?,simple,When?\n", "has the column question more than once. Leave one."),
        ('{"question": "Who?"}\n[1]\n', "Line 2: it is not a JSON object."),
        ('{"question": "Who?", "is_answerable_label": 1}', "Line 1: is_answerable_label is neither true nor false."),
        ('{"question": "Who?", "reference_contexts": ["Nowhere."]}', "Line 1: the context “Nowhere.” does not stand"),
        ('{"question": "Who?", "reference_context_ids": ["d7"]}', "“d7” is not document:start-end"),
        ("question,references,corpus_id\nWho?,[],rosetta_stone\n", "Row 2: references is empty."),
        ("question,references,corpus_id\nWho?,[1],rosetta_stone\n", "Row 2: references is not a list of objects"),
    ],
)  # fmt: skip
def test_files_that_cannot_be_read_are_refused(corpus, content, reason):
    assert reason in refusal(corpus, content)


@pytest.mark.parametrize(
    "answers, reason",
    [
        (b"answer\nJuly\n", "There are 2 questions but 1 answer;"),
        (b"answer\nJuly\n\"\"\n", "There are 2 questions but 1 answer;"),
        (b"answer\n\"\"\nRashid\n", "Row 2: the answer is empty."),
        (b"answer\nJuly, 1799\nRashid\n", "more than one column in row 2"),
    ],
)  # fmt: skip
def test_two_files_that_do_not_fit_together_are_refused(corpus, answers, reason):
    assert reason in refusal(corpus, "question\nWhen?\nWhere?\n", answers=("answers.csv", answers))


def test_what_no_database_takes_is_mended(corpus):
    odd = '{"question": "Who\\ud800?", "question_id": "a\\u0000b", "metadata_field": {"\\udfff": ["\\u0000"]}}'
    question = take(corpus, odd).questions.get()
    assert (question.text, question.question_id, question.metadata) == ("Who\ufffd?", "ab", {"\ufffd": [""]})


def test_many_bad_rows_are_counted(corpus):
    message = refusal(corpus, output(*[{"kind": "simple"}] * 5))
    assert "Row 2: the question is empty. Row 3:" in message
    assert "2 more rows do not fit." in message


def test_a_name_that_is_taken_is_refused(corpus):
    make_testset(corpus, name="Imported")
    with pytest.raises(ConfigError, match="already has a test set “Imported”"):
        take(corpus, "question,kind\nWho?,simple\n")


def test_a_document_is_found_without_its_extension_only_when_that_is_clear():
    corpus = make_corpus(files={"a.txt": "Tea is hot.", "a.md": "Ice is cold."})
    row = {"question": "Which?", "kind": "simple", "document": "a", "start": "0", "end": "3"}
    assert "“a” may be a.txt or a.md; give the extension too." in refusal(corpus, output(row))


def test_the_command_imports_and_refuses(manage, tmp_path):
    (tmp_path / "rosetta_stone.txt").write_text(ROSETTA)
    assert manage("ingest", str(tmp_path / "rosetta_stone.txt"), "--corpus", "museum").returncode == 0
    (tmp_path / "q.csv").write_text("question\nWhen?\n")
    (tmp_path / "a.csv").write_text("answer\n1799\n")
    arguments = (str(tmp_path / "q.csv"), str(tmp_path / "a.csv"), "--corpus", "museum", "--name", "first")
    done = manage("import_testset", *arguments)
    assert (done.returncode, done.stdout) == (0, "first: 1 answerable pair, 0 out of scope.\n")
    again = manage("import_testset", *arguments)
    assert (again.returncode, again.stdout) == (1, "")
    assert again.stderr == "The corpus “museum” already has a test set “first”. Choose another name.\n"
    assert manage("import_testset", str(tmp_path / "no.csv"), "--corpus", "museum", "--name", "x").returncode == 1
