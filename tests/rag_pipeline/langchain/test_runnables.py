"""The workbench for programs built with LangChain: the examples of the docs run, and indexes go out and come back."""

from __future__ import annotations

import json
import pickle
import re
from pathlib import Path

import faiss
import numpy as np
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from langchain_core.runnables import RunnableLambda

from rag_pipeline.errors import ConfigError, ProviderError
from rag_pipeline.indexing.faiss_files import CHUNKS, INDEX, read_faiss_files
from rag_pipeline.langchain import faiss_retriever, workbench_pipeline, workbench_retriever
from rag_pipeline.services.pipelines import search
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from tests.factories import ROSETTA, WORDS, make_corpus
from tests.fake_openai import Behaviour, FakeOpenAI

pytestmark = pytest.mark.django_db(transaction=True)

DOCS = Path(__file__).parents[3] / "docs" / "langchain.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.S)
QUESTION = "Where was the decree issued?"
SETTINGS = {"embedding": WORDS, "chunk_size": 120, "top_k": 2}


def test_the_example_of_the_docs_runs(capsys):
    make_corpus("handbook")
    (example,) = (each for each in EXAMPLES if "workbench_pipeline" in each)
    exec(compile(example, "docs/langchain.md", "exec"), {})
    said = capsys.readouterr().out
    assert "rosetta_stone.txt" in said
    assert "Memphis" in said
    assert "July 1799" in said


def test_the_retriever_of_the_docs_runs(tmp_path, monkeypatch):
    corpus = make_corpus()
    (example,) = (each for each in EXAMPLES if "def retriever(" in each)
    (tmp_path / "search_of_the_docs.py").write_text(example)
    monkeypatch.syspath_prepend(tmp_path)
    spec = PipelineSpec.create({"retriever": "langchain", "retriever_path": "search_of_the_docs:retriever", "top_k": 2})
    found = search(corpus=corpus, spec=spec, query="Who read the hieroglyphs?")
    assert len(found.contexts) == 2
    assert all(ROSETTA[each.span.start : each.span.end] == each.text for each in found.contexts)
    assert "Champollion" in found.contexts[0].text + found.contexts[1].text


def test_documents_say_where_they_stand_and_are_those_of_a_search():
    corpus = make_corpus("museum")
    documents = workbench_retriever("museum", SETTINGS).invoke(QUESTION)
    found = search(corpus=corpus, spec=PipelineSpec.create(SETTINGS), query=QUESTION)
    assert [each.page_content for each in documents] == [each.text for each in found.contexts]
    for document in documents:
        place = document.metadata
        assert ROSETTA[place["start_index"] : place["end_index"]] == document.page_content
        assert place["source"] == "rosetta_stone.txt"


def test_one_question_many_questions_and_a_stream_agree(fake_openai: FakeOpenAI):
    make_corpus("museum")
    chain = workbench_pipeline("museum", SETTINGS | {"llm": "openai:fake"})
    one = chain.invoke(QUESTION)
    assert one["input"] == QUESTION
    assert "Memphis" in one["answer"]
    assert len(one["context"]) == 2
    assert chain.batch([QUESTION, {"input": QUESTION}, {"question": QUESTION}]) == [one] * 3
    *pieces, last = list(chain.stream(QUESTION))
    total = pieces[0]
    for piece in [*pieces[1:], last]:
        total = total + piece
    assert total == one
    assert len(pieces) > 2
    assert (RunnableLambda(str.strip) | chain).invoke(f" {QUESTION} ") == one


def test_what_fails_is_said_as_on_the_pages(fake_openai: FakeOpenAI):
    make_corpus("museum")
    chain = workbench_pipeline("museum", SETTINGS | {"llm": "openai:fake"})
    fake_openai.always = Behaviour.rejected_key()
    with pytest.raises(ProviderError, match="rejected the key"):
        chain.invoke("Who reads this?")
    failed = chain.batch(["Who reads this?", "Who reads that?"], return_exceptions=True)
    assert [type(each) for each in failed] == [ProviderError] * 2
    with pytest.raises(ConfigError, match="Give a question"):
        chain.invoke({"text": "?"})
    with pytest.raises(ConfigError, match="no corpus called “attic”"):
        workbench_retriever("attic")


def exported(tmp_path: Path) -> Path:
    make_corpus("museum")
    given = [item for name, value in SETTINGS.items() if name != "top_k" for item in ("--set", f"{name}={value}")]
    call_command("export_index", "--corpus", "museum", *given, "--out", str(tmp_path / "index"))
    return tmp_path / "index"


def test_an_exported_index_is_one_of_faiss_with_offsets_and_finds_the_same(tmp_path, capsys):
    folder = exported(tmp_path)
    assert str(folder / INDEX) in capsys.readouterr().out
    index = faiss.read_index(str(folder / INDEX))
    lines = [json.loads(line) for line in (folder / CHUNKS).read_text().splitlines()]
    assert index.ntotal == len(lines) > 3
    np.testing.assert_allclose(np.linalg.norm(index.reconstruct_n(0, index.ntotal), axis=1), 1, atol=1e-5)
    assert all(ROSETTA[line["start"] : line["end"]] == line["text"] for line in lines)
    ours = workbench_retriever("museum", SETTINGS).invoke(QUESTION)
    theirs = faiss_retriever(folder, WORDS, top_k=2).invoke(QUESTION)
    assert [each.page_content for each in theirs] == [each.page_content for each in ours]
    assert [each.metadata["start_index"] for each in theirs] == [each.metadata["start_index"] for each in ours]
    assert [each.metadata["score"] for each in theirs] == pytest.approx([each.metadata["score"] for each in ours])


def test_an_exported_index_is_a_retriever_of_one_s_own(tmp_path, monkeypatch):
    folder = exported(tmp_path)
    module = (
        f"from rag_pipeline.langchain import faiss_retriever\nretriever = faiss_retriever({str(folder)!r}, {WORDS!r})"
    )
    (tmp_path / "exported_index.py").write_text(module)
    monkeypatch.syspath_prepend(tmp_path)
    own = {"retriever": "langchain", "retriever_path": "exported_index:retriever", "top_k": 6}
    theirs = workbench_retriever("museum", own).invoke(QUESTION)
    ours = workbench_retriever("museum", SETTINGS | {"top_k": 6}).invoke(QUESTION)
    assert len(theirs) > 4  # the retriever was made for 4
    assert [each.metadata | {"score": 0} for each in theirs] == [each.metadata | {"score": 0} for each in ours]


def test_an_index_of_distances_gives_scores_that_fall(tmp_path):
    index = faiss.IndexFlatL2(3)
    index.add(np.eye(3, dtype=np.float32))
    faiss.write_index(index, str(tmp_path / INDEX))
    (tmp_path / CHUNKS).write_text('{"text": "a"}\n{"text": "b"}\n{"text": "c", "page": 3}\n')
    found = read_faiss_files(tmp_path).search(np.asarray([0, 0, 1], np.float32), 2)
    assert found == [({"text": "c", "page": 3}, 0.0), ({"text": "a"}, -2.0)]
    with pytest.raises(ConfigError, match="vectors of 3 numbers, the embedding gives 2"):
        read_faiss_files(tmp_path).search(np.asarray([0, 1], np.float32), 1)


class Command:
    """What a pickle can do: call anything."""

    def __reduce__(self):
        return (Path.touch, (Path("pickle_was_read"),))


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "There is no index.faiss"),
        ({INDEX: b"no index", CHUNKS: b""}, "holds no index that can be read"),
        ({INDEX: pickle.dumps(Command()), CHUNKS: b'{"text": "a"}'}, "holds no index that can be read"),
        ({"index.pkl": pickle.dumps(Command()), INDEX: b""}, r"There is no chunks\.jsonl .*never read"),
        ({INDEX: b"", CHUNKS: b"{"}, "holds no index that can be read"),
        ({INDEX: b"", CHUNKS: b'{"text": 1}'}, "Line 1 of .* has no text"),
        ({INDEX: b"", CHUNKS: b'{"text": "a"}\n{"text": "b"}'}, "has 1 vectors but 2 lines"),
    ],
)
def test_files_that_do_not_fit_are_refused_and_nothing_is_unpickled(tmp_path, monkeypatch, files, said):
    monkeypatch.chdir(tmp_path)
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    if files.get(INDEX) == b"":
        index = faiss.IndexFlatIP(2)
        index.add(np.ones((1, 2), np.float32))
        faiss.write_index(index, str(tmp_path / INDEX))
    with pytest.raises(ConfigError, match=said):
        read_faiss_files(tmp_path)
    assert not Path("pickle_was_read").exists()


def test_an_index_without_vectors_is_not_exported(tmp_path):
    make_corpus("museum")
    with pytest.raises(CommandError, match="no vectors to export"):
        call_command("export_index", "--corpus", "museum", "--set", "retriever=bm25", "--out", str(tmp_path))
