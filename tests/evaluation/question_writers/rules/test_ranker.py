"""What the ranker sees of a question is worked out by hand; it likes what people ask more than what nobody would."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from evaluation.question_writers.rules import ranker as module
from evaluation.question_writers.rules.candidates import Candidate
from evaluation.question_writers.rules.corpus import CorpusText
from evaluation.question_writers.rules.objections import DANGLING, WEIGHED
from evaluation.question_writers.rules.question_likelihood import QuestionLikelihood
from evaluation.question_writers.rules.ranker import KINDS, Ranker, _best_of_each, _leaf, _learned, read_again
from evaluation.question_writers.rules.sentence_index import SentenceIndex
from evaluation.question_writers.rules.signs import signs
from rag_pipeline.local_models.language_model import LanguageModel
from rag_pipeline.types import SourceDoc
from tests.rag_pipeline.local_models.tiny_gguf import write_model

TEXTS = (
    "A trustee is a person who holds property for others.",
    "On that day, it found occasion to do several other things, and some did the same.",
    "A trustee signs.",
)
CORPUS = CorpusText([SourceDoc(1, "trustees", "\n\n".join(TEXTS))])


def candidate(rule: str, question: str, answer: str, text: str, topic: str) -> Candidate:
    """Return a question about one sentence of the corpus."""
    sentence = next(one for one in CORPUS.sentences[1] if one.text == text)
    return Candidate(rule, question, (), answer, topic, (sentence,))


GOOD = candidate("definition", "What is a trustee?", "a person who holds property for others", TEXTS[0], "a trustee")
POOR = candidate("what", "What did it find?", "occasion", TEXTS[1], "it")


def test_the_signs_of_a_question_are_counted() -> None:
    found = signs(GOOD, SentenceIndex(TEXTS))
    assert found["rule definition"] == 1.0
    assert (found["words"], found["content words"], found["names"]) == (4, 1, 0)
    assert found["answer words"] == pytest.approx(math.log(8))
    # of trustee, person, hold, property, others all are said but none is left; two sentences speak of a trustee
    assert found["neither asked nor answered"] == 0
    assert found["asked or answered"] == 1
    assert found["most known"] == found["least known"] == pytest.approx(math.log(3))
    assert found["answer of sentence"] == pytest.approx(7 / 10)


def test_pointing_words_commas_and_open_quotations_are_signs() -> None:
    found = signs(POOR, SentenceIndex(TEXTS))
    assert found["pointing"] == 1
    assert found["sentence commas"] == 2
    odd = replace(POOR, text='What does base32" do?')
    assert signs(odd, SentenceIndex(TEXTS))["open quotation"] == 1


def test_a_tree_is_followed_to_its_leaf() -> None:
    tree = ["words", 5.0, ["names", 0.0, -1.0, 0.5], 2.0]
    assert [_leaf(tree, found) for found in ({"words": 6.0}, {"words": 5.0}, {"words": 3.0, "names": 1.0})] == [
        2,
        -1,
        0.5,
    ]


def test_a_definition_that_stands_alone_is_worth_more_than_a_question_that_points() -> None:
    good, poor = Ranker(CORPUS).worth([GOOD, POOR])
    assert 0 < poor < good < 1


def test_what_was_learned_asks_only_for_signs_that_there_are() -> None:
    known = set(signs(GOOD, SentenceIndex(TEXTS)))

    def names(tree: object) -> set[str]:
        return {str(tree[0])} | names(tree[2]) | names(tree[3]) if isinstance(tree, list) else set()

    for learned in _learned().values():
        asked = set().union(*map(names, learned["trees"]))
        assert {name for name in asked if not name.startswith("rule ")} <= known | {f"doubt {each}" for each in WEIGHED}


def test_what_a_rule_doubts_is_a_sign_and_lowers_the_worth() -> None:
    doubted = replace(GOOD, doubt=DANGLING)
    assert signs(doubted, SentenceIndex(TEXTS))[f"doubt {DANGLING}"] == 1
    good, less = Ranker(CORPUS).worth([GOOD, doubted])
    assert less < good
    assert Ranker(CORPUS).worth([]) == []


def test_the_best_of_every_region_are_read_again_before_the_second_best() -> None:
    worth = np.array([0.9, 0.8, 0.7, 0.2, 0.01, 0.3])
    regions = [1, 1, 1, 2, 3, 2]
    assert _best_of_each(worth, regions, 4) == [0, 5, 1, 3]
    assert _best_of_each(worth, regions, 9) == [0, 5, 1, 3, 2]  # the fifth is not worth reading


def test_what_is_read_again_is_weighed_as_was_learned() -> None:
    logits, likely = np.array([[0.5, -1.0]]), np.array([[-2.0, -20.0, -0.5]])
    found = read_again(logits, likely)
    for number, kind in enumerate(KINDS):
        logit, mean, whole, end, start = _learned()[kind]["read again"]
        wanted = logit * logits[0, number] - 2 * mean - 20 * whole - 0.5 * end + start
        assert found[0, number] == pytest.approx(wanted)
    likelier = read_again(logits, likely / 2)
    assert (likelier > found).all()


def test_a_language_model_changes_the_worth_of_what_it_reads_alone(tmp_path: Path, monkeypatch) -> None:
    write_model(tmp_path / "tiny.gguf")
    model = QuestionLikelihood(LanguageModel(tmp_path / "tiny.gguf"))
    other = replace(GOOD, text="Who is a trustee?")
    before = Ranker(CORPUS).worth([GOOD, other, POOR], [0, 0, 1], most=1)
    monkeypatch.setattr(module, "question_likelihood", lambda: model)
    monkeypatch.setattr(module, "_WORTH_READING", 0.0)
    best = max(range(2), key=lambda place: before[place])
    after = Ranker(CORPUS).worth([GOOD, other, POOR], [0, 0, 1], most=1)
    assert after[best] != before[best]
    assert all(0 <= each <= 1 for each in after)
    assert [after[place] for place in range(3) if place != best] == [
        before[place] for place in range(3) if place != best
    ]
    assert Ranker(CORPUS).worth([GOOD, other, POOR], [0, 0, 1]) == before
