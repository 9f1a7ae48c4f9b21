"""Late chunking's arithmetic: windows that cover every token once at home, and which tokens a span has."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rag_pipeline.embedders.late import LateWindows, tokens_within


def test_windows_by_hand():
    windows = LateWindows(tokens=10, size=4, overlap=2)
    assert [windows.window(number) for number in range(len(windows))] == [(0, 4), (2, 6), (4, 8), (6, 10)]
    assert [windows.home(number) for number in range(len(windows))] == [(0, 3), (3, 5), (5, 7), (7, 10)]
    assert len(LateWindows(4, 4, 2)) == 1
    assert len(LateWindows(0, 4, 2)) == 0


@given(tokens=st.integers(0, 500), size=st.integers(1, 60), share=st.floats(0, 0.9))
def test_every_token_has_one_home_in_a_window_that_reads_it_with_text_on_both_sides(tokens, size, share):
    overlap = int(size * share)
    windows = LateWindows(tokens, size, overlap)
    homes = [windows.home(number) for number in range(len(windows))]
    assert [token for first, last in homes for token in range(first, last)] == list(range(tokens))
    for number, (first, last) in enumerate(homes):
        start, end = windows.window(number)
        assert 0 < end - start <= size
        assert start + (overlap // 2 if number else 0) <= first < last
        assert last <= end - (overlap - overlap // 2 if number + 1 < len(windows) else 0)


@given(
    widths=st.lists(st.tuples(st.integers(0, 3), st.integers(1, 5)), min_size=1, max_size=40),
    cuts=st.lists(st.tuples(st.integers(0, 150), st.integers(1, 60)), min_size=1, max_size=10),
)
def test_a_span_has_the_tokens_that_overlap_it(widths, cuts):
    offsets, at = [], 0
    for gap, width in widths:
        offsets.append((at + gap, at + gap + width))
        at += gap + width
    spans = [(start, start + length) for start, length in cuts]
    edges = tokens_within(np.asarray(offsets, np.int32), np.asarray(spans, np.int64))
    for (start, end), (first, last) in zip(spans, edges.tolist(), strict=True):
        inside = [number for number, (left, right) in enumerate(offsets) if left < end and right > start]
        if inside:
            assert list(range(first, last)) == inside
        else:  # between two tokens, or behind the last: the next one, or the last
            assert (first, last) == (min(sum(right <= start for _, right in offsets), len(offsets) - 1), first + 1)


def test_a_text_without_tokens_gives_none():
    assert tokens_within(np.zeros((0, 2), np.int32), np.asarray([(0, 3)])).tolist() == [[0, 0]]
