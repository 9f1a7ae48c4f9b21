"""Examples and batches to tune with: a wrong answer to learn from is never a right one."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.tuning.examples import Example, make_examples, plan_batches, rows_of
from evaluation.tuning.ranking import RankedQuestion, covered
from rag_pipeline.embedders.training import learning_share
from rag_pipeline.types import SourceDoc, Span

TEXT = "Iron rusts in rain. Gold never rusts. Tin is soft. Lead is heavy. Gold never rusts. Zinc is grey."
DOCUMENT = SourceDoc(1, "metals.txt", TEXT)
STARTS = [0, 20, 38, 51, 66, 84, len(TEXT) + 1]
CHUNKS = np.array([(1, start, end - 1) for start, end in pairwise(STARTS)], np.int64)


def test_negatives_are_the_likest_chunks_that_hold_no_evidence_nor_a_repeat_of_it() -> None:
    question = RankedQuestion("What never rusts?", "p1", (Span(1, 20, 37),))
    likeness = np.array([[0.8, 0.9, 0.1, 0.2, 0.95, 0.3]], np.float32)
    [example] = make_examples([question], [DOCUMENT], CHUNKS, likeness, 2)
    assert TEXT[20:37] == "Gold never rusts."
    assert example.positive == 1
    assert example.negatives == (0, 5)  # not 4, the likest: it says the same
    assert rows_of([example], [TEXT[start:end] for _, start, end in CHUNKS.tolist()]) == [
        ("What never rusts?", "Gold never rusts.", "Iron rusts in rain.", "Zinc is grey.")
    ]


def test_each_evidence_span_gives_an_example_with_the_chunk_that_holds_most_of_it() -> None:
    question = RankedQuestion("Which are soft or heavy?", "p1", (Span(1, 36, 50), Span(1, 51, 60)))
    made = make_examples([question], [DOCUMENT], CHUNKS, np.zeros((1, 6), np.float32), 1)
    assert [each.positive for each in made] == [2, 3]
    assert all(not {1, 2, 3} & set(each.negatives) for each in made)


def test_a_small_corpus_gives_all_rows_the_same_fewer_negatives() -> None:
    questions = [
        RankedQuestion("a", "p1", (Span(1, 0, 10),)),
        RankedQuestion("b", "p2", (Span(1, 0, 80),)),
    ]
    made = make_examples(questions, [DOCUMENT], CHUNKS, np.zeros((2, 6), np.float32), 4)
    assert {len(each.negatives) for each in made} == {1}  # the second question leaves only the last chunk


def test_the_same_seed_plans_the_same_batches_and_another_one_others() -> None:
    examples = [Example(str(number), number, (), frozenset({number})) for number in range(30)]
    first, again, other = (plan_batches(examples, epochs=2, size=8, seed=seed) for seed in (1, 1, 2))
    assert first == again != other


@settings(deadline=None)
@given(st.integers(1, 40), st.integers(2, 9), st.integers(0, 3), st.integers(1, 3), st.integers(0, 999))
def test_batches_hold_every_example_once_an_epoch_and_no_answer_of_another(
    count: int, size: int, negatives: int, epochs: int, seed: int
) -> None:
    random = Random(seed)
    examples = []
    for number in range(count):
        barred = frozenset(random.sample(range(12), 3))
        wrong = tuple(random.sample(sorted(set(range(12)) - barred), negatives))
        examples.append(Example(str(number), min(barred), wrong, barred))
    batches = plan_batches(examples, epochs=epochs, size=size, seed=seed)
    for batch in batches:
        assert 1 <= len(batch) <= size
        assert len(batch) > 1 or negatives
        for one in batch:
            others = set().union(*(other.chunks for other in batch if other is not one))
            assert not others & one.barred
    seen = [example.text for batch in batches for example in batch]
    assert max(seen.count(text) for text in set(seen)) <= epochs if seen else True
    if negatives:
        assert sorted(seen) == sorted([example.text for example in examples] * epochs)


@given(st.integers(1, 200), st.floats(0, 1))
def test_the_learning_rate_rises_then_falls_and_stays_within_its_limit(steps: int, warmup: float) -> None:
    shares = [learning_share(step, steps, warmup) for step in range(steps)]
    assert all(0 < share <= 1 for share in shares)
    peak = shares.index(max(shares))
    assert shares[: peak + 1] == sorted(shares[: peak + 1])
    assert shares[peak:] == sorted(shares[peak:], reverse=True)


def test_the_learning_rate_by_hand() -> None:
    assert [learning_share(step, 5, 0.2) for step in range(5)] == pytest.approx([0.5, 0.8, 0.6, 0.4, 0.2])


def test_covered_counts_characters() -> None:
    assert covered(CHUNKS, Span(1, 36, 40)).tolist() == [0, 1, 2, 0, 0, 0]
