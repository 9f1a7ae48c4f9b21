"""What a strictness costs, between the points that a card holds."""

import pytest

from rag_pipeline.extractive_qa.strictness import Coverage, cost_of, coverage_at, let_through

CARD = {
    "declining": {"strictness": 0.4, "strictness_for": {"0.9": 0.2, "0.8": 0.4, "0.5": 0.8}},
    "figures": {"declining": {"found": {"coverage": {"0.9": [0.4, 0.9], "0.8": [0.6, 0.95], "0.5": [0.9, 1.0]}}}},
}
WITHOUT_FIGURES = {"declining": {"strictness": 0.4}}


@pytest.mark.parametrize(
    "strictness, answered, declined",
    [
        (0.2, 0.9, 0.4),  # measured
        (0.4, 0.8, 0.6),
        (0.3, 0.85, 0.5),  # half-way
        (0.7, 0.575, 0.825),
        (0.1, 0.95, 0.2),  # towards always answering
        (0.9, 0.25, 0.95),  # towards always declining
        (0.0, 1.0, 0.0),
        (1.0, 0.0, 1.0),
    ],
)
def test_the_shares_lie_on_lines_between_the_measured_points(strictness, answered, declined):
    assert coverage_at(strictness, CARD) == Coverage(pytest.approx(answered), pytest.approx(declined))


def test_a_stricter_reader_never_answers_more():
    found = [coverage_at(step / 100, CARD) for step in range(101)]
    assert [each.answered for each in found] == sorted((each.answered for each in found), reverse=True)
    assert [each.declined for each in found] == sorted(each.declined for each in found)


def test_the_cost_is_a_sentence():
    assert cost_of(0.3, CARD) == (
        "0.3 answers about 85 of 100 answerable questions and declines about 50 of 100 that the documents do not "
        "answer (measured on articles it had not seen)."
    )
    assert cost_of(0, CARD) == "0 answers every question, also those that the documents do not answer."
    assert cost_of(1.0, CARD) == "1 declines every question."


def test_the_share_let_through_is_that_of_the_shipped_strictness():
    assert let_through(CARD) == pytest.approx(0.4)


def test_a_card_without_figures_promises_nothing():
    assert coverage_at(0.3, WITHOUT_FIGURES) is None
    assert cost_of(0.3, WITHOUT_FIGURES) == ""
    assert let_through(WITHOUT_FIGURES) is None
