"""Whether an answer declines."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.refusal.detection import RefusalDetector, shipped_lines
from evaluation.refusal.languages import languages
from evaluation.spec import EvaluationSpec
from tests.minilm import minilm

REFUSAL = "I am not aware of that topic"
REPLIES = [
    line.split("\t")
    for line in (Path(__file__).resolve().parents[2] / "data" / "replies.tsv").read_text(encoding="utf-8").splitlines()
]


@pytest.fixture(scope="module")
def embed():
    """The model, asked for a text once: every detector compares with the same shipped refusals."""
    known = {}

    def embed_once(texts):
        if new := [text for text in dict.fromkeys(texts) if text not in known]:
            known.update(zip(new, minilm().embed_passages(new), strict=True))
        return np.array([known[text] for text in texts])

    return embed_once


@pytest.fixture(scope="module")
def detector(embed):
    return RefusalDetector(embed, EvaluationSpec(), REFUSAL)


def label(detector, answer):
    return detector.classify_many([answer])[0].label


def test_our_own_replies_are_labelled_right(detector):
    verdicts = detector.classify_many([text for _, text in REPLIES])
    wrong = [(verdict.label, *row) for verdict, row in zip(verdicts, REPLIES, strict=True) if verdict.label != row[0]]
    assert wrong == []


@pytest.mark.parametrize(
    "answer",
    ["I am not aware of that topic.", "i am NOT aware of that topic!!", "“I am not aware of that topic”", REFUSAL],
)
def test_the_refusal_itself_is_recognised_in_any_case_and_punctuation(detector, answer):
    verdict = detector.classify_many([answer])[0]
    assert (verdict.label, verdict.rule) == ("refused", "threshold")
    assert verdict.similarity == 1.0


def test_the_verdict_names_the_rule_and_the_sentence(detector):
    verdict = detector.classify_many(["I don't have an answer to your question."])[0]
    assert verdict.rule == "list"
    assert "I don't have an answer to your question." in verdict.detail
    verdict = detector.classify_many(["The passage does not give the name of the architect of the new museum."])[0]
    assert verdict.rule == "pattern"


def test_declining_and_then_answering_is_partial_and_no_refusal(detector):
    answer = "I am not aware of the price. However, the ticket office opens at nine and sells them for 20 euros."
    verdict = detector.classify_many([answer])[0]
    assert (verdict.label, verdict.rule, verdict.refused) == ("partial", "substance", False)
    assert "ticket office" in verdict.detail


@pytest.mark.parametrize(
    "after",
    [
        "Please check the official website for current prices.",
        "Let me know if I can help with anything else!",
        "The documents only discuss the history of the railway.",
        "Could you tell me which ticket you mean?",
    ],
)
def test_an_offer_a_pointer_or_a_reason_after_a_refusal_leaves_it_a_refusal(detector, after):
    assert label(detector, f"I'm sorry, but I do not have any information about ticket prices. {after}") == "refused"


def test_greetings_before_the_first_sentence_do_not_count(detector):
    assert label(detector, "Hello! I'm sorry, but I do not have that information.") == "refused"
    assert label(detector, "Sure, I'd be happy to help! It costs 20 euros.") == "attempt"


def test_a_refusal_after_an_answer_leaves_it_an_attempt(detector):
    assert label(detector, "It costs 20 euros. I do not know what children pay.") == "attempt"


@pytest.mark.parametrize("answer", ["", "  \n", "***"])
def test_nothing_is_empty_and_no_refusal(detector, answer):
    verdict = detector.classify_many([answer])[0]
    assert verdict.label == "empty"
    assert not verdict.refused


def test_the_list_and_the_patterns_can_be_switched_off(embed):
    alone = RefusalDetector(embed, EvaluationSpec(refusal_list=False, refusal_patterns=False), REFUSAL)
    assert label(alone, "I'm sorry, but I cannot answer that question.") == "attempt"
    assert label(alone, REFUSAL) == "refused"
    listed = RefusalDetector(embed, EvaluationSpec(refusal_patterns=False), REFUSAL)
    assert label(listed, "I'm sorry, but I cannot answer that question.") == "refused"


def test_the_threshold_moves_what_counts(embed):
    strict = RefusalDetector(embed, EvaluationSpec(refusal_threshold=1.0, refusal_patterns=False), "No idea about it")
    assert label(strict, "I really have no clue about this.") == "attempt"
    loose = RefusalDetector(embed, EvaluationSpec(refusal_threshold=0.1, refusal_patterns=False), "No idea about it")
    assert label(loose, "I really have no clue about this.") == "refused"


def test_a_refusal_in_another_language_is_recognised_by_its_own_sentence(embed):
    german = RefusalDetector(embed, EvaluationSpec(), "Dazu ist mir nichts bekannt")
    assert label(german, "Dazu ist mir leider nichts bekannt.") == "refused"
    assert label(german, "Der Turm wurde 1580 gebaut.") == "attempt"


def test_a_refusal_of_several_sentences_is_recognised_whole_and_in_part(embed):
    long = RefusalDetector(embed, EvaluationSpec(), "That is not in my notes. Bob at the front desk knows everything.")
    assert label(long, "That is not in my notes. Bob at the front desk knows everything.") == "refused"
    assert label(long, "That is not in my notes!") == "refused"
    assert label(long, "It costs 20 euros.") == "attempt"


def test_every_shipped_refusal_is_recognised_by_the_list(detector):
    verdicts = detector.classify_many(shipped_lines("sentences"))
    assert {verdict.label for verdict in verdicts} == {"refused"}


@pytest.mark.parametrize("opening", ["I think ", "I'm sorry, ", "However, ", "given the text, "])
def test_an_opening_that_is_repeated_on_and_on_is_read_all_the_same(detector, opening):
    assert label(detector, opening * 200) in {"refused", "attempt"}


WORDS = st.lists(
    st.sampled_from(
        ["I", "do not", "know", "the", "based on", "context,", "no", "but", "sorry", "it is", "“", "'", "\n"]
    ),
    max_size=60,
)


@given(st.one_of(WORDS.map(" ".join), st.text(max_size=200)))
def test_any_text_gets_a_label_quickly(detector, answer):
    assert label(detector, answer) in {"refused", "partial", "attempt", "empty"}


def test_a_refusal_in_a_script_that_the_model_cannot_read_is_known_by_its_letters_alone():
    model = minilm()
    thai = RefusalDetector(model.embed_passages, EvaluationSpec(), "ฉันไม่ทราบ", model.reads)
    assert [label(thai, answer) for answer in ("ฉันไม่ทราบ", "กรุงเทพมหานคร", "It is Bangkok.", "I don't know.")] == [
        "refused",
        "attempt",
        "attempt",
        "refused",
    ]


IN_LANGUAGES = [
    line.split("\t")
    for line in (Path(__file__).resolve().parents[2] / "data" / "replies_languages.tsv").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("language", sorted({row[0] for row in IN_LANGUAGES}))
def test_replies_in_other_languages_are_labelled_right(embed, language):
    rows = [(wanted, text) for code, wanted, text in IN_LANGUAGES if code == language]
    detector = RefusalDetector(embed, EvaluationSpec(), REFUSAL, minilm().reads)
    verdicts = detector.classify_many([text for _, text in rows])
    assert [(verdict.label, text) for verdict, (_, text) in zip(verdicts, rows, strict=True)] == rows


def test_every_shipped_language_is_tested():
    assert {row[0] for row in IN_LANGUAGES} == set(languages())


@pytest.mark.parametrize(
    "answer",
    [
        "There is no information for that year.",
        "I cannot confirm or deny that.",
        "We can neither confirm nor deny this.",
        "Unable to assist.",
        "I'm unable to assist with this request.",
        "It is not stated who wrote it.",
        "Nothing is said about the price.",
        "It isn't specified in the text how many people came.",
        "Insufficient information.",
        "Insufficient data to determine the author.",
        "Couldn't find information on that.",
    ],
)
def test_short_forms_decline(detector, answer):
    assert label(detector, answer) == "refused"


@pytest.mark.parametrize(
    "answer",
    [
        "“I don't know what love is,” said the fox.",
        "I don't know what love is, said the fox.",
        '"I don\'t know", she replied.',
        "I do not have the answer, the old man whispered.",
        "„Das weiß ich nicht“, sagte der Fuchs.",
        "The company cannot confirm or deny the report.",
        "Insufficient data led to the failure of the probe.",
    ],
)
def test_what_somebody_says_in_the_text_is_no_refusal(detector, answer):
    assert label(detector, answer) == "attempt"


@pytest.mark.parametrize(
    "answer",
    [
        "The shop opens at nine. However, I do not have the closing time.",
        "The tower is 300 m high, but I do not have information about its weight.",
        "Der Turm wurde 1889 eröffnet. Allerdings habe ich keine Informationen über sein Gewicht.",
    ],
)
def test_an_answer_that_takes_back_a_part_is_partial(detector, answer):
    verdict = detector.classify_many([answer])[0]
    assert (verdict.label, verdict.refused) == ("partial", False)


def test_the_refusal_counts_in_any_language_also_with_a_word_beside_it():
    model = minilm()
    detector = RefusalDetector(
        model.embed_passages, EvaluationSpec(refusal_patterns=False), "我不了解这个话题", model.reads
    )
    assert label(detector, "很抱歉，我不了解这个话题。") == "refused"
    assert label(detector, "这座塔于1889年落成。") == "attempt"


@pytest.mark.parametrize(
    "answer, looked_at",
    [
        ("The shop opens at nine. It closes at six. Lunch is at noon.", ["The shop opens at nine."]),
        (
            "The shop opens at nine. However, I do not have the closing time. Lunch is at noon.",
            ["The shop opens at nine.", "However, I do not have the closing time."],
        ),
        (
            f"Hello! {REFUSAL}. Great question. The shop opens at nine.",
            ["Hello!", f"{REFUSAL}.", "The shop opens at nine."],
        ),
    ],
)
def test_only_what_a_label_depends_on_is_judged(embed, answer, looked_at):
    """Each sentence that is judged is embedded, and that is slow."""
    asked = []

    def noted(texts):
        asked.extend(texts)
        return embed(texts)

    detector = RefusalDetector(noted, EvaluationSpec(refusal_list=False), REFUSAL)
    detector.classify_many([answer])
    assert [text for text in asked if text != REFUSAL] == looked_at
