"""Tokens are those of SQuAD; words are counted in scripts with and without spaces."""

from __future__ import annotations

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_pipeline.english.tokens import count_words, squad_tokens


@pytest.mark.parametrize(
    "text, tokens",
    [
        ("The cat, a dog and AN owl.", ["cat", "dog", "and", "owl"]),
        ("Anthem for the theatre", ["anthem", "for", "theatre"]),
        ("state-of-the-art", ["stateoftheart"]),
        ("$1,000.50", ["100050"]),
        ("Él está — aquí", ["él", "está", "—", "aquí"]),
        ("A-1 an' the", ["a1"]),
        ("the a an", []),
        (" \n\t", []),
    ],
)
def test_tokens_are_those_of_squad(text, tokens):
    assert squad_tokens(text) == tokens


@given(st.lists(st.sampled_from([*map(chr, range(128)), *"é—“\x85 北", " the", "a ", "An"]), max_size=30).map("".join))
def test_tokens_are_those_of_the_official_script(text):
    bare = "".join(letter for letter in text.lower() if letter not in set(string.punctuation))
    assert squad_tokens(text) == re.sub(r"\b(a|an|the)\b", " ", bare).split()


@pytest.mark.parametrize(
    "text, words",
    [
        ("It was in July 1799.", 5),
        ("state-of-the-art", 1),
        ("  ", 0),
        ("東京タワー", 5),
        ("東京タワーは333mです。", 9),  # 東 京 タ ワ ー は, 333m, で す; the full stop is no word
        ("東京 Tower", 3),
        ("서울은 한국의 수도이다", 3),  # Korean has spaces
        ("กรุงเทพ", 6),  # ก ร ง เ ท พ: the vowel sign below does not count
        ("、", 1),
    ],
)
def test_words_are_counted_in_every_script(text, words):
    assert count_words(text) == words
