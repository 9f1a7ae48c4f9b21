"""Search by words: what counts as a term, and BM25 by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_pipeline.indexing.word_index import K1, B, WordIndex, question_terms, search_terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Fit part AB-1234/x.", ["fit", "part", "ab-1234/x", "ab", "1234", "x"]),
        ("AB\u20111234/X", ["ab-1234/x", "ab", "1234", "x"]),  # a hyphen that does not break
        ("v2_1, 3.5 mm and 1\u20444 inch", ["v2-1", "v2", "1", "3.5", "3", "5", "mm", "and", "1/4", "1", "4", "inch"]),
        ("a well-known self\u00ad-test", ["a", "well", "known", "self", "test"]),
        ("The king\u2019s dogs don't bark", ["the", "king", "dog", "don", "t", "bark"]),
        ("STRASSE Straße ﬁt", ["strass", "strass", "fit"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("北京在 2024年", ["北京", "京在", "2024", "年"]),
        ("… !? -- ___", []),
        ("", []),
    ],
)
def test_terms(text, terms):
    assert search_terms(text) == terms


def test_a_question_leaves_empty_words_out_unless_it_has_no_others():
    assert question_terms("Where was the decree issued?") == ("decre", "issu")
    assert question_terms("What is it?") == ("what", "is", "it")


def test_bm25_by_hand():
    texts = ["red nut", "red red bolt here", "blue spring"]
    mean = 8 / 3

    def score(count: int, length: int, holding: int) -> float:
        idf = math.log(1 + (3 - holding + 0.5) / (holding + 0.5))
        return idf * count / (count + K1 * (1 - B + B * length / mean))

    rows, scores = WordIndex(texts).search(["red nut"], 5)[0]
    assert rows.tolist() == [0, 1]
    assert scores.tolist() == pytest.approx([score(1, 2, 2) + score(1, 2, 1), score(2, 4, 2)], rel=1e-5)


def test_no_shared_word_no_hit():
    index = WordIndex(["red nut", "", "blue spring"])
    assert [len(rows) for rows, _ in index.search(["green", "", "?!"], 5)] == [0, 0, 0]
    assert [len(rows) for texts in ([], ["", "!"]) for rows, _ in WordIndex(texts).search(["red"], 5)] == [0, 0]


def test_ties_go_to_the_earlier_text():
    index = WordIndex(["a red nut", "no colour", "a red nut", "a red nut"])
    assert index.search(["nut"], 2)[0][0].tolist() == [0, 2]


@settings(max_examples=30)
@given(st.lists(st.text(max_size=40), max_size=6), st.text(max_size=40))
def test_any_text_can_be_searched_and_is_found_by_its_own_words(texts, query):
    index = WordIndex(texts)
    for row, score in zip(*index.search([query], 100)[0], strict=True):
        assert score > 0
        assert set(search_terms(query)) & set(search_terms(texts[row]))
    for row, text in enumerate(texts):
        found = set(index.search([text], 100)[0][0].tolist())
        assert (row in found) == bool(search_terms(text))
