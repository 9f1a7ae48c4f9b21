"""The network of questions: texts in their places, parts averaged, a right answer told from a wrong one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from evaluation.question_writers.rules.candidates import Candidate
from evaluation.question_writers.rules.document_sentences import DocumentSentence
from evaluation.question_writers.rules.question_network import network_weights, pooled, question_network
from rag_pipeline.embedders.local import shipped_weights
from rag_pipeline.extractive_qa.span_reader import pair_encoder
from rag_pipeline.types import Span

FOLDER = shipped_weights()
TEXT = "A trustee is a person who holds property for others."
WHAT = Candidate(
    "definition", "What is a trustee?", (), "a person who holds property for others",
    "a trustee", (DocumentSentence(Span(1, 0, len(TEXT)), TEXT, ""),),
)  # fmt: skip


def test_texts_stand_one_behind_the_other_and_the_last_one_is_the_passage() -> None:
    assert FOLDER is not None
    window = pair_encoder(FOLDER).joined([[7, 8], [9], [5, 6]])
    assert (window.ids, window.first) == ([101, 7, 8, 102, 9, 102, 5, 6, 102], 6)


def test_the_first_piece_and_the_mean_of_each_part_are_added_up() -> None:
    # pieces: [CLS] q q [SEP] a [SEP] s [SEP]; columns: first piece, question, answer, sentence, two outputs each
    values = np.zeros((8, 8))
    values[0, :2] = 1, 2
    values[1:3, 2:4] = [[1, 0], [3, 0]]
    values[4, 4:6] = 10, 20
    values[6, 6:8] = 100, 200
    values[3] = values[5] = values[7] = 1e6  # separators are no part
    assert pooled(values, [2, 1, 1]).tolist() == [1 + 2 + 10 + 100, 2 + 0 + 20 + 200]
    assert pooled(np.ones((4, 8)), [0, 0, 0]).tolist() == [1, 1]


def test_four_layers_and_the_head_are_read() -> None:
    assert FOLDER is not None
    weights = network_weights(FOLDER)
    layers = {name.split(".")[2] for name in weights if name.startswith("encoder.")}
    assert layers == {"0", "1", "2", "3"}
    assert weights["head.weight"].shape == (8, 384)  # two outputs for the first piece and for each of three parts
    assert not [name for name in weights if name.startswith("pooler")]


def test_a_broken_question_is_less_acceptable_and_a_wrong_answer_too() -> None:
    broken = replace(WHAT, text="What does trustee is person?")
    wrong = replace(WHAT, answer="who holds")
    found = question_network().logits([WHAT, broken, wrong])
    assert found.shape == (3, 2)
    assert found[0, 0] > found[1, 0]
    assert found[0, 0] > found[2, 0]
    assert question_network().logits([]).shape == (0, 2)


def test_a_question_is_given_the_same_beside_others_as_alone() -> None:
    others = [replace(WHAT, text="Who holds property for others in the county of Kent?"), WHAT]
    assert question_network().logits(others)[1] == pytest.approx(question_network().logits([WHAT])[0], abs=0.05)
