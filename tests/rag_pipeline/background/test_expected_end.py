"""When a count is expected to end: by its pace, without ups and downs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from rag_pipeline.models import expected_end

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)


def test_the_end_is_expected_by_the_pace_so_far():
    now = NOON + timedelta(seconds=12)
    assert expected_end(NOON, now, done=6, left=30, before=None) == now + timedelta(seconds=60)
    assert expected_end(NOON, now, done=6, left=0, before=None) == now


def test_the_time_left_rises_only_where_it_was_really_wrong():
    now = NOON + timedelta(seconds=10)  # 10 in 10 s, 100 to go: 100 s left
    for before, expected in ((120, 100), (100, 100), (99, 99), (82, 82), (81, 100), (0, 100), (-50, 100)):
        left = expected_end(NOON, now, done=10, left=100, before=now + timedelta(seconds=before)) - now
        assert left == timedelta(seconds=expected), before


@given(st.lists(st.floats(0.97, 1.03), min_size=2, max_size=30))
def test_an_even_pace_never_makes_the_time_left_rise(paces):
    now, ends, lefts = NOON, None, []
    for done, seconds in enumerate(paces, 1):
        now += timedelta(seconds=seconds)
        expected = expected_end(NOON, now, done=done, left=len(paces) - done, before=ends)
        lefts.append((ends - now, expected - now) if ends else None)
        ends = expected
    assert all(pair is None or pair[1] <= pair[0] for pair in lefts)
