"""Questions about a text that speaks to its reader."""

import pytest

from evaluation.question_writers.rules.first_person import in_first_person


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("What must you sign?", "What must I sign?"),
        ("When are you told of your rights?", "When am I told of my rights?"),
        ("Who sends you the bill?", "Who sends me the bill?"),
        ("Can you explain what a lien is?", "Can you explain what a lien is?"),
        ("Can you explain what your lender is?", "Can you explain what my lender is?"),
        ("How tall is the tower?", "How tall is the tower?"),
    ],
)
def test_who_asks_says_i_where_the_text_says_you(text: str, said: str) -> None:
    assert in_first_person(text) == said
