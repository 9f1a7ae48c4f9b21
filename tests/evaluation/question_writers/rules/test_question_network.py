"""The network of questions: texts in their places, parts averaged, a right answer told from a wrong one."""

from __future__ import annotations

import numpy as np
import pytest
from safetensors import safe_open

from evaluation.question_writers.rules.question_network import (
    QuestionNetwork,
    QuestionTexts,
    network_weights,
    pooled,
    question_network,
)
from rag_pipeline.embedders.local import shipped_weights
from rag_pipeline.extractive_qa.span_reader import pair_encoder

FOLDER = shipped_weights()
WHAT = QuestionTexts(
    "What is a trustee?", "a person who holds property for others",
    "A trustee is a person who holds property for others.", " Banks may be trustees, too.",
)  # fmt: skip


def test_texts_stand_one_behind_the_other_and_the_passage_begins_where_it_is_said_to() -> None:
    assert FOLDER is not None
    window = pair_encoder(FOLDER).joined([[7, 8], [9], [5, 6], [4]], 2)
    assert (window.ids, window.first) == ([101, 7, 8, 102, 9, 102, 5, 6, 102, 4, 102], 6)


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


def test_all_layers_are_read_of_which_three_were_changed() -> None:
    assert FOLDER is not None
    weights = network_weights(FOLDER)
    layers = {name.split(".")[2] for name in weights if name.startswith("encoder.")}
    assert layers == set("012345")
    assert weights["head.weight"].shape == (10, 384)  # two outputs for the first piece and for each of four parts
    assert not [name for name in weights if name.startswith("pooler") or name.endswith((".left", ".right"))]
    with safe_open(FOLDER / "model.safetensors", framework="numpy") as file:
        for layer, changed in zip("012345", (False, False, False, True, True, True), strict=True):
            name = f"encoder.layer.{layer}.attention.self.query.weight"
            given = file.get_tensor(name)
            assert np.array_equal(weights[name], given) != changed
            assert np.abs(weights[name] - given).max() < 0.2


def test_a_broken_question_is_less_acceptable_and_a_wrong_answer_too() -> None:
    broken = WHAT._replace(question="What does trustee is person?")
    wrong = WHAT._replace(answer="who holds")
    found = question_network().logits([WHAT, broken, wrong])
    assert found.shape == (3, 2)
    assert found[0, 0] > found[1, 0]
    assert found[0, 0] > found[2, 0]
    assert question_network().logits([]).shape == (0, 2)


def test_a_question_is_given_the_same_beside_others_as_alone() -> None:
    others = [WHAT._replace(question="Who holds property for others in the county of Kent?"), WHAT]
    alone = opened().logits([WHAT])
    assert opened().logits(others)[1] == pytest.approx(alone[0], abs=0.05)


def test_what_was_read_is_remembered_in_any_order() -> None:
    network = opened()
    other = WHAT._replace(question="Who holds property for others?")
    first = network.logits([WHAT, other, WHAT])
    assert np.array_equal(first[0], first[2])
    assert np.array_equal(network.logits([other, WHAT]), first[[1, 0]])


def opened() -> QuestionNetwork:
    """Return the shipped network as it is before it has read anything."""
    return question_network.__wrapped__()
