"""The simulation of intervals: it tells an interval that holds the truth from one that does not."""

from __future__ import annotations

import numpy as np

from tests.bench import bench_coverage


def test_intervals_over_spread_out_scores_hold_the_truth(monkeypatch):
    monkeypatch.setattr(bench_coverage, "SIZES", (20,))
    rng = np.random.default_rng(4)
    answered = {name: np.clip(rng.normal(0.6, 0.25, (30, 4)), 0, 1) for name in ("one", "two")}
    figures = bench_coverage.coverage([answered], rng, 15)
    assert figures["populations"]["means"] == 8
    assert all(0.88 <= held["20"] <= 1 for held in figures["held"].values())
    assert figures["false"]["20"]["together"] <= 0.12
    assert "| means with twins | 12 | " in bench_coverage.table(figures)


def test_an_interval_that_is_too_narrow_is_seen(monkeypatch):
    monkeypatch.setattr(bench_coverage, "SIZES", (20,))
    monkeypatch.setattr(bench_coverage, "_mean_holds", lambda population, size, rng: bool(rng.random() < 0.8))
    rng = np.random.default_rng(4)
    figures = bench_coverage.coverage([{"one": rng.random((30, 4))}], rng, 60)
    assert figures["held"]["means"]["20"] < 0.93
