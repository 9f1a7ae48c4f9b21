"""What lexical metrics share says the same as plain multisets do."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.overlap import share, shared, tokens_in, tokens_of, untellable
from rag_pipeline.english.tokens import UNSPACED_CHARACTER, squad_tokens

texts = st.lists(st.sampled_from(["a", "stele", "of", "stone", "1799", "石碑", "石", "Stone!", "."])).map(" ".join)


def has_runs(tokens):
    return any(UNSPACED_CHARACTER.search(token) for token in tokens)


@given(texts, texts)
def test_what_two_texts_share_is_their_common_multiset(one, other):
    left, right = Counter(squad_tokens(one)), Counter(squad_tokens(other))
    common = (left & right).total()
    assert shared(tokens_of([one]), tokens_of([other])) == common
    assert share(tokens_of([one]), tokens_of([other])) == (common / right.total() if right else 0.0)


@given(texts, texts)
def test_words_cannot_be_told_where_both_have_runs_and_share_none(one, other):
    left, right = Counter(squad_tokens(one)), Counter(squad_tokens(other))
    expected = has_runs(left - right) and has_runs(right - left) and not has_runs(left & right)
    assert untellable(tokens_of([one]), tokens_of([other])) == expected


@given(st.lists(texts, max_size=4))
def test_the_tokens_of_several_texts_are_those_of_each(several):
    assert tokens_of(several) == sum((Counter(squad_tokens(text)) for text in several), Counter())
    assert [tokens_in(text) for text in several] == [tuple(squad_tokens(text)) for text in several]


def test_a_long_text_has_its_tokens_too():
    text = "The stone of stone " * 200
    assert tokens_of([text]) == Counter({"stone": 400, "of": 200})
    assert len(tokens_in(text)) == 600
