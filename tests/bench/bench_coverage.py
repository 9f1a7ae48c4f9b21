"""How often 95 % intervals hold the truth, and equal runs are called different, on scores of real answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.statistics.intervals import Floats, Term, estimate
from evaluation.statistics.paired import SAME, Difference, holm, paired_difference
from rag_pipeline.embedders.base import Embed, embedders
from tests.bench.bench_validity import score_by
from tests.bench.judged_rows import Judged, clapnq, clapnq_further, instruct_qa

ORDER = 56
SIZES = (20, 50, 100, 300)
_DRAWS = 60
"""Samples drawn from each population at each size: with some 40 populations a share is known to about 0.004."""
_METRICS = ("token_recall", "token_f1", "semantic_similarity", "correctness_offline", "brevity", "k_precision")
_SYSTEMS = 4
_FEWEST_QUESTIONS = 20

Table = dict[str, Floats]
"""By metric: what each system (column) reached on each question (row)."""


def run(data_dir: Path) -> dict[str, Any]:
    """Draw questions from those judged, with replacement: the whole is the population, its mean the truth."""
    embed = embedders.get("local")("all-MiniLM-L6-v2", "mean").embed_passages
    tables = [_table(rows, embed) for rows in (instruct_qa(data_dir), [*clapnq(data_dir), *clapnq_further()])]
    return coverage(tables, np.random.default_rng(0), _DRAWS)


def coverage(tables: Sequence[Table], rng: np.random.Generator, draws: int) -> dict[str, Any]:
    """Return, by number of questions, the share of intervals that hold the truth and of false differences."""
    means = [column for table in tables for values in table.values() for column in values.T[:, :, None]]
    pairs = [each for table in tables for values in table.values() for each in _pairs(values)]
    changes = [pair[:, :1] - pair[:, 1:] for pair in pairs if np.ptp(pair[:, 0] - pair[:, 1]) > 0]
    twins = [np.stack([one[:, 0], np.roll(one[:, 0], 1)], axis=1) for one in changes]
    kinds = {
        "means": (means, _mean_holds),
        "means with twins": (pairs, _mean_holds),
        "paired differences": (changes, _difference_holds),
        "paired differences, pairs of two": (twins, _difference_holds),
    }
    held = {
        name: {str(size): _share(holds(each, size, rng) for each in found for _ in range(draws)) for size in SIZES}
        for name, (found, holds) in kinds.items()
    }
    families = [[values[:, list(two)] for values in table.values()] for table in tables for two in _SYSTEM_PAIRS]
    false = {str(size): _false(families, size, rng, draws) for size in SIZES}
    return {"populations": {name: len(found) for name, (found, _) in kinds.items()}, "held": held, "false": false}


_SYSTEM_PAIRS = list(combinations(range(_SYSTEMS), 2))


def _table(rows: Sequence[Judged], embed: Embed) -> Table:
    """Return the scores by metric of the questions that have an answer by each of the systems."""
    places: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        places.setdefault(row.cluster, []).append(place)
    whole = [each for each in places.values() if len(each) == _SYSTEMS]
    samples = [row.sample for row in rows]
    found = {}
    for name in _METRICS:
        values = np.array([np.nan if value is None else value for value in score_by(samples, name, embed)])
        table = values[np.array(whole)]
        found[name] = table[~np.isnan(table).any(axis=1)]
    return {name: values for name, values in found.items() if len(values) >= _FEWEST_QUESTIONS}


def _pairs(values: Floats) -> list[Floats]:
    return [values[:, list(two)] for two in _SYSTEM_PAIRS]


def _term(rows: Floats, low: float = 0.0) -> Term:
    """Return the rows of a sample, each row of the array a cluster."""
    clusters = [("", str(number)) for number in range(len(rows)) for _ in range(rows.shape[1])]
    return Term(rows.ravel().tolist(), clusters, low=low)


def _drawn(population: Floats, size: int, rng: np.random.Generator) -> Floats:
    return population[rng.integers(0, len(population), size)]


def _mean_holds(population: Floats, size: int, rng: np.random.Generator) -> bool:
    found = estimate([_term(_drawn(population, size, rng))])
    return bool(found.low <= population.mean() <= found.high)


def _difference_holds(population: Floats, size: int, rng: np.random.Generator) -> bool:
    found = paired_difference([_term(_drawn(population, size, rng), low=-1.0)])
    return bool(found.low <= population.mean() <= found.high)


def _share(held: Iterable[bool]) -> float:
    return float(np.mean(list(held)))


def _false(families: Sequence[Sequence[Floats]], size: int, rng: np.random.Generator, draws: int) -> dict[str, float]:
    """Return how often two equal runs are called different: which of the two answered is drawn by question.

    By one metric alone, and by any of the family's after Holm's correction, as Compare says below its table.
    """
    alone: list[bool] = []
    together: list[bool] = []
    for family in families:
        questions = min(len(values) for values in family)
        for _ in range(draws):
            chosen, turned = rng.integers(0, questions, size), rng.integers(0, 2, size) * 2 - 1
            found = [_compared(values[chosen, 0] - values[chosen, 1], turned) for values in family]
            alone += [each.verdict != SAME for each in found]
            together.append(min(holm([each.p for each in found])) < 0.05)
    return {"alone": float(np.mean(alone)), "together": float(np.mean(together))}


def _compared(changes: Floats, turned: Floats) -> Difference:
    return paired_difference([_term((changes * turned)[:, None], low=-1.0)])


def table(figures: dict[str, Any]) -> str:
    """Return the figures as Markdown."""
    populations = figures["populations"]
    lines = [
        "Scores of four systems' answers to the questions of instruct-qa and ClapNQ by "
        f"{len(_METRICS)} metrics. Questions are drawn with replacement, so that the truth is known: the mean of "
        "all. Share of 95 % intervals that hold it; asked for: 0.93 to 0.97.",
        "",
        f"| intervals | populations | {' | '.join(f'{size} questions' for size in SIZES)} |",
        "|---" * (2 + len(SIZES)) + "|",
    ]
    lines += [
        f"| {name} | {populations[name]} | {_cells(shares.values())} |" for name, shares in figures["held"].items()
    ]
    false = figures["false"]
    lines += [
        "",
        "Equal runs called different (which of two systems answered is drawn for each question); asked for: at most "
        "0.05.",
        "",
        f"| verdict | {' | '.join(f'{size} questions' for size in SIZES)} |",
        "|---" * (1 + len(SIZES)) + "|",
        f"| one metric, by itself | {_cells(each['alone'] for each in false.values())} |",
        f"| any of {len(_METRICS)}, corrected by Holm | {_cells(each['together'] for each in false.values())} |",
    ]
    return "\n".join(lines)


def _cells(shares: Iterable[float]) -> str:
    show: Callable[[float], str] = "{:.3f}".format
    return " | ".join(map(show, shares))
