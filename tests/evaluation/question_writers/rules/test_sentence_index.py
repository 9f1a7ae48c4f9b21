"""How much evidence stands out among the sentences that share a question's words: worked out by hand."""

from __future__ import annotations

import math

import pytest

from evaluation.question_writers.rules.sentence_index import SentenceIndex

TEXTS = ["Radium was discovered in Paris.", "Radium glows.", "Paris has a river.", "Paris has a river."]


def test_a_repeat_counts_once_and_a_rare_word_tells_more() -> None:
    index = SentenceIndex(TEXTS)
    assert index.rarity("glow") == pytest.approx(math.log(1 + 3 / 2))
    assert index.rarity("radium") == pytest.approx(math.log(1 + 3 / 3))


def test_the_sentences_with_a_lemma_are_counted() -> None:
    assert [SentenceIndex(TEXTS).holding(lemma) for lemma in ("radium", "river", "gold")] == [2, 1, 0]


def test_the_evidence_stands_out_by_the_weight_of_shared_words() -> None:
    index = SentenceIndex(TEXTS)
    # radium and discover at home; radium alone in the second sentence
    expected = (math.log(2) + math.log(2.5)) / math.log(2)
    assert index.standing_out("Who discovered radium?", [TEXTS[0]]) == pytest.approx(expected)


def test_a_sentence_with_all_words_close_together_answers_too() -> None:
    index = SentenceIndex(["Marie Curie discovered radium.", "Marie Curie, as they say, discovered radium."])
    assert index.elsewhere("Who discovered radium?", ["Marie Curie discovered radium."]) == 1
    assert index.elsewhere("Who sold radium?", ["Marie Curie discovered radium."]) == 1
    assert SentenceIndex(["It glows."]).elsewhere("Who discovered radium?", ["It glows."]) == 0
