"""Questions about a text that speaks to its reader."""

import pytest

from evaluation.question_writers.rules.first_person import as_asked


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("What must you sign?", "What must I sign?"),
        ("When are you told of your rights?", "When am I told of my rights?"),
        ("Who sends you the bill?", "Who sends me the bill?"),
        ("Can you explain what a lien is?", "Can you explain what a lien is?"),
        ("Can you explain what your lender is?", "Can you explain what my lender is?"),
        ("How tall is the tower?", "How tall is the tower?"),
        ("Does the club encourage you to write?", "Does the club encourage me to write?"),
        ("What do we offer to our staff?", "What do you offer to your staff?"),
        ("What must you send us with your form?", "What must I send you with my form?"),
        ("Which agency of the US pays?", "Which agency of the US pays?"),
        ("Does this Public License cover patents?", "Does the Public License cover patents?"),
        ("What does this lease say of pets?", "What does the lease say of pets?"),
        ("Who built this tower?", "Who built this tower?"),
    ],
)
def test_who_asks_says_i_where_the_text_says_you(text: str, said: str) -> None:
    assert as_asked(text) == said
