"""Every chunker and retriever."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rag_pipeline.chunkers.base import chunkers
from rag_pipeline.retrievers.base import Retriever, retrievers
from tests.bench import cache
from tests.bench.bench_retrieval import REFERENCE
from tests.bench.corpora import chunking_eval
from tests.bench.span_bench import Scores, SpanBench, mean_of, per_cent
from tests.bench.span_scores import MEASURES

ORDER = 21
SIZE = 198
COMMON = {"chunk_unit": "tokens", "chunk_size": SIZE, "chunk_overlap": 0, "embed_mode": "head"}
OWN: Mapping[str, Mapping[str, Any]] = {"hierarchical": {"chunk_size": 98, "parent_size": SIZE}}
"""What a chunker needs to give the model as much as the others do."""


def run(data_dir: Path) -> dict[str, Any]:
    """Score all registered chunkers with all registered retrievers that search."""
    bench = SpanBench(*chunking_eval(data_dir), cache.FOLDER)
    searching = [unit for unit in retrievers if not unit.needs_evidence]
    rows = []
    for chunker in chunkers:
        for retriever in searching:
            print(f"  {chunker.key} × {retriever.key}", file=sys.stderr, flush=True)
            scores = bench.score(settings_of(chunker.key, retriever))
            rows.append({"chunker": chunker.key, "retriever": retriever.key, **_figures(scores)})
    ceiling = [
        {"retriever": unit.key, **_figures(bench.score({"retriever": unit.key}))}
        for unit in retrievers
        if unit.needs_evidence
    ]
    return {"questions": len(bench.asked), "rows": rows, "ceiling": ceiling}


def settings_of(chunker: str, retriever: type[Retriever]) -> dict[str, Any]:
    """Return the settings of one row; what a part does not read is left out when the spec is made."""
    return COMMON | dict(OWN.get(chunker, {})) | {"chunker": chunker, "retriever": retriever.key}


def table(figures: dict[str, Any]) -> str:
    """Return the figures as Markdown."""
    head = " | ".join(MEASURES)
    lines = [
        f"The same {figures['questions']} questions and five chunks, `embed_mode=head`, sizes of {SIZE} word pieces"
        " (200 with [CLS] and [SEP]) and no overlap; `hierarchical` searches children of 98 and gives parents of"
        f" {SIZE}, and the parents are scored. Everything else is as shipped. Per cent, mean and 95 % interval"
        " (bootstrap over questions). A chunk is a hit when it covers at least half of a reference. Omega is the"
        " chunker's own ceiling, the same for all retrievers.",
        "",
        f"| chunker | retriever | {head} |",
        "|---|---|" + "---|" * len(MEASURES),
    ]
    for row in figures["rows"]:
        lines.append(_line(row["chunker"], row["retriever"], row["measures"]))
    for row in figures["ceiling"]:
        lines.append(_line("(the evidence itself)", row["retriever"], row["measures"], means_only=True))
    recall, precision, omega, iou = REFERENCE["recursive", 200, 0]
    lines.append(
        f"| *the reference's recursive 200/0* | *dense* | *{recall}* | *{precision}* | *{omega}* | *{iou}* | | |"
    )
    return "\n".join(lines)


def _figures(scores: Scores) -> dict[str, Any]:
    found = {name: mean_of(scores[:, column]) for column, name in enumerate(MEASURES)}
    return {
        "measures": {
            name: {"mean": each.mean, "ci_low": each.low, "ci_high": each.high, "text": per_cent(each)}
            for name, each in found.items()
        }
    }


def _line(chunker: str, retriever: str, measures: Mapping[str, Any], means_only: bool = False) -> str:
    cells = [f"{100 * each['mean']:.1f}" if means_only else each["text"] for each in measures.values()]
    return f"| {chunker} | {retriever} | {' | '.join(cells)} |"
