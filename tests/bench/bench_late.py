"""Late chunking"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rag_pipeline.embedders.base import embedders
from rag_pipeline.indexing.chunk_vectors import ChunkVectors
from rag_pipeline.indexing.embedding_cache import CachedEmbedder
from rag_pipeline.pipeline.chunking import chunk_documents
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from rag_pipeline.types import SourceDoc
from tests.bench import cache
from tests.bench.corpora import chunking_eval
from tests.bench.span_bench import MODEL, Scores, SpanBench, clusters, mean_of, per_cent
from tests.bench.span_scores import MEASURES

ORDER = 12
SWEEP = (50, 75, 100, 150, 200, 250, 300, 400)
"""Sizes in word pieces."""
RATIO = 1.6
"""Limit: times that eight sizes may take of what one does."""
MODES = ("mean", "head", "late")
SIZES = (50, 100, 200, 250, 400)
REPEATS = 3
_LENGTHS = (4_000, 40_000, 400_000)
_SHARE = 40_000
"""Characters of each text that the sweep is timed on."""


def run(data_dir: Path) -> dict[str, Any]:
    """Measure what a sweep costs, and how well late chunks are found beside the others."""
    documents, asked = chunking_eval(data_dir)
    parts = [SourceDoc(doc.id, doc.name, doc.text[:_SHARE]) for doc in documents]
    text = "\n\n".join(doc.text for doc in documents)
    return {
        "sweep": {"mean": _sweep(parts, "mean", 1), "late": _sweep(parts, "late", REPEATS)},
        "growth": [_growth(text, length) for length in _LENGTHS],
        "quality": _quality(SpanBench(documents, asked, cache.FOLDER)),
    }


def table(figures: dict[str, Any]) -> str:
    """Return the figures as Markdown."""
    late = figures["sweep"]["late"]["ratio"]
    lines = [
        f"Cutting and embedding three texts of {_SHARE:,} characters by `recursive`, sizes of"
        f" {', '.join(str(size) for size in SWEEP)} word pieces, nothing known before; seconds of the processor,"
        f" medians of {REPEATS} (mean: once). Limit for late: {RATIO} ({'met' if late <= RATIO else 'not met'}).",
        "",
        "| embed_mode | one size (100) | all eight | ratio |",
        "|---|---|---|---|",
    ]
    for mode, row in figures["sweep"].items():
        lines.append(f"| {mode} | {row['one']:.1f} | {row['all']:.1f} | {row['ratio']:.2f} |")
    lines += ["", "| characters | late, processor seconds for a million |", "|---|---|"]
    lines += [f"| {row['characters']:,} | {row['seconds']:.0f} |" for row in figures["growth"]]
    lines += [
        "",
        "The 276 questions of chunking_eval, five chunks by `recursive` without overlap. Per cent, mean and 95 %"
        " interval; the difference in recall is that of late to mean, paired by question.",
        "",
        "| size | embed_mode | recall | precision | IoU | recall, late less mean |",
        "|---|---|---|---|---|---|",
    ]
    for row in figures["quality"]:
        measures = " | ".join(row[name] for name in ("recall", "precision", "iou"))
        lines.append(f"| {row['size']} | {row['mode']} | {measures} | {row['difference']} |")
    return "\n".join([*lines, "", _DEFAULT])


_DEFAULT = (
    "Late chunks of 50 to 200 word pieces are found a little better and those of 250 a little worse, but with 276"
    " questions no difference in recall is certain. `mean` stays the default: late is not at least as good at every"
    " size, and it needs a model that averages its tokens."
)


def _sweep(documents: Sequence[SourceDoc], mode: str, repeats: int) -> dict[str, float]:
    """Embed the chunks of one size, then, anew, those of all."""
    one = [_embed(documents, mode, (100,)) for _ in range(repeats)]
    several = [_embed(documents, mode, SWEEP) for _ in range(repeats)]
    ratio = statistics.median(all_of / one_of for one_of, all_of in zip(one, several, strict=True))
    return {"one": statistics.median(one), "all": statistics.median(several), "ratio": ratio}


def _embed(documents: Sequence[SourceDoc], mode: str, sizes: Sequence[int]) -> float:
    """Return the processor seconds of embedding the chunks of some sizes, one after the other."""
    model = embedders.get("local")(MODEL, mode)
    model.embed_queries(["warm"])
    with tempfile.TemporaryDirectory() as folder:
        embedder = CachedEmbedder(model, Path(folder))
        started = time.process_time()
        for size in sizes:
            table = chunk_documents(documents, _spec(mode, size), embedder)
            ChunkVectors(documents, table, embedder).vectors()
        return time.process_time() - started


def _spec(mode: str, size: int) -> PipelineSpec:
    return PipelineSpec.create(_settings(mode, size))


def _settings(mode: str, size: int) -> dict[str, Any]:
    return {"chunk_unit": "tokens", "chunk_size": size, "chunk_overlap": 0, "embed_mode": mode}


def _growth(text: str, length: int) -> dict[str, Any]:
    document = SourceDoc(1, "long", (text * (length // len(text) + 1))[:length])
    return {"characters": length, "seconds": 1e6 * _embed([document], "late", (100,)) / length}


def _quality(bench: SpanBench) -> list[dict[str, Any]]:
    rows = []
    for size in SIZES:
        scores: dict[str, Scores] = {mode: bench.score(_settings(mode, size)) for mode in MODES}
        for mode in MODES:
            columns = {name.lower(): scores[mode][:, column] for column, name in enumerate(MEASURES)}
            row = {name: per_cent(mean_of(columns[name])) for name in ("recall", "precision", "iou")}
            difference = _difference(scores["late"][:, 0] - scores["mean"][:, 0]) if mode == "late" else ""
            rows.append({"size": size, "mode": mode, **row, "difference": difference})
    return rows


def _difference(values: Any) -> str:
    from evaluation.statistics.intervals import Term, estimate

    found = estimate([Term([float(value) for value in values], clusters(len(values)), low=-1.0)])
    return f"{100 * found.mean:+.1f} ({100 * found.low:+.1f} to {100 * found.high:+.1f})"
