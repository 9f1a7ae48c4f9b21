"""The line under an answer."""

import pytest

from workbench.display.answer_line import answer_line, contexts_used, refusal_words

CONTEXTS = [
    "The policy covers theft up to $4,000. Floods are covered since 1999.",
    "Floods are covered since 1999. Hail is not.",
    "Opening hours are nine to five.",
]


@pytest.mark.parametrize(
    ("answer", "used"),
    [
        ("theft up to $4,000", [1]),
        ("Floods are covered since 1999.", [1, 2]),
        ("Theft is covered up to $4,000. It opens from nine to five hours.", [1, 3]),
        ("Bananas grow in Ecuador.", []),
        ("", []),
    ],
)
def test_the_contexts_that_an_answer_rests_on(answer, used):
    assert contexts_used(answer, CONTEXTS) == used


def test_an_abbreviation_is_no_sentence_with_a_source_of_its_own():
    assert contexts_used("Mr. Brown says: hours are nine to five.", [*CONTEXTS, "Mr. Green pays."]) == [3]


def test_the_line_says_sources_time_tokens_and_refusal():
    trace = {
        "contexts": [{}, {}, {}, {}],
        "used": [1, 3],
        "latency_s": 1.23,
        "prompt_tokens": 800,
        "completion_tokens": 12,
        "refusal": {"label": "attempt"},
    }
    assert " · ".join(answer_line(trace)) == "answered from 2 of 4 contexts · 1.2 s · 812 tokens · not a refusal"


def test_what_is_not_known_is_left_out():
    assert answer_line({}) == ["answered without contexts", "unknown"]


def test_a_refusal_names_its_rule():
    assert refusal_words("refused", "pattern") == "counts as a refusal: a usual way of declining"
    assert refusal_words("refused", "new rule") == "counts as a refusal"
    assert refusal_words("partial") == "not a refusal: declines, then answers all the same"
    assert refusal_words("empty") == "empty answer"
