"""What is computed together: rows of one padded length, no more than stay in a core's cache."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rag_pipeline.embedders.streams import MULTIPLE, batches_of, padded


@given(st.lists(st.integers(0, 300).map(range), max_size=80))
def test_every_row_is_in_one_batch_and_nobody_is_padded_for_another(rows):
    batches = list(batches_of(rows))
    assert sorted(place for batch in batches for place in batch) == list(range(len(rows)))
    shapes = [padded([rows[place] for place in batch])[0].shape for batch in batches]
    assert all(count == 1 or count * length <= 512 for count, length in shapes)
    lengths = [length for _, length in shapes]
    assert lengths == sorted(lengths, reverse=True)
    for batch, length in zip(batches, lengths, strict=True):
        assert all(0 <= length - len(rows[place]) < MULTIPLE for place in batch)


def test_nothing_is_no_batch():
    assert list(batches_of([])) == []
