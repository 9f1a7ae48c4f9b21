"""How high the evidence ranks: hit rate and reciprocal rank of two embeddings on the same questions and chunks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from evaluation.statistics.intervals import Term, estimate
from evaluation.statistics.paired import BETTER, SAME, WORSE, paired_difference
from rag_pipeline.types import Span

HIT_RANKS = (1, 4)
DEPTH = 10
"""Ranks looked at: what is not among them counts as not found."""
DECIDES = f"mrr@{DEPTH}"
"""The figure whose verdict is that of the whole comparison: it alone sees every change of rank."""

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class RankedQuestion:
    """A question with its gold spans. A question and its twin share `pair_id`."""

    text: str
    pair_id: str
    evidence: tuple[Span, ...]


def gold_rows(chunks: Rows, evidence: Sequence[Span]) -> set[int]:
    """Return the chunks (rows of document id, start, end) that cover at least half of one of the evidence spans."""
    found: set[int] = set()
    for span in evidence:
        found.update(np.flatnonzero(2 * covered(chunks, span) >= max(1, len(span))).tolist())
    return found


def covered(chunks: Rows, span: Span) -> Rows:
    """Return how many characters of `span` each chunk holds."""
    shared = np.minimum(chunks[:, 2], span.end) - np.maximum(chunks[:, 1], span.start)
    return np.where(chunks[:, 0] == span.document_id, np.maximum(shared, 0), 0)


def first_gold(found: Rows, gold: Sequence[set[int]]) -> list[int]:
    """Return the rank of the first gold chunk for each question, from 1; 0 where none is found.

    `found`: chunk rows best first, shape (questions, ranks).
    """
    ranks = []
    for rows, wanted in zip(found.tolist(), gold, strict=True):
        ranks.append(next((rank for rank, row in enumerate(rows[:DEPTH], 1) if row in wanted), 0))
    return ranks


def values_of(ranks: Sequence[int]) -> dict[str, list[float]]:
    """Return each question's value by figure: hit rate@k, and the reciprocal of the rank within the depth."""
    values = {f"hit_rate@{k}": [float(0 < rank <= k) for rank in ranks] for k in HIT_RANKS}
    return values | {f"mrr@{DEPTH}": [1 / rank if rank else 0.0 for rank in ranks]}


def compare_ranks(before: Sequence[int], after: Sequence[int], pairs: Sequence[str]) -> dict[str, Any]:
    """Return each figure's `before` and `after` with 95 % intervals, and their paired `difference` with its verdict.

    `pairs`: the pair of each question; twins count as one.
    """
    clusters = [("answerable", pair) for pair in pairs]
    old, new = values_of(before), values_of(after)
    compared: dict[str, Any] = {}
    for name in old:
        changes = [b - a for a, b in zip(old[name], new[name], strict=True)]
        compared[name] = {
            "before": asdict(estimate([Term(old[name], clusters)])),
            "after": asdict(estimate([Term(new[name], clusters)])),
            "difference": asdict(paired_difference([Term(changes, clusters, low=-1.0)])),
        }
    return compared


def advice(compared: dict[str, Any], pairs: int) -> tuple[str, str]:
    """Return the verdict on the tuned model and a sentence that says what to do about it."""
    verdict = str(compared[DECIDES]["difference"]["verdict"])
    change = f"{compared[DECIDES]['difference']['mean']:+.3f}"
    sentences = {
        BETTER: f"Tuning helped: MRR@{DEPTH} on holdout changed by {change}, and the interval leaves 0 out.",
        WORSE: f"Tuning made it worse: MRR@{DEPTH} on holdout changed by {change}. Keep the untuned model.",
        SAME: (
            f"Not distinguishable from the untuned model: with {pairs} pair{'' if pairs == 1 else 's'} in holdout, the "
            f"change of MRR@{DEPTH} by {change} may be chance. Keep the untuned model; more pairs would tell more."
        ),
    }
    return verdict, sentences[verdict]
