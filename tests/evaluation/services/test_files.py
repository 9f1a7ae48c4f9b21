"""output.csv and eval.csv hold exactly what the interface says."""

from __future__ import annotations

import csv
import io
import json

import pytest

from evaluation.models import Question
from evaluation.services import files
from evaluation.services.testsets import edit_question, set_status
from tests.factories import REFUSAL, ROSETTA, make_corpus, make_run, make_testset

pytestmark = pytest.mark.django_db

OUTPUT_HEADER = (
    "question_id,pair_id,kind,transformation,error,question,reference_answer,document,start,end,context,split,"
    "reference_answers,spans,metadata"
)
EVAL_HEADER = (
    "question_id,pair_id,kind,transformation,error,question,reference_answer,answer,refused,contexts,contexts_id,"
    "context_spans,recall,robustness,brevity,knowledge_bounding,context_matching,failure_point,latency_s,ttft_s,"
    "prompt_tokens,completion_tokens,cost_usd,error_message,metadata"
)


def rows_of(data):
    return {row["question_id"]: row for row in csv.DictReader(io.StringIO(data.decode(), newline=""))}


def test_output_csv_has_one_row_a_question():
    data = files.export_testset(testset=make_testset())
    assert data.decode().splitlines()[0] == OUTPUT_HEADER
    row = rows_of(data)["p2s"]
    start = ROSETTA.index("The stone was found")
    assert (row["document"], int(row["start"])) == ("rosetta_stone.txt", start)
    assert ROSETTA[int(row["start"]) : int(row["end"])] == row["context"]
    assert json.loads(row["reference_answers"]) == ["July 1799"]
    assert json.loads(row["spans"]) == [{"document": "rosetta_stone.txt", "start": start, "end": int(row["end"])}]
    outside = rows_of(data)["o1"]
    assert [outside[name] for name in ("document", "start", "end", "context", "reference_answer")] == [""] * 5
    assert (outside["spans"], outside["reference_answers"], outside["metadata"]) == ("[]", "[]", "{}")


def test_rejected_questions_are_left_out_because_no_run_asks_them():
    testset = make_testset()
    testset.questions.filter(question_id="o1").update(status=Question.Status.REJECTED)
    assert list(rows_of(files.export_testset(testset=testset))) == ["p1s", "p1c", "p2s", "p2c", "p3s", "p3c", "o2"]


def test_eval_csv_has_the_answers_with_scores_and_contexts():
    run = make_run(answers={"p1s": "=HYPERLINK(1)", "p2s": REFUSAL}, errors={"o1": "The server is down."})
    data = files.export_run(run=run)
    assert data.decode().splitlines()[0] == EVAL_HEADER
    rows = rows_of(data)
    assert rows["p1s"]["answer"] == "'=HYPERLINK(1)"
    assert (rows["p1s"]["recall"], rows["p1s"]["robustness"], rows["p1s"]["brevity"]) == ("0.0", "", "1.0")
    assert (rows["p2s"]["refused"], rows["p2s"]["brevity"]) == ("true", "")
    assert json.loads(rows["p1s"]["contexts"]) == [
        "The decree was issued in Memphis in 196 BC on behalf of King Ptolemy V Epiphanes."
    ]
    (span,) = json.loads(rows["p1s"]["context_spans"])
    assert json.loads(rows["p1s"]["contexts_id"]) == [f"{span['document']}:{span['start']}-{span['end']}"]
    failed = rows["o1"]
    assert (failed["refused"], failed["knowledge_bounding"], failed["error_message"]) == ("", "", "The server is down.")
    assert rows["o2"]["cost_usd"] == ""


def test_a_run_that_is_not_scored_has_empty_score_cells():
    row = rows_of(files.export_run(run=make_run(scored=False)))["p1s"]
    assert (row["answer"], row["recall"], row["refused"]) == ("Memphis", "", "")


def test_every_repeat_has_its_row():
    assert len(files.export_run(run=make_run(repeat=3)).decode().splitlines()) == 1 + 3 * 8


@pytest.mark.parametrize("use_context", [True, False])
def test_a_scoring_leaves_the_same_bytes_from_what_it_has_at_hand(data_dir, use_context):
    settings = {} if use_context else {"use_context": False, "llm": "openai:gpt-test"}
    odd = {"answers": {"p1s": REFUSAL, "p2s": "Paris"}, "errors": {"p3c": "The server is down."}, "repeat": 2}
    run = make_run(evaluation={"metrics": ["exact_match", "mrr"]}, settings=settings, **odd)
    kept = data_dir / "runs" / str(run.pk) / "eval.csv"
    assert kept.read_bytes() == files.export_run(run=run)


def test_the_files_on_disk_are_the_same_bytes(data_dir):
    run = make_run()
    path = files.write_run_file(run=run)
    assert path == data_dir / "runs" / str(run.pk) / "eval.csv"
    assert path.read_bytes() == files.export_run(run=run)
    path = files.write_testset_file(testset=run.testset)
    assert path == data_dir / "testsets" / str(run.testset.pk) / "output.csv"
    assert path.read_bytes() == files.export_testset(testset=run.testset)
    assert [each.name for each in path.parent.iterdir()] == ["output.csv"]


def test_longer_files_take_no_more_queries(django_assert_num_queries):
    run = make_run(repeat=2)
    with django_assert_num_queries(4):
        files.export_run(run=run)
    with django_assert_num_queries(3):
        files.export_testset(testset=run.testset)


def test_further_metrics_are_columns_at_the_end_in_their_order():
    run = make_run(evaluation={"metrics": ["token_f1", "mrr"]}, contexts={"p1s": [(0, 400)], "p2s": []})
    data = files.export_run(run=run)
    assert data.decode().splitlines()[0] == f"{EVAL_HEADER},token_f1,mrr"
    rows = rows_of(data)
    assert rows["p1s"]["mrr"] == "1.0"
    assert rows["p2s"]["mrr"] == "0.0"  # nothing was retrieved
    assert rows["o1"]["mrr"] == ""  # counts for answerable questions only
    assert 0 < float(rows["p1s"]["token_f1"]) <= 1
    assert files.export_run(run=make_run()).decode().splitlines()[0] == EVAL_HEADER


def test_what_an_answer_took_has_one_column():
    run = make_run(evaluation={"metrics": ["latency_s", "tpot_s", "cost_usd"]})
    assert files.export_run(run=run).decode().splitlines()[0] == f"{EVAL_HEADER},tpot_s"


def test_text_in_any_script_is_kept():
    corpus = make_corpus(files={"茶.txt": "緑茶は日本で最も飲まれているお茶です。"})
    testset = make_testset(corpus, drafts=[])
    assert files.export_testset(testset=testset).decode().splitlines() == [OUTPUT_HEADER]


def test_output_csv_follows_an_edit():
    testset = make_testset()
    path = files.write_testset_file(testset=testset)
    question = testset.questions.get(question_id="p2s")
    edit_question(question=question, text="When was it dug up?", reference_answers=["July 1799"])
    assert rows_of(path.read_bytes())["p2s"]["question"] == "When was it dug up?"
    set_status(questions=[question], status=Question.Status.REJECTED)
    assert path.read_bytes() == files.export_testset(testset=testset)
    assert "p2s" not in rows_of(path.read_bytes())
