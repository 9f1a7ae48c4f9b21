"""Chunk and embed throughput."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rag_pipeline.embedders.base import embedders
from rag_pipeline.pipeline.chunking import chunk_documents
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from rag_pipeline.types import SourceDoc
from tests.bench.corpora import chunking_eval, cut

ORDER = 10
_CHUNKED = (
    ("recursive, characters", {"chunker": "recursive"}),
    ("fixed, characters", {"chunker": "fixed"}),
    ("sentence, characters", {"chunker": "sentence"}),
    ("markdown, characters", {"chunker": "markdown"}),
    ("hierarchical, characters", {"chunker": "hierarchical"}),
    ("recursive, tokens", {"chunker": "recursive", "chunk_unit": "tokens", "chunk_size": 250}),
    ("fixed, tokens", {"chunker": "fixed", "chunk_unit": "tokens", "chunk_size": 250}),
)


def run(data_dir: Path) -> dict[str, Any]:
    """Measure characters cut and chunks embedded a second, beside LangChain's splitter and a plain encode."""
    documents, _ = chunking_eval(data_dir)
    characters = sum(len(doc.text) for doc in documents)
    embedder = embedders.get("local")("all-MiniLM-L6-v2")
    embedder.token_offsets("warm")
    specs = {name: PipelineSpec.create(given) for name, given in _CHUNKED}
    seconds = {
        name: _best(lambda spec=spec: chunk_documents(documents, spec, embedder)) for name, spec in specs.items()
    }
    seconds["LangChain's recursive splitter with start index, characters"] = _best(lambda: _langchain(documents))
    chunks = cut(documents, embedder, chunk_size=1000)
    texts = {doc.id: doc.text for doc in documents}
    passages = [texts[document][start:end] for document, start, end in chunks.tolist()]
    embedder.embed_passages(passages[:8])
    ours = _best(lambda: embedder.embed_passages(passages), repeats=2)
    plain = _plain_encode(passages)
    return {
        "characters": characters,
        "chunked_per_s": {name: characters / taken for name, taken in seconds.items()},
        "passages": len(passages),
        "embedded_per_s": {"embed_mode=mean": len(passages) / ours, "plain encode": len(passages) / plain},
    }


def table(figures: dict[str, Any]) -> str:
    """Return the figures as Markdown."""
    base = figures["chunked_per_s"]["LangChain's recursive splitter with start index, characters"]
    lines = [
        f"Three texts, {figures['characters']:,} characters.",
        "",
        "| cut by | million characters a second | ratio |",
        "|---|---|---|",
    ]
    for name, speed in figures["chunked_per_s"].items():
        lines.append(f"| {name} | {speed / 1e6:.2f} | {speed / base:.2f} |")
    plain = figures["embedded_per_s"]["plain encode"]
    lines += [
        "",
        f"all-MiniLM-L6-v2 on {figures['passages']} chunks of 1,000 characters. The plain encode is"
        " sentence-transformers with its defaults, in 32-bit floats; it"
        " cuts off what is longer than the model reads, ours embeds it all.",
        "",
        "| embedded by | chunks a second | ratio |",
        "|---|---|---|",
    ]
    for name, speed in figures["embedded_per_s"].items():
        lines.append(f"| {name} | {speed:.1f} | {speed / plain:.2f} |")
    return "\n".join(lines)


def _best(work: Callable[[], object], repeats: int = 3) -> float:
    """Return the seconds of the fastest of some runs: the least disturbed one."""
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def _langchain(documents: list[SourceDoc]) -> None:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    separators = ["\n\n", "\n", ".", "?", "!", " ", ""]
    splitter = RecursiveCharacterTextSplitter(
        separators=separators, chunk_size=1000, chunk_overlap=150, add_start_index=True
    )
    splitter.create_documents([doc.text for doc in documents])


def _plain_encode(passages: list[str]) -> float:
    from sentence_transformers import SentenceTransformer

    from rag_pipeline.embedders.local import shipped_weights

    model = SentenceTransformer(str(shipped_weights()), device="cpu")
    model.encode(passages[:8])
    return _best(lambda: model.encode(passages), repeats=2)
