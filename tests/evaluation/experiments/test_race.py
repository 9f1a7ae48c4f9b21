"""The race: when it is looked at, in which order pairs are asked, and who is let go."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evaluation.experiments.race import FIRST_LOOK, dropped, looks, mixed_order


def test_the_looks_come_later_and_later():
    assert looks(276) == [20, 30, 45, 68, 101, 152, 276]
    assert looks(60) == [20, 30, 45, 60]
    assert looks(20) == [20]
    assert looks(7) == [7]


@given(st.integers(1, 5000))
def test_looks_rise_to_the_end_and_none_is_before_the_first(pairs):
    found = looks(pairs)
    assert found == sorted(set(found))
    assert found[-1] == pairs
    assert all(each >= FIRST_LOOK for each in found[:-1])


@given(st.dictionaries(st.integers(0, 500), st.sampled_from("abcd"), min_size=1, max_size=120), st.integers(0, 9))
def test_every_beginning_is_as_mixed_as_the_whole(strata, seed):
    order = mixed_order(strata, seed)
    assert sorted(order) == sorted(strata)
    assert order == mixed_order(strata, seed)
    sizes = Counter(strata.values())
    for end in range(1, len(order) + 1):
        held = Counter(strata[pair] for pair in order[:end])
        for stratum, size in sizes.items():
            assert abs(held[stratum] - size * end / len(order)) < len(sizes)


def test_the_first_block_is_not_drawn_from_one_document():
    strata = {number: ("long.txt" if number < 90 else "short.txt") for number in range(100)}
    first = [strata[each] for each in mixed_order(strata)[:20]]
    assert 1 <= first.count("short.txt") <= 3


def changes_of(scores: np.ndarray):
    return lambda leader, other: (scores[:, other] - scores[:, leader]) / len(scores)


def test_who_is_clearly_behind_is_let_go_and_nobody_before_twenty_pairs():
    rng = np.random.default_rng(2)
    scores = rng.normal(0.6, 0.1, (20, 3)) - np.array([0, 0.01, 0.4])
    means = dict(enumerate(scores.mean(axis=0)))
    assert set(dropped(means, changes_of(scores), 6)) == {2}
    early = scores[:19]
    assert dropped(dict(enumerate(early.mean(axis=0))), changes_of(early), 6) == {}


def test_what_has_nothing_in_common_with_the_leader_stays():
    assert dropped({"a": 0.9, "b": 0.1}, lambda leader, other: None, 3) == {}


def run_race(scores: np.ndarray) -> tuple[list[int], float]:
    """Return who is left of a simulated race, and the share of calls saved. Columns are configurations."""
    pairs, alive = len(scores), list(range(scores.shape[1]))
    asked = dict.fromkeys(alive, 0)
    planned = looks(pairs)
    for end in planned:
        asked |= dict.fromkeys(alive, end)
        seen = scores[:end]
        out = dropped({key: float(seen[:, key].mean()) for key in alive}, changes_of(seen), len(planned))
        alive = [key for key in alive if key not in out]
    return alive, 1 - sum(asked.values()) / (pairs * len(asked))


def test_the_best_stays_and_calls_are_saved_where_the_spread_is_real():
    rng = np.random.default_rng(7)
    kept, saved = 0, []
    for _ in range(20):
        quality = np.sort(rng.uniform(0.3, 0.8, 8))[::-1]
        difficulty = rng.normal(0, 0.2, (120, 1))
        scores = np.clip(quality + difficulty + rng.normal(0, 0.2, (120, 8)), 0, 1)
        alive, share = run_race(scores)
        kept += any(quality[0] - quality[each] <= 0.02 for each in alive)
        saved.append(share)
    assert kept >= 19
    assert np.mean(saved) > 0.4
