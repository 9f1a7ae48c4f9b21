"""Contexts of a file: the model gets just these, wherever their text stands, and runs are compared on them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.core.management.base import CommandError

from evaluation.exchange.table_files import frame_of, table_file
from evaluation.models import Run, TestSet
from evaluation.services.contexts import runs_with_contexts
from evaluation.services.given_contexts import contexts_from_file
from rag_pipeline.errors import ConfigError
from tests.compared import compare_runs
from tests.factories import OUT_OF_SCOPE, PAIRS, ROSETTA, WORDS, make_testset
from tests.fake_openai import FakeOpenAI

pytestmark = pytest.mark.django_db(transaction=True)

ELSEWHERE = "A museum guide: the stone was found in July 1799, and is heavy."


@pytest.fixture
def testset() -> TestSet:
    return make_testset(name="first")


def objects() -> list[dict[str, object]]:
    """Return contexts for all eight questions, by id or by their words."""
    found: list[dict[str, object]] = []
    for number, (_, complex_, _, evidence, _) in enumerate(PAIRS, 1):
        found.append(
            {"question_id": f"p{number}s", "contexts": [evidence, ELSEWHERE], "contexts_id": ["", "guide.pdf"]}
        )
        found.append({"question": f"  {complex_} ", "contexts": [evidence.replace(" ", "\n")]})
    found += [{"question": text, "contexts": []} for text, _ in OUT_OF_SCOPE]
    return [*found, {"question_id": "of another set", "contexts": ["x"]}]


def lines(rows: list[dict[str, object]]) -> bytes:
    return "\n".join(json.dumps(row) for row in rows).encode()


def test_contexts_are_kept_as_a_run_of_retrieval_that_is_scored(testset):
    run = contexts_from_file(testset=testset, file=("theirs.jsonl", lines(objects())))
    assert str(run) == "Contexts of theirs.jsonl"
    assert run.notes == ["9 contexts for 8 questions: 6 stand in the documents, the others are scored as texts."]
    answer = run.answers.get(question__question_id="p2s")
    start = ROSETTA.index(PAIRS[1][3])
    assert [context["document"] for context in answer.contexts] == ["rosetta_stone.txt", "guide.pdf"]
    assert answer.contexts[0]["start"] == start
    assert answer.contexts[1]["document_id"] < 0
    assert answer.details["passages"][0]["text"] == ELSEWHERE
    assert run.current_scoring.metrics.get(metric="context_matching", group="").mean == 1.0
    assert list(runs_with_contexts(testset=testset)) == [run]


def test_the_same_file_is_kept_once(testset):
    files = [("a.jsonl", lines(objects())), ("b.jsonl", lines(objects())), ("c.jsonl", lines(objects()[:3]))]
    first, second, other = (contexts_from_file(testset=testset, file=file) for file in files)
    assert first == second != other
    assert other.notes == ["5 contexts for 3 of 8 questions: 3 stand in the documents, the others are scored as texts."]


def evaluate(testset: TestSet, source: Path | str, *more: str, name: str = "") -> Run:
    given = ["--corpus", testset.corpus.name, "--testset", "first", "--contexts-from", str(source)]
    call_command("evaluate", *given, "--eval-embedding", WORDS, "--name", name, *more)
    return Run.objects.exclude(retrieval_only=True).latest("pk")


def test_prompts_are_compared_on_the_contexts_of_a_file(testset, tmp_path, fake_openai: FakeOpenAI):
    file = tmp_path / "theirs.jsonl"
    file.write_bytes(lines(objects()))
    one = evaluate(testset, file, "--set", "llm=openai:fake")
    other = evaluate(testset, file, "--set", "llm=openai:fake", "--set", "prompt=In short: {context}\n{question}")
    assert one.contexts_from == other.contexts_from
    prompts = [str(body["messages"][0]["content"]) for body in fake_openai.bodies()]
    assert sum(ELSEWHERE in prompt for prompt in prompts) == 6
    assert {difference.name for difference in compare_runs(a=one, b=other).settings} <= {"prompt", "prompt_name"}
    assert one.current_scoring.metrics.get(metric="context_matching", group="").mean == 1.0
    assert one.contexts_origin == "Contexts of theirs.jsonl"


def test_a_spreadsheet_of_contexts_will_do(testset, tmp_path):
    rows = [(row.get("question_id"), row.get("question"), row["contexts"]) for row in objects()]
    file = tmp_path / "theirs.xlsx"
    file.write_bytes(table_file(".xlsx").write(frame_of(["question_id", "question", "contexts"], rows)))
    run = contexts_from_file(testset=testset, file=(file.name, file.read_bytes()))
    assert run.answers.count() == 8


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"question_id": "p1s", "answer": "a"}', "has contexts for none of the 8 questions"),
        (b'{"question_id": "other", "contexts": ["a"]}', "has contexts for none of the 8 questions"),
        (b'{"question_id": "p1s", "contexts": "a"}', "contexts is not a list of texts"),
        (b"nothing", "is in no known format"),
    ],
)
def test_a_file_that_does_not_fit_is_refused_and_nothing_kept(testset, content, said):
    with pytest.raises(ConfigError, match=said):
        contexts_from_file(testset=testset, file=("theirs.jsonl", content))
    assert not Run.objects.exists()


def test_what_a_run_asks_beyond_the_file_is_refused_with_the_mend(testset, tmp_path):
    file = tmp_path / "some.jsonl"
    file.write_bytes(lines(objects()[:2]))
    with pytest.raises(CommandError, match=r"has no contexts for 6 of the 8 questions asked\. Ask fewer"):
        evaluate(testset, file)
    with pytest.raises(CommandError, match=r"has no run “nowhere\.jsonl”, nor is there such a file"):
        evaluate(testset, "nowhere.jsonl")
    with pytest.raises(CommandError, match="chunk_size would change nothing"):
        evaluate(testset, file, "--set", "chunk_size=100")


def test_the_page_of_a_test_set_takes_such_a_file(client, testset):
    address = f"/testsets/{testset.pk}/contexts/"
    sent = {"contexts": SimpleUploadedFile("theirs.jsonl", lines(objects()))}
    page = client.post(address, sent, follow=True).content.decode()
    run = Run.objects.get()
    assert "9 contexts for 8 questions" in page
    assert f'<option value="{run.pk}" selected>Contexts of theirs.jsonl</option>' in page
    refused = client.post(address, {"contexts": SimpleUploadedFile("x.jsonl", b"nothing")})
    assert refused.status_code == 422
    assert "is in no known format" in refused.content.decode()
    assert client.post(address).status_code == 422
    assert client.get(address).status_code == 405
    assert client.post("/testsets/999/contexts/").status_code == 404
    assert client.get(f"/runs/{run.pk}/").status_code == 200
    assert client.get("/runs/").status_code == 200
