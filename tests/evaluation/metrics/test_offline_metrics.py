"""Groundedness and correctness without a judge, under the embedding that is shipped."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from evaluation.metrics.base import MetricContext, metrics
from evaluation.metrics.groundedness_offline import NOT_READ
from evaluation.spec import EvaluationSpec
from evaluation.statistics.roc import auroc
from evaluation.types import Refusal, Sample, Score
from rag_pipeline.embedders.base import Vectors
from rag_pipeline.types import Context, Span
from tests.evaluation.samples import make_sample
from tests.minilm import minilm

ROWS = Path(__file__).parents[2] / "data" / "attributed_replies.jsonl"
PASSAGE = (
    "Marie Curie was born in Warsaw in 1867. She won the Nobel Prize in Physics in 1903 together with Pierre Curie and "
    "Henri Becquerel. She did not patent the method of isolating radium. Her notebooks are still radioactive."
)


@pytest.fixture(scope="module")
def embed():
    return minilm().embed_passages


def one_vector(texts: Sequence[str]) -> Vectors:
    return np.ones((len(texts), 1), np.float32)


def sample(
    answer: str, contexts: Sequence[str] = (PASSAGE,), references: Sequence[str] = (), question: str = ""
) -> Sample:
    made = make_sample(answer, references)
    given = tuple(Context(Span(-at, 0, len(text)), "c", text, 0.0, at) for at, text in enumerate(contexts, 1))
    return replace(made, trace=replace(made.trace, question=question, contexts=given))


def scores(name: str, samples: Sequence[Sample], embed: object, label: str = "attempt") -> list[Score]:
    refusals = [Refusal(label)] * len(samples)
    return metrics.get(name)().score_many(samples, MetricContext(EvaluationSpec(), refusals, embed))  # type: ignore[arg-type]


def values(name: str, samples: Sequence[Sample], embed: object) -> list[float]:
    return [score.value for score in scores(name, samples, embed) if score.value is not None]


@pytest.mark.parametrize(
    ("grounded", "invented"),
    [
        ("She won the Nobel Prize in 1903.", "She won the Nobel Prize in 1908."),
        ("Marie Curie was born in Warsaw.", "Marie Curie was born in Lisbon."),
        ("marie curie was born in warsaw .", "marie curie was born in lisbon ."),
        ("She did not patent the method.", "She did patent the method."),
        ("Her notebooks are radioactive.", "Her notebooks are not radioactive."),
        ("Her notebooks remain radioactive today.", "Her notebooks were burnt by her daughter."),
        ("Marie Curie was born in 1867.", "Marie Curie was born in 1903."),
        ("Curie came from Warsaw.", "Curie came from Warsaw. She disliked Vienna and its opera."),
    ],
)
def test_a_grounded_answer_outranks_the_same_with_something_changed(grounded, invented, embed):
    first, second = values("groundedness_offline", [sample(grounded), sample(invented)], embed)
    assert first > second


def test_a_no_that_denies_is_no_opening_word(embed):
    context = "Refunds are given within 14 days."
    denied, opened = scores("groundedness_offline", [sample("No refunds are given.", [context]),
                                                     sample("No, refunds are given.", [context])], embed)  # fmt: skip
    assert denied.value is not None
    assert opened.value is not None
    assert denied.value < 0.5 < opened.value
    assert "one of the two denies it" in denied.reason


def test_it_says_where_roles_and_denials_were_not_read(embed):
    german = "Paris schlug London im Endspiel der Meisterschaft."
    turned = sample("London schlug Paris im Endspiel der Meisterschaft.", [german])
    same, english = sample(german, [german]), sample("She did not patent the method.")
    notes = [NOT_READ in score.reason for score in scores("groundedness_offline", [turned, same, english], embed)]
    assert notes == [True, False, False]


def test_an_invented_number_or_name_anywhere_never_raises_the_score(embed):
    answers = [
        "She won the Nobel Prize in Physics together with Pierre Curie.",
        "According to the passage, she did not patent it. Her notebooks glow.",
        "Warsaw is a city of many palaces.",
    ]
    for answer in answers:
        words = answer.split()
        changed = [
            " ".join([*words[:at], invented, *words[at:]])
            for at in range(1, len(words))
            for invented in ("4711", "Zanzibar")
        ]
        plain, *others = values("groundedness_offline", [sample(text) for text in (answer, *changed)], embed)
        assert len(others) == len(changed)
        assert max(others) < plain


def test_it_follows_what_people_found_better_than_chance_by_far(embed):
    rows = [json.loads(line) for line in ROWS.read_text(encoding="utf-8").splitlines()]
    samples = [sample(row["response"], [row["knowledge"]], question=row["message"]) for row in rows]
    scored = [
        (score.value, row["label"] == "Fully attributable")
        for score, row in zip(scores("groundedness_offline", samples, embed), rows, strict=True)
        if score.value is not None
    ]
    found, marks = (np.array(column) for column in zip(*scored, strict=True))
    assert len(found) >= 28
    assert auroc(found, marks) > 0.85


def test_the_details_say_where_and_what(embed):
    answer = "It was in Warsaw. She won the prize in 1911 with Pierre Curie."
    score = scores("groundedness_offline", [sample(answer, ["Nothing here.", "Nothing here.", "", PASSAGE])], embed)[0]
    second = score.details["sentences"][1]
    assert second["text"] == answer[second["start"] : second["end"]] == "She won the prize in 1911 with Pierre Curie."
    assert second["context"] == 3  # as given: repeated and empty ones are counted
    assert PASSAGE[second["evidence_start"] : second["evidence_end"]] == second["evidence"]
    assert "Henri Becquerel" in second["evidence"]
    assert [(each["text"], each["kind"]) for each in second["missing"]] == [("1911", "number")]
    assert answer[second["missing"][0]["start"] : second["missing"][0]["end"]] == "1911"
    assert "1911" in score.reason
    assert f"({score.details['words']:.2f} of their weight)" in score.reason
    json.dumps(score.details)


@pytest.mark.parametrize("answer", ["...", "🙂", "Well.", "Нобелевская премия"])
def test_what_states_nothing_comparable_is_empty_with_a_reason(answer, embed):
    score = scores("groundedness_offline", [sample(answer)], embed)[0]
    assert score.value is None
    assert score.reason


def test_a_refusal_is_not_grounded_but_empty_and_0_as_an_answer(embed):
    declined = [sample("I do not know.", references=["Warsaw"])]
    assert scores("groundedness_offline", declined, embed, "refused")[0].value is None
    assert scores("correctness_offline", declined, embed, "refused")[0] == Score(0.0, "the answer declines")


def test_other_scripts_are_compared_with_their_own(embed):
    context = "居里夫人于1867年出生于华沙。她获得了诺贝尔奖。"
    right, wrong = values(
        "groundedness_offline", [sample("她出生于华沙。", [context]), sample("她住在里斯本市。", [context])], embed
    )
    assert right > 0.7 > 0.3 > wrong
    arabic = "ولدت ماري كوري في وارسو عام 1867."
    right, wrong = values(
        "groundedness_offline", [sample("ولدت في وارسو", [arabic]), sample("ولدت في لشبونة", [arabic])], embed
    )
    assert right > wrong


def test_ten_thousand_words_and_repeated_contexts_are_no_trouble(embed):
    calls: list[int] = []

    def counting(texts: Sequence[str]) -> Vectors:
        calls.append(len(texts))
        return embed(texts)  # type: ignore[no-any-return]

    long = "Marie Curie was born in Warsaw in 1867. " * 1250
    once, often = values("groundedness_offline", [sample(long), sample(long, [PASSAGE] * 5)], counting)
    assert once == often > 0.9
    assert calls == [sum(calls)]
    assert sum(calls) < 60


@pytest.mark.parametrize(
    ("question", "reference", "right", "wrong"),
    [
        ("When did she win the prize?", "She won the prize in 1903.", "In 1903.", "She won the prize in 1911."),
        ("Where was Marie born?", "Warsaw, Poland", "Marie was born in Warsaw.", "Marie was born in Lisbon."),
        ("How many?", "two thousand", "2,000 of them", "3,000 of them"),
        ("Is it radioactive?", "Yes", "Yes, it is.", "No, it is not."),
        ("What is it made of?", "plastic", "It is made of plastic.", "It is made of wood."),
    ],
)
def test_a_right_answer_outranks_a_wrong_one(question, reference, right, wrong, embed):
    samples = [sample(answer, references=[reference], question=question) for answer in (right, wrong)]
    first, second = values("correctness_offline", samples, embed)
    assert first > second


@pytest.mark.parametrize(
    ("question", "reference", "answer"),
    [
        ("When does it open?", "Tuesday", "Monday"),
        ("What happens to the pressure?", "it decreases", "it increases"),
        ("What colour is the car?", "The car is red", "The car is blue"),
        ("Is parking allowed?", "not allowed", "allowed"),
        ("Is parking allowed?", "allowed", "not allowed"),
        ("Are dogs allowed?", "Yes, dogs are allowed", "No, dogs are not allowed"),
        ("When was it built?", "1889", "1887"),
        ("How long is it?", "30 km", "30 miles"),
        ("Does it fly?", "It cannot fly", "It can fly"),
        ("Is it legal?", "It is legal", "It is illegal"),
        ("Does it contain sugar?", "without sugar", "with sugar"),
        ("When was it built?", "before 1900", "after 1900"),
        ("How many are there?", "more than 5", "less than 5"),
        ("What did the price do?", "It went up", "It went down"),
        ("What does it cost?", "$5", "€5"),
        ("Did it work?", "No, it did not", "Yes, it did"),
        ("Is smoking allowed?", "No", "Smoking is allowed."),
    ],
)
def test_another_of_the_kind_and_the_opposite_are_no_agreement(question, reference, answer, embed):
    (value,) = values("correctness_offline", [sample(answer, references=[reference], question=question)], embed)
    assert value <= 0.25


@pytest.mark.parametrize(
    ("question", "reference", "answer"),
    [
        ("When does it open?", "Tuesday", "Not on Monday, it opens on Tuesday."),
        ("Is smoking allowed?", "not allowed", "It is not allowed."),
        ("How many?", "five", "There are 5 of them, not 6."),
        ("When did the tower open?", "The tower opened in 1889.", "1889"),
        ("Is smoking allowed?", "No", "Smoking is not allowed."),
        ("Is smoking allowed?", "Yes", "Smoking is allowed outside."),
        ("When was it built?", "before 1900", "It was built before 1900, after the war."),
    ],
)
def test_what_is_right_is_not_taken_for_its_opposite(question, reference, answer, embed):
    (value,) = values("correctness_offline", [sample(answer, references=[reference], question=question)], embed)
    assert value > 0.7


def test_a_copied_sentence_is_no_better_than_the_short_right_answer(embed):
    copied = "The tower, which many artists had written against, was opened in 1889 in the presence of the president."
    given = {"references": ["1889"], "question": "When was the tower opened?"}
    short, long, wrong = values(
        "correctness_offline",
        [sample("1889", **given), sample(copied, **given), sample(copied.replace("in 1889 ", ""), **given)],
        embed,
    )
    assert short >= long > 0.9
    assert wrong < 0.2


def test_a_long_reference_may_be_given_in_short(embed):
    reference = "The bridge was designed by the Danish engineer Anker Engelund and opened to road traffic in May 1935."
    right, wrong = values(
        "correctness_offline",
        [sample(answer, references=[reference], question="Who designed it?") for answer in ("Anker Engelund", "Bob")],
        embed,
    )
    assert right > 0.5 > 3 * wrong


LONG = "The old bridge over the Vistula was finished in 1864 by the engineer Kierbedz and rebuilt after the war."


def test_a_long_answer_that_adds_what_the_reference_lacks_is_worth_less_than_one_that_does_not(embed):
    plain = "It was finished in 1864 by the engineer Kierbedz and rebuilt after the war."
    added = plain + " Its granite towers burnt down twice, and Napoleon planned a second railway tunnel nearby."
    half = "It was finished in 1864."
    first, second, third = scores(
        "correctness_offline",
        [sample(answer, references=[LONG], question="When was the old bridge finished?") for answer in
         (plain, added, half)],
        embed,
    )  # fmt: skip
    assert first.value > second.value > 0.5  # type: ignore[operator]
    assert third.value > 0.5  # type: ignore[operator]
    assert "Napoleon" in second.details["added"]
    assert "not in the reference: " in second.reason
    assert first.details["added"] == []


def test_of_a_long_reference_both_ways_count_half():
    reference = "Kierbedz, Engelund, Pancer, Marconi, 1864, 1885, 1908, 1937"  # eight units of weight 1
    made = sample("Marconi, Pancer, 1864, 1885", references=[reference])
    score = scores("correctness_offline", [made], one_vector)[0]
    assert (score.details["of_reference"], score.details["of_answer"]) == (0.5, 1)
    assert score.details["given"] == 0.8078  # half of 0.5 ** 0.7 = 0.6156, and half of 1
    assert score.value == pytest.approx(0.8078 + 0.1922 * 0.3, abs=1e-4)  # every cosine is 1


def test_another_weekday_in_its_place_halves_a_long_answer():
    reference = "The museum opens on Tuesday at nine and closes on Friday, when guards lock the old north gate."
    right, wrong = values(
        "correctness_offline",
        [sample(answer, references=[reference]) for answer in (reference, reference.replace("Tuesday", "Monday"))],
        one_vector,
    )
    assert right == 1
    assert wrong < 0.5


def test_where_nothing_is_missing_nothing_is_embedded():
    def never(texts: Sequence[str]) -> Vectors:
        raise AssertionError(texts)

    made = [sample("It was in 1889.", references=["1889"]), sample("1887", references=["1889"])]
    assert values("correctness_offline", made, never) == [1, 0]


def test_correctness_takes_the_best_reference_and_says_what_is_missing(embed):
    made = sample("Warsaw", references=["", "Lisbon", "Warsaw, Poland"])
    score = scores("correctness_offline", [made], embed)[0]
    assert score.details["reference"] == "Warsaw, Poland"
    assert score.details["missing"] == ["Poland"]
    assert score.details["found"] == ["Warsaw"]
    assert values("correctness_offline", [sample("Warsaw", references=["Warsaw"])], embed) == pytest.approx([1.0])


def test_correctness_of_an_empty_answer_is_0_and_without_a_usable_reference_empty(embed):
    assert scores("correctness_offline", [sample("", references=["Warsaw"])], embed)[0].value == 0
    assert scores("correctness_offline", [sample("Warsaw", references=["..."])], embed)[0].value is None
    assert scores("correctness_offline", [sample("Варшава", references=["Warsaw"])], embed)[0].value is None
