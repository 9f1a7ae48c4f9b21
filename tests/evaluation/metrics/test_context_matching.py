"""How much of the evidence the model was shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.base import metrics
from evaluation.quotes import repeats_of, repeats_within
from rag_pipeline.types import Span
from tests.evaluation.samples import make_context, make_sample

TEXT = "0123456789 abc def ghi   jkl"
#       0          11  15  19    25


def matching(evidence, contexts, text=TEXT, equivalents=(), use_context=True):
    sample = make_sample(document=text, evidence=evidence, contexts=contexts, equivalents=equivalents)
    (score,) = metrics.get("context_matching")().score_many([sample], make_context(use_context=use_context))
    return score


@pytest.mark.parametrize(
    "evidence, contexts, value",
    [
        ([(0, 10)], [(1, 0, 28)], 1),
        ([(0, 10)], [(1, 0, 5)], 1 / 2),
        ([(0, 10)], [(1, 0, 5), (1, 3, 8)], 8 / 10),  # overlapping chunks count once
        ([(0, 10)], [(2, 0, 28)], 0),  # another document
        ([(0, 10)], [(1, 10, 28)], 0),
        ([(0, 10)], [], 0),  # an empty retrieval is 0, not empty
        ([(11, 28)], [(1, 11, 22)], 9 / 12),  # abc def ghi of abc def ghi jkl, white space not counted
        ([(11, 18)], [(1, 14, 15)], 0),  # only the space between
        ([(0, 6), (4, 10)], [(1, 4, 6)], 2 / 10),  # the union: what lies in two spans counts once
        ([(0, 5), (11, 14)], [(1, 0, 5)], 5 / 8),
    ],
)
def test_share_of_the_evidence_that_the_contexts_cover(evidence, contexts, value):
    assert matching(evidence, contexts).value == pytest.approx(value)


def test_it_says_the_numbers():
    assert matching([(0, 10)], [(1, 0, 5)]).reason == "5 of 10 characters of the evidence are in the contexts"


@pytest.mark.parametrize(
    "contexts, value",
    [
        ([(2, 100, 110)], 1),  # the whole repeat elsewhere
        ([(2, 100, 104)], 4 / 10),
        ([(2, 100, 104), (1, 4, 10)], 1),  # the first part there, the rest here
        ([(2, 100, 104), (1, 0, 4)], 4 / 10),  # the same part twice
        ([(3, 0, 5)], 1 / 2),
    ],
)
def test_a_verbatim_repeat_elsewhere_is_as_good(contexts, value):
    assert matching([(0, 10)], contexts, equivalents=[[(2, 100, 110), (3, 0, 10)]]).value == pytest.approx(value)


@pytest.mark.parametrize(
    "evidence, text, use_context, reason",
    [
        ([], TEXT, True, "the question has no evidence"),
        ([(0, 3)], " \n ", True, "the evidence is only white space"),
        ([(0, 3)], TEXT, False, "the run answered without context"),
    ],
)
def test_what_cannot_be_matched_is_empty(evidence, text, use_context, reason):
    score = matching(evidence, [(1, 0, 5)], text, use_context=use_context)
    assert (score.value, score.reason) == (None, reason)


def test_repeats_are_found_where_a_chunk_reaches_them():
    text = "tea is hot. ice is cold. tea is hot. tea is hot."
    evidence = Span(1, 0, 11)
    assert repeats_within(evidence, "tea is hot.", [Span(1, 30, 31)], {1: text}) == (Span(1, 25, 36),)
    assert repeats_within(evidence, "tea is hot.", [Span(1, 36, 37)], {1: text}) == ()
    assert repeats_within(evidence, "tea is hot.", [Span(1, 20, 48)], {1: text}) == (Span(1, 25, 36), Span(1, 37, 48))
    assert repeats_within(evidence, "tea is hot.", [Span(2, 0, 9)], {1: text}) == ()
    assert repeats_of([Span(1, 0, 2)], ["aa"], [Span(1, 0, 4)], {1: "aaaa"}) == ((Span(1, 1, 3), Span(1, 2, 4)),)


texts = st.text(alphabet="ab ", min_size=1, max_size=40)


@given(texts, st.data())
def test_searching_near_the_chunks_scores_like_searching_everywhere(text, data):
    def spans():
        start = data.draw(st.integers(0, len(text) - 1))
        return start, data.draw(st.integers(start + 1, len(text)))

    evidence, chunks = spans(), [spans() for _ in range(2)]
    wanted = text[slice(*evidence)]
    areas = [Span(1, *chunk) for chunk in chunks]
    near = repeats_of([Span(1, *evidence)], [wanted], areas, {1: text})
    everywhere = repeats_of([Span(1, *evidence)], [wanted], [Span(1, 0, len(text))], {1: text})
    scores = [
        matching([evidence], [(1, *chunk) for chunk in chunks], text, [[(1, s.start, s.end) for s in found[0]]])
        for found in (near, everywhere)
    ]
    assert scores[0] == scores[1]
    assert scores[0].value is None or 0 <= scores[0].value <= 1
