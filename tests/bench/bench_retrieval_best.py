"""What beats the reference."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from evaluation.statistics.intervals import Term
from evaluation.statistics.paired import SAME, paired_difference
from rag_pipeline.chunkers.base import chunkers
from rag_pipeline.consolidators.base import consolidators
from rag_pipeline.retrievers.base import retrievers
from tests.bench import cache
from tests.bench.bench_retrieval import REFERENCE
from tests.bench.corpora import chunking_eval
from tests.bench.reference_counting import reference_chunks
from tests.bench.span_bench import Scores, SpanBench, clusters
from tests.bench.span_scores import MEASURES

ORDER = 22
SIZES = (100, 150, 200, 250, 400)
SHORTENED = (200, 250, 400)
"""Sizes at which what is given is also made shorter; small chunks leave little to drop."""
_COMPARED = ("recall", "precision", "omega", "IoU")
_RECALL, _PRECISION, _OMEGA, _IOU = range(4)
GROUPS = ("dense retrieval, whole chunks", "another retriever, whole chunks", "contexts made shorter")
AIMS = {
    "highest IoU, recall not below": (_IOU, (_RECALL,)),
    "highest recall, precision and IoU not below": (_RECALL, (_PRECISION, _IOU)),
}
"""The measure to have most of, and those in which the best of the reference's rows must be reached."""


@dataclass(frozen=True)
class Tried:
    """A setting of the grid, or a row of the reference, and its scores."""

    name: str
    settings: Mapping[str, Any]
    scores: Scores

    @property
    def group(self) -> str:
        """What the reference's rows have in common with this, from most to least: one of GROUPS."""
        if "consolidate" in self.settings:
            return GROUPS[2]
        return GROUPS[0] if self.settings.get("retriever", "dense") == "dense" else GROUPS[1]

    def mean(self, half: npt.NDArray[np.intp], column: int) -> float:
        """Return the mean of a measure over some questions."""
        return float(self.scores[half, column].mean())


def run(data_dir: Path) -> dict[str, Any]:
    """Choose among a grid of settings on half of the questions, and compare the choice on the other half."""
    bench = SpanBench(*chunking_eval(data_dir), cache.FOLDER)
    rows = _reference(bench)
    best = [max(rows, key=lambda row, at=column: row.scores[:, at].mean()) for column in range(len(_COMPARED))]
    tried = [_try(bench, settings) for settings in grid()]
    choosing, reporting = halves(len(bench.asked))
    default = _try(bench, {})
    picks = [
        {"group": group, "aim": aim} | (_compared(pick, best, reporting) if pick else {})
        for (group, aim), pick in choose(tried, best, choosing).items()
    ]
    above = [each for each in tried if all(_beats(each, best, column, choosing) for column in range(len(_COMPARED)))]
    return {
        "tried": len(tried),
        "above_in_all": len(above),
        "choosing": len(choosing),
        "reporting": len(reporting),
        "best_of_reference": {name: row.name for name, row in zip(_COMPARED, best, strict=True)},
        "reference": [_means(row, reporting) for row in rows],
        "default": _compared(default, best, reporting),
        "picks": picks,
        "grid": [_means(each, choosing) for each in tried],
    }


def grid() -> list[dict[str, Any]]:
    """Return the settings that are tried; those with the same chunks come one after the other."""
    found = []
    for chunker, size in itertools.product(chunkers, SIZES):
        sizes = {"chunk_unit": "tokens", "chunk_size": size, "chunk_overlap": 0}
        if chunker.key == "hierarchical":
            sizes |= {"chunk_size": size // 2, "parent_size": size}
        for retriever in retrievers:
            if retriever.needs_evidence:
                continue
            base = {"chunker": chunker.key, **sizes, "retriever": retriever.key}
            found.append(base)
            if size in SHORTENED:
                found += [base | {"consolidate": unit.key} for unit in consolidators]
    return found


def halves(count: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the places of the questions to choose on and of those to report on.

    Every second one, as when the numbers of `consolidate=extract` were chosen: the reported ones had no part in that.
    """
    return np.arange(0, count, 2), np.arange(1, count, 2)


def choose(
    tried: Sequence[Tried], best: Sequence[Tried], half: npt.NDArray[np.intp]
) -> dict[tuple[str, str], Tried | None]:
    """Return the choice for each group and aim; None where no setting of the group holds what the aim demands."""
    found = {}
    for group, (aim, (measure, floors)) in itertools.product(GROUPS, AIMS.items()):
        fit = [
            each
            for each in tried
            if each.group == group and all(each.mean(half, floor) >= best[floor].mean(half, floor) for floor in floors)
        ]
        found[group, aim] = max(fit, key=lambda each, at=measure: each.mean(half, at), default=None)
    return found


def _beats(tried: Tried, best: Sequence[Tried], column: int, half: npt.NDArray[np.intp]) -> bool:
    return tried.mean(half, column) > best[column].mean(half, column)


def _reference(bench: SpanBench) -> list[Tried]:
    """Return the reference's six rows, made again here."""
    rows = []
    for chunker, size, overlap in REFERENCE:
        name = f"{chunker} {size}/{overlap}"
        if chunker == "recursive":
            made = reference_chunks(bench.documents, size, overlap, bench.embedder("head").token_offsets)
            rows.append(Tried(name, {}, bench.score_chunks(made, "head")))
        else:
            settings = {"chunker": chunker, "chunk_unit": "tokens", "chunk_size": size, "chunk_overlap": overlap}
            rows.append(Tried(name, settings, bench.score(settings | {"embed_mode": "head"})))
    return rows


def _try(bench: SpanBench, settings: Mapping[str, Any]) -> Tried:
    name = name_of(settings)
    print(f"  {name}", file=sys.stderr, flush=True)
    return Tried(name, settings, bench.score(settings))


def name_of(settings: Mapping[str, Any]) -> str:
    """Return a setting of the grid in words."""
    if not settings:
        return "default settings"
    size = str(settings["chunk_size"])
    if "parent_size" in settings:
        size = f"{size} in {settings['parent_size']}"
    steps = [settings["chunker"], size, settings["retriever"], settings.get("consolidate", "")]
    return " · ".join(step for step in steps if step)


def _means(tried: Tried, half: npt.NDArray[np.intp]) -> dict[str, Any]:
    return {"name": tried.name} | {name: tried.mean(half, column) for column, name in enumerate(MEASURES)}


def _compared(tried: Tried, best: Sequence[Tried], half: npt.NDArray[np.intp]) -> dict[str, Any]:
    differences = []
    for column, name in enumerate(_COMPARED):
        values = tried.scores[half, column] - best[column].scores[half, column]
        found = paired_difference([Term(values.tolist(), clusters(len(half)), low=-1.0)])
        differences.append(
            {"measure": name, "against": best[column].name, "there": best[column].mean(half, column)}
            | {"mean": found.mean, "ci_low": found.low, "ci_high": found.high, "verdict": found.verdict}
        )
    return _means(tried, half) | {"settings": dict(tried.settings), "differences": differences}


_ELSEWHERE = (
    "Not made again here: on the five corpora of the report its cluster semantic chunker (200) leads recursive 200/0 by"
    " 0.7 points of precision and IoU and 2.4 of omega, 0.5 behind it in recall; the highest recall published there is"
    " token 250/125's, 3.9 above recursive 250/0."
)


def table(figures: dict[str, Any]) -> str:
    """Return the figures as Markdown."""
    best = figures["best_of_reference"]
    lines = [
        f"{figures['tried']} settings were tried with `embed_mode=mean`: every chunker, sizes of"
        f" {', '.join(map(str, SIZES))} word pieces without overlap (`hierarchical`: children of half the size), every"
        f" retriever, and whole chunks or (from {SHORTENED[0]} on) `consolidate=extract`; five chunks. They were chosen"
        f" on every second question ({figures['choosing']}); what follows is the other {figures['reporting']}, which"
        " had no part in the choice, nor in the making of `extract`; the stems of `bm25` were once compared on all of"
        " them. Each measure is compared with the row of the reference that is best in it ("
        + ", ".join(f"{name}: {row}" for name, row in best.items())
        + "), made again here with the reference's counting: stricter than any one row. *Not below* means that best."
        " Per cent; in each cell ours, the difference in points (paired by question, 95 % interval) and the verdict.",
        "",
        _ELSEWHERE,
        "",
        f"On the choosing half {figures['above_in_all']} settings lie above the best of the reference in all four"
        " measures at once.",
        "",
        f"| among | chosen for | settings | {' | '.join(_COMPARED)} |",
        "|---|---|---|" + "---|" * len(_COMPARED),
    ]
    for pick in figures["picks"]:
        cells = _cells(pick) if "differences" in pick else "| none reaches it | | | | |"
        lines.append(f"| {pick['group']} | {pick['aim']} {cells}")
    lines.append(f"| | as shipped {_cells(figures['default'])}")
    for row in figures["reference"]:
        if row["name"] in best.values():
            values = " | ".join(f"*{100 * row[name]:.1f}*" for name in _COMPARED)
            lines.append(f"| | *the reference* | *{row['name']}* | {values} |")
    return "\n".join(lines)


def _cells(compared: Mapping[str, Any]) -> str:
    cells = [compared["name"]]
    for each in compared["differences"]:
        low, high = 100 * each["ci_low"], 100 * each["ci_high"]
        verdict = SAME if each["verdict"] == SAME else f"**{each['verdict']}**"
        value = 100 * compared[each["measure"]]
        cells.append(f"{value:.1f}; {100 * each['mean']:+.1f} ({low:+.1f} to {high:+.1f}) {verdict}")
    return f"| {' | '.join(cells)} |"
