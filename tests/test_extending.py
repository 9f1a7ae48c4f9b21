"""The worked examples of docs/extending.md and ARCHITECTURE.md: found, used on real text, and taken away again."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluation.exchange.base import formats
from evaluation.metrics.base import Metric, metrics
from evaluation.metrics.worked import WorkedExample
from evaluation.services.files import export_testset
from evaluation.services.imports import import_testset
from evaluation.types import Sample, Score
from rag_pipeline.chunkers.base import chunkers
from rag_pipeline.errors import ConfigError
from rag_pipeline.rerankers.base import rerankers
from rag_pipeline.services.pipelines import search
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from rag_pipeline.types import SourceDoc, Trace
from tests.factories import WORDS, make_corpus, make_testset
from tests.real_passages import asked, paragraphs

ROOT = Path(__file__).resolve().parent.parent
GUIDE, ARCHITECTURE = ROOT / "docs" / "extending.md", ROOT / "ARCHITECTURE.md"
TEXT = "\n\n".join(paragraphs())
REGISTRIES = {"rerankers": rerankers, "chunkers": chunkers, "formats": formats}


@pytest.fixture
def examples(tmp_path) -> Iterator[None]:
    """Write each code block into a file and import it, as the registry would; afterwards nothing of it is left."""
    keys = []
    blocks = re.findall(r"```python\n# [\w/]+/(\w+)/\w+\.py\n(.*?)```", GUIDE.read_text(), re.S)
    for number, block in enumerate(blocks):
        folder, code = block
        registry = REGISTRIES[folder]
        before = set(registry.keys())
        file = tmp_path / f"example_{number}.py"
        file.write_text(code)
        spec = importlib.util.spec_from_file_location(file.stem, file)
        sys.modules[file.stem] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        keys += [(registry, file.stem, key) for key in set(registry.keys()) - before]
    yield
    for registry, name, key in keys:
        registry._units.pop(key)
        sys.modules.pop(name)
    assert rerankers.find("shared_words") is None
    assert chunkers.find("paragraph") is None
    assert formats.find("faq") is None


@pytest.mark.django_db
def test_both_work_together_on_real_text(examples):
    corpus = make_corpus(files={"passages.txt": TEXT})
    plain = PipelineSpec.create({"embedding": WORDS, "chunker": "paragraph", "top_k": 1})
    reranked = plain.changed(reranker="shared_words", rerank_candidates=10, shortest_word=4)
    before, after = 0, 0
    for question in asked()[::3]:
        wanted = paragraphs()[question.paragraph].strip()
        before += search(corpus=corpus, spec=plain, query=question.text).contexts[0].text == wanted
        found = search(corpus=corpus, spec=reranked, query=question.text)
        after += found.contexts[0].text == wanted
        assert [step.name for step in found.steps] == ["retrieve", "rerank"]
    assert after > before + 5


def test_every_paragraph_is_an_exact_chunk(examples):
    spans = chunkers.get("paragraph")().split(SourceDoc(1, "passages.txt", TEXT))
    assert [TEXT[span.start : span.end] for span in spans] == [
        part.strip() for part in re.split(r"\n\s*\n", TEXT) if part.strip()
    ]


def test_its_own_setting_is_read_by_it_alone(examples):
    with pytest.raises(ConfigError, match="shared_words"):
        PipelineSpec.create({"shortest_word": 5})
    with pytest.raises(ConfigError, match="at least 1"):
        PipelineSpec.create({"reranker": "shared_words", "shortest_word": 0})


def test_without_its_file_it_is_unknown_and_the_others_are_named():
    with pytest.raises(ConfigError, match=r"no reranker called “shared_words”\. Choose one of: none, cross_enc"):
        PipelineSpec.create({"reranker": "shared_words"})


def test_the_metric_of_the_architecture_gives_its_worked_example():
    (block,) = re.findall(r"```python\n(.*?)```", ARCHITECTURE.read_text(encoding="utf-8"), re.S)
    exec(block, {"metrics": metrics, "Metric": Metric, "WorkedExample": WorkedExample, "Score": Score, "__name__": "x"})
    try:
        unit = metrics.get("distinct_words", "metrics")
        example = unit.worked
        score = unit().score(Sample("q", "q", "simple", Trace(example.question, example.answer)), None)
        assert score.value == example.value
        assert unit.label
        assert unit.help
    finally:
        metrics._units.pop("distinct_words")


@pytest.mark.django_db
def test_a_format_is_written_and_read_back(examples):
    testset = make_testset()
    data = export_testset(testset=testset, writer=formats.get("faq"))
    assert data.startswith(b"## Where was the decree on the Rosetta Stone issued?\n\nMemphis\n\n## ")
    imported = import_testset(corpus=testset.corpus, name="FAQ", file=("faq.md", data))
    answered = testset.questions.exclude(kind="out_of_scope")
    assert [(each.text, each.reference_answers) for each in imported.questions.all()] == [
        (each.text, each.reference_answers[:1]) for each in answered
    ]


@pytest.mark.django_db
def test_a_format_is_offered_on_the_pages_and_named_in_a_refusal(examples, client):
    testset = make_testset()
    page = client.get(f"/testsets/{testset.pk}/").content.decode()
    assert f'href="/testsets/{testset.pk}/faq.md"' in page
    assert "Download faq.md" in page
    response = client.get(f"/testsets/{testset.pk}/faq.md")
    assert response.content == export_testset(testset=testset, writer=formats.get("faq"))
    assert response["Content-Type"] == "text/markdown; charset=utf-8"
    importing = client.get("/testsets/").content.decode()
    assert 'accept=".md,.csv,.jsonl,.json,.parquet,.xlsx,.txt"' in importing
    assert "a FAQ in Markdown, output.csv of another workbench" in importing
    for content, why in ((b"a,b\n1,2\n", r"\(##\) for each question, output\.csv"), (b"## Who?\n", "no answer")):
        with pytest.raises(ConfigError, match=why):
            import_testset(corpus=testset.corpus, name="FAQ", file=("faq.md", content))


@pytest.mark.django_db
def test_without_its_file_a_format_has_no_address(client):
    assert client.get(f"/testsets/{make_testset().pk}/faq.md").status_code == 404
