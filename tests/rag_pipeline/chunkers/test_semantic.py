"""The semantic chunker: cuts where neighbouring groups of sentences are least alike, within the sizes."""

from __future__ import annotations

import numpy as np
import pytest

from rag_pipeline.chunkers.base import chunkers
from rag_pipeline.chunkers.semantic import peaks
from rag_pipeline.types import SourceDoc
from tests.fake_embedder import embed_words

BREAD = "Bread is baked from dough. Dough is flour and water. Flour is ground wheat. Wheat dough makes bread."
ROCKS = "Granite is a rock. A rock of lava is basalt. Basalt cools from lava. Lava and granite are old rock."
BIRDS = "The robin sings. A robin eats worms. Worms feed the robin chicks. Chicks sing as the robin sings."


def chunker(**options):
    unit = chunkers.get("semantic")
    return unit(unit.Options(**options), embed=embed_words)


def chunks_of(text, **options):
    return [text[span.start : span.end] for span in chunker(**options).split(SourceDoc(1, "doc", text))]


def test_it_cuts_where_the_topic_changes():
    text = f"{BREAD} {ROCKS} {BIRDS}"
    assert chunks_of(text, chunk_size=400, semantic_percentile=80) == [BREAD, ROCKS, BIRDS]


def test_a_higher_percentile_cuts_less():
    text = f"{BREAD} {ROCKS} {BIRDS}"
    assert len(chunks_of(text, chunk_size=400, semantic_percentile=95)) == 2
    assert len(chunks_of(text, chunk_size=400, semantic_percentile=0)) >= 3


def test_what_is_too_long_is_cut_at_its_greatest_distance():
    text = f"{BREAD} {ROCKS}"
    assert chunks_of(text, chunk_size=120, semantic_percentile=100) == [BREAD, ROCKS]
    assert all(len(chunk) <= 60 for chunk in chunks_of(text, chunk_size=60))


def test_a_small_part_joins_its_nearer_neighbour():
    text = f"{BREAD} Yes. {ROCKS} {BIRDS}"
    assert all(len(chunk) >= 40 for chunk in chunks_of(text, chunk_size=200, semantic_percentile=0))


def test_peaks_are_local_maxima_at_or_above_the_percentile():
    distances = np.array([0.1, 0.9, 0.8, 0.1, 0.5, 0.5, 0.2, 0.3])
    assert peaks(distances, 0).tolist() == [1, 4, 7]
    assert peaks(distances, 50).tolist() == [1, 4]  # the median is 0.4
    assert peaks(distances, 100).tolist() == [1]
    assert peaks(np.zeros(0), 95).tolist() == []


def test_the_groups_that_must_be_embedded_are_known_beforehand():
    text = f"{BREAD} {ROCKS}"
    asked = []

    def embed(texts):
        asked.extend(texts)
        return embed_words(texts)

    unit = chunkers.get("semantic")
    made = unit(unit.Options(), embed=embed)
    expected = made.texts_to_embed(SourceDoc(1, "doc", text))
    made.split(SourceDoc(1, "doc", text))
    assert sorted(asked) == sorted(expected)
    # Eight sentences: six groups of three, and at the ends groups of one and two on each side.
    assert len(expected) == 10


@pytest.mark.parametrize("text", ["", "   \n", "One sentence only."])
def test_what_has_no_gap_needs_no_embedding(text):
    unit = chunkers.get("semantic")
    made = unit(unit.Options())
    assert len(made.split(SourceDoc(1, "doc", text))) == bool(text.strip())
    assert made.texts_to_embed(SourceDoc(1, "doc", text)) == []
