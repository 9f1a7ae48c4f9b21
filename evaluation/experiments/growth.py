"""What more documents do to retrieval: parts of a corpus with all evidence kept, and a line through their scores."""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import islice

import numpy as np

from evaluation.statistics.intervals import SMALLEST_SAMPLE, Cluster, Estimate, Floats, Term, estimate
from evaluation.statistics.paired import Difference, paired_difference
from rag_pipeline.types import Hit, Span

SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)
"""How much of the chunks without evidence the parts have."""
SEEDS = 5
TIMES = 10
"""How many times the chunks the line is drawn on to."""
FEWEST_PARTS = 4
FEWEST_TIMES = 4
"""The whole must be so many times the smallest part: over less, any curve is a line."""
_EVIDENCE = -1
_NOTHING = 1e-9


@dataclass(frozen=True, slots=True)
class CorpusPart:
    """A part of a corpus: the share of its chunks without evidence, how many these are, and all its chunks."""

    share: float
    others: int
    chunks: int


def parts_of(chunks: int, evidence: int) -> list[CorpusPart]:
    """Return the parts of a corpus, smallest first, each size once. `evidence` of the `chunks` are in every part."""
    others = chunks - evidence
    shares = {round(share * others): share for share in SHARES}
    return [CorpusPart(share, count, evidence + count) for count, share in shares.items()]


def holding(chunks: Collection[Span], evidence: Iterable[Span]) -> set[Span]:
    """Return the chunks that share a character with any of the evidence."""
    by_document: dict[int, list[Span]] = {}
    for span in set(evidence):
        by_document.setdefault(span.document_id, []).append(span)
    return {
        chunk
        for chunk in chunks
        if any(chunk.start < span.end and span.start < chunk.end for span in by_document.get(chunk.document_id, ()))
    }


def order_of_arrival(chunks: Collection[Span], evidence: AbstractSet[Span], seed: int) -> dict[Span, int]:
    """Return the place at which each chunk joins: those with evidence before all, the others from 0 on, by lot.

    A part with n others holds the places below n, so that each part lies within every larger one.
    """
    others = sorted(set(chunks) - evidence)
    random.Random(seed).shuffle(others)
    return dict.fromkeys(evidence, _EVIDENCE) | {chunk: place for place, chunk in enumerate(others)}


def first_within(hits: Iterable[Hit], arrival: Mapping[Span, int], part: CorpusPart, count: int) -> list[Hit]:
    """Return the first `count` hits of a ranking of all chunks that lie in a part, ranked anew."""
    inside = (hit for hit in hits if arrival[hit.span] < part.others)
    return [Hit(hit.span, hit.score, rank) for rank, hit in enumerate(islice(inside, count), 1)]


@dataclass(frozen=True, slots=True)
class Point:
    """A score over one part, with its interval, and its paired difference to the whole; None for the whole itself."""

    score: Estimate
    difference: Difference | None


@dataclass(frozen=True, slots=True)
class Forecast:
    """The score expected with so many chunks; `score` None carries a `reason`.

    The interval says how far other questions of this kind could move it, as long as the line goes on.
    """

    chunks: int
    score: Estimate | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Growth:
    """One score from 0 to 1 over the parts, smallest first, and what it comes to with `TIMES` the chunks."""

    points: tuple[Point, ...]
    forecast: Forecast


def growth(parts: Sequence[CorpusPart], values: Floats, clusters: Sequence[Cluster]) -> Growth:
    """Return a score over growing parts. `values[i, j]`: of question i over part j; the last part is the whole."""
    whole = values[:, -1]
    points = [Point(_mean(column, clusters), _change(column - whole, clusters)) for column in values.T[:-1]]
    points.append(Point(_mean(whole, clusters), None))
    return Growth(tuple(points), _forecast(parts, values, clusters, points))


def slopes(sizes: Sequence[int], values: Floats) -> Floats:
    """Return how much each question's score changes when the chunks become e times as many.

    Least squares on the logarithm of the number of chunks, for lines through the score of the whole:
    b = Σ x (y − y of the whole) / Σ x², x = ln(size / whole).
    """
    x = np.log(np.asarray(sizes, np.float64) / sizes[-1])
    found: Floats = (values - values[:, -1:]) @ x / (x @ x)
    return found


def _forecast(
    parts: Sequence[CorpusPart], values: Floats, clusters: Sequence[Cluster], points: Sequence[Point]
) -> Forecast:
    sizes = [part.chunks for part in parts]
    asked = TIMES * sizes[-1]
    if reason := _too_little(sizes, values, clusters):
        return Forecast(asked, reason=reason)
    slope = slopes(sizes, values)
    if reason := _bent(sizes, points, float(slope.mean())):
        return Forecast(asked, reason=reason)
    reached = values[:, -1] + slope * math.log(TIMES)
    found = estimate([Term(reached.tolist(), clusters, low=-math.inf, high=math.inf)])
    if not 0 <= found.mean <= 1:
        return Forecast(asked, reason="The line leaves the scale from 0 to 1 before that, so it must bend somewhere.")
    return Forecast(asked, Estimate(found.mean, max(0.0, found.low), min(1.0, found.high), found.method))


def _too_little(sizes: Sequence[int], values: Floats, clusters: Sequence[Cluster]) -> str:
    """Return why the parts show no line, or an empty text."""
    if len(sizes) < FEWEST_PARTS or sizes[-1] < FEWEST_TIMES * sizes[0]:
        return (
            f"Between {sizes[0]:,} and {sizes[-1]:,} chunks there is too little growth to see a line: {FEWEST_PARTS} "
            f"parts and {FEWEST_TIMES} times the chunks are needed. Add documents that hold no evidence."
        )
    if len(set(clusters)) < SMALLEST_SAMPLE:
        return f"There are only {len(set(clusters))} pairs; {SMALLEST_SAMPLE} are needed for an interval."
    if float(np.ptp(values, axis=1).max()) < _NOTHING:
        return "The score of each question is the same over every part, so nothing tells when it begins to fall."
    return ""


def _bent(sizes: Sequence[int], points: Sequence[Point], slope: float) -> str:
    """Return at which size the line lies outside the paired interval of the difference to the whole, or nothing."""
    for size, point in zip(sizes, points, strict=True):
        change, line = point.difference, slope * math.log(size / sizes[-1])
        if change is not None and not change.low <= line <= change.high:
            return (
                "The score follows no line over the logarithm of the number of chunks: "
                f"with {size:,} it lies {abs(change.mean - line):.3f} off, outside its interval."
            )
    return ""


def _mean(values: Floats, clusters: Sequence[Cluster]) -> Estimate:
    return estimate([Term(values.tolist(), clusters)])


def _change(changes: Floats, clusters: Sequence[Cluster]) -> Difference:
    return paired_difference([Term(changes.tolist(), clusters, low=-1.0, high=1.0)])
