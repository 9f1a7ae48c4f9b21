"""Reading units, numbers and negations, and the support that contexts give."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.metrics.support.context_index import ContextIndex
from evaluation.metrics.support.negation import contradict
from evaluation.metrics.support.support import Support, SupportCase, statements, support_of
from evaluation.metrics.support.units import NAME, NUMBER, PAIR, SMALL, SPEAKER, WORD, analyse_sentences
from evaluation.metrics.support.weighting import WeightingScheme
from rag_pipeline.english.numbers import numbers_in
from tests.fake_embedder import embed_words

CONTEXT = "The Eiffel Tower was finished in 1889. It is 330 metres tall. Visitors paid two francs."


def support(text: str, *contexts: str, question: str = "", scheme: WeightingScheme | None = None) -> Support:
    found = support_of([SupportCase(text, contexts, question)], embed_words, scheme or WeightingScheme())[0]
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("2,000 and two thousand", ["2000", "2000"]),
        ("3.50 or 3.5", ["3.5", "3.5"]),
        ("twenty-one million", ["21000000"]),
        ("1.5 million of them", ["1500000"]),
        ("the 1980s and 1980", ["1980s", "1980"]),
        ("the 19th of 30 , 000", ["19", "30000"]),
        ("no one, one day", []),
        ("June 19 , 2009", ["19", "2009"]),
        ("-5 or (−2.5), minus twenty", ["-5", "-2.5", "-20"]),
        ("3-5, 3 -5, 10 - 20, - 5", ["3", "5", "3", "5", "10", "20", "5"]),
    ],
)
def test_numbers_have_one_form(text, values):
    assert [number.value for number in numbers_in(text)] == values


def test_units_know_names_numbers_words_and_speakers_also_in_lower_case():
    kinds = {unit.text: unit.kind for unit in analyse_sentences("i saw deidrick of Boston in 2009 , quickly")[0].units}
    assert kinds == {
        "i": SPEAKER, "saw": WORD, "deidrick": NAME, "of": SMALL, "Boston": NAME, "in": SMALL, "2009": NUMBER,
        "quickly": WORD,
    }  # fmt: skip


def test_forms_of_a_word_agree():
    one, other = (analyse_sentences(text)[0].units[-1].key for text in ("they won", "they win"))
    assert one == other


def test_tokenised_text_is_cut_at_its_full_stops():
    assert [each.text for each in analyse_sentences("it was made in 1889 . it is tall .")] == [
        "it was made in 1889 .",
        "it is tall .",
    ]


def test_scripts_without_spaces_have_pairs():
    first, second = analyse_sentences("北京是中国的首都。它很大。")
    assert {unit.kind for unit in first.units + second.units} == {PAIR}
    assert [unit.text for unit in second.units] == ["它很", "很大"]


@settings(max_examples=40)
@given(st.text(max_size=120))
def test_units_are_where_they_say(text):
    for sentence in analyse_sentences(text):
        for unit in sentence.units:
            assert 0 <= unit.start < unit.end <= sentence.end - sentence.start
            assert text[sentence.start :][unit.start : unit.end] == unit.text


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("The tower was not finished.", "The tower was finished.", True),
        ("The tower was finished.", "It wasn't finished.", True),
        ("The tower was not finished.", "It was never finished.", False),
        ("The tower was finished.", "The tower was finished by those who could not swim.", False),
    ],
)
def test_a_contradiction_is_about_the_same_thing(one, other, expected):
    assert contradict(analyse_sentences(one)[0], analyse_sentences(other)[0]) is expected


def test_presence_holds_relatives_less():
    evidence = ContextIndex.of(["The construction went on.", "They construct."])
    grades = evidence.presence(analyse_sentences("construction, swimming")[0].units)
    assert np.array_equal(grades, [[1.0, 0.8], [0.0, 0.0]])


def test_what_is_said_as_it_stands_is_wholly_supported():
    assert support("It is 330 metres tall.", CONTEXT).value == pytest.approx(1.0)


def test_the_share_is_that_of_the_weights():
    # finished (plain 1) and 1890 (number 2); in and function words nothing; no cosine, no neighbours.
    scheme = WeightingScheme(small=0, plain=1, order=0, meaning=0, weakest=0)
    found = support("finished in 1890", CONTEXT, scheme=scheme)
    assert found.value == pytest.approx(1 / 3)
    assert [unit.text for unit in found.sentences[0].missing] == ["1890"]


def test_words_of_the_question_count_less():
    scheme = WeightingScheme(small=0, plain=1, order=0, meaning=0, asked=0.5)
    assert support("finished 1890", CONTEXT, question="Finished?", scheme=scheme).value == pytest.approx(0.5 / 2.5)


def test_the_weakest_sentence_counts():
    answer = "It is 330 metres tall. Dragons guard Zanzibar."
    even, strict = (support(answer, CONTEXT, scheme=WeightingScheme(weakest=share)).value for share in (0.0, 1.0))
    assert strict < 0.1 < even


def test_stock_phrases_and_declining_need_no_support():
    bare = support("It is 330 metres tall.", CONTEXT).value
    assert support("According to the passage, it is 330 metres tall.", CONTEXT).value == pytest.approx(bare)
    assert support("I do not know who built it, but it is 330 metres tall.", CONTEXT).value == pytest.approx(bare)
    assert statements("I do not have any information about that.") == []
    assert statements("I hope this helps!") == []


@pytest.mark.parametrize(
    "said",
    [
        "Sure, I'd be happy to help! {}",
        "Sure, I can answer your question about it. {}",
        "Hello! I’m glad to assist you. {}",
        "Great question! {} I hope this helps!",
        "{} If you have any further questions, please let me know and I'll do my best to assist you.",
    ],
)
def test_courtesy_counts_nowhere(said):
    bare, polite = support("It is 330 metres tall.", CONTEXT), support(said.format("It is 330 metres tall."), CONTEXT)
    assert (polite.value, polite.share_found) == pytest.approx((bare.value, bare.share_found))
    assert polite.absent == bare.absent == ()
    assert statements(said.format("")) == []


def test_what_is_said_beside_courtesy_counts():
    assert support("Sure, dragons guard Zanzibar.", CONTEXT).value < 0.1
    assert support("Helpers were happy. Dragons would answer.", CONTEXT).value < 0.1
    assert support("I can explain that dragons guard Zanzibar.", CONTEXT).value < 0.1
    assert statements("Thanks to Eiffel it is 330 metres tall.")


def test_the_share_of_words_excuses_nothing_and_leaves_negations_to_the_sentences():
    found = support("I think it was not finished by 1889. Well, I do not know.", CONTEXT)
    assert len(found.sentences) == 1
    assert [unit.text for unit in found.absent] == ["I", "think", "by", "Well", "I", "do", "know"]
    # There: it and was (0.5 each), finished (1), 1889 (2), each a quarter as the evidence says the opposite.
    # Absent: I twice (2 each), by and do (0.5), three words (1).
    assert found.share_found == pytest.approx(4 * 0.25 / 12)
    assert support("It was not finished.", CONTEXT).share_found == 0.25
    assert support("It was not painted.", CONTEXT).share_found == pytest.approx(1 / 2)
    assert support("Unable.", CONTEXT).share_found == 0


@pytest.mark.parametrize("text", ["", "...", "🙂🎉", "It is."])
def test_a_text_that_states_nothing_has_no_support(text):
    assert support_of([SupportCase(text, (CONTEXT,))], embed_words) == [None]


def test_without_contexts_nothing_is_supported():
    found = support("The tower is tall.")
    assert found.value == 0
    assert [unit.text for unit in found.sentences[0].missing] == ["tower", "tall"]


def test_every_text_is_embedded_once():
    asked: list[str] = []

    def counting(texts):
        asked.extend(texts)
        return embed_words(texts)

    support_of([SupportCase("Visitors admired the tall tower.", (CONTEXT,))] * 3, counting)
    assert len(asked) == len(set(asked)) > 0


@settings(max_examples=60)
@given(
    st.lists(
        st.sampled_from(
            ["the", "tower", "river", "not", "was", "1889", "two", "北京", "🙂", "Paris", "I", "know", ".", ",", "?"]
        ),
        max_size=30,
    )
)
def test_support_lies_between_0_and_1(words):
    for found in support_of([SupportCase(" ".join(words), (CONTEXT, "The river. 北京 is not far."))], embed_words):
        assert found is None or 0 <= found.value <= 1
