"""Words of documents become words of people in the same form, and names stay."""

from __future__ import annotations

import pytest

from evaluation.question_writers.rules.parsing import in_sentence
from evaluation.question_writers.rules.synonyms import inflected
from rag_pipeline.english.trees import parse


@pytest.mark.parametrize(
    ("words", "tag", "expected"),
    [("buy", "VBD", "bought"), ("set up", "VBN", "set up"), ("hand in", "VBZ", "hands in"), ("house", "NNS", "houses")],
)
def test_a_word_is_inflected(words: str, tag: str, expected: str) -> None:
    assert inflected(words, tag) == expected


def test_a_sentence_is_said_in_other_words() -> None:
    (tree,) = parse(["The firm purchased numerous vessels."])
    assert in_sentence(list(tree)[:-1], reworded=True) == "the company bought many ships"


def test_names_are_kept() -> None:
    (tree,) = parse(["The Film Corporation met Peter Large."])
    assert in_sentence(list(tree)[:-1], reworded=True) == "the Film Corporation met Peter Large"
