"""Who did what, which number goes with what, and what is denied: told from the evidence by dependency trees."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from evaluation.metrics.support.reversals import Reversals
from evaluation.metrics.support.units import analyse_sentences


def reversal(said: str, evidence: str) -> str:
    ((mine,), (theirs,)) = (analyse_sentences(text) for text in (said, evidence))
    reversals = Reversals()
    reversals.learn([(mine, theirs)])
    return reversals.between(mine, theirs)


@pytest.mark.parametrize(
    ("said", "evidence"),
    [
        ("London beat Paris in the final.", "Paris beat London in the final."),
        ("London beat Paris.", "Paris beat London 3-1 in the final on Sunday."),
        ("London was beaten by Paris.", "London beat Paris in the final."),
        ("The fee is 12 euros for adults and 30 euros for children.",
         "The fee is 30 euros for adults and 12 euros for children."),
        ("Curie was born in 1934 and died in 1867.", "Curie was born in 1867 and died in 1934."),
        ("Germany sold the island to Britain.", "Britain sold the island to Germany."),
        ("The dog chased the cat through the garden.", "The cat chased the dog through the garden."),
        ("The alloy contains 37% tin and 63% lead.", "The alloy contains 63% tin and 37% lead."),
    ],
)  # fmt: skip
def test_what_changed_places_is_told(said, evidence):
    assert "stands where the evidence has" in reversal(said, evidence)


@pytest.mark.parametrize(
    ("said", "evidence"),
    [
        ("London was beaten by Paris in the final.", "Paris beat London in the final."),
        ("Paris, which beat London, won the cup.", "Paris beat London and won the cup."),
        ("In 1867 Curie was born in Warsaw.", "Curie was born in Warsaw in 1867."),
        ("Germany and Britain signed the treaty.", "Britain and Germany signed the treaty."),
        ("Adults pay 30 euros, children 12 euros.", "Children pay 12 euros, adults 30 euros."),
        ("The bridge was opened in 1889 by Mayor Smith.", "In 1889, Mayor Smith opened the bridge."),
        ("Paris beat London.", "Paris beat London."),
    ],
)
def test_the_same_in_another_order_is_none(said, evidence):
    assert reversal(said, evidence) == ""


@pytest.mark.parametrize(
    ("said", "evidence"),
    [
        ("Curie was not born in Paris.", "Curie was born in Paris."),
        ("The bridge was never finished.", "The bridge was finished in 1889."),
        ("The bridge opened in 1889.", "The bridge did not open in 1889."),
        ("The coat has buttons.", "The coat has no buttons."),
        ("Dogs aren't allowed in the park.", "Dogs are allowed in the park."),
        ("No dogs are allowed in the park.", "Dogs are allowed in the park."),
    ],
)
def test_a_denial_is_told_in_both_directions(said, evidence):
    assert reversal(said, evidence) == reversal(evidence, said) == "one of the two denies it"


@pytest.mark.parametrize(
    ("said", "evidence"),
    [
        ("The tower was finished.", "The tower was finished by those who could not swim."),
        ("Curie was not born in Paris.", "Curie wasn't born in Paris."),
        ("It was one of the longest tours.", "It was not only the longest tour, but one of the longest tours."),
        ("I'm not sure but the island was covered by woodlands.", "The island was covered by woodlands."),
        ("Eugene claims to be a scientist.", "Eugene is not a scientist."),
        ("Was Curie not born in Paris?", "Curie was born in Paris."),
    ],
)
def test_a_negation_of_something_else_denies_nothing(said, evidence):
    assert reversal(said, evidence) == ""


def test_other_languages_are_left_alone():
    said, evidence = (
        "London schlug Paris im Endspiel der Meisterschaft.",
        "Paris schlug London im Endspiel der Meisterschaft.",
    )
    assert reversal(said, evidence) == ""


def test_most_altered_sentences_of_articles_are_told_and_hardly_a_reworded_one():
    data = Path(__file__).parents[3] / "data" / "altered_sentences.jsonl"
    rows = [json.loads(line) for line in data.read_text(encoding="utf-8").splitlines()]
    told = Counter(row["rule"] for row in rows if reversal(row["said"], row["sentence"]))
    shares = {rule: told[rule] / many for rule, many in Counter(row["rule"] for row in rows).items()}
    assert shares.pop("reworded") <= 0.1
    assert min(shares.values()) >= 0.7
    assert len(shares) == 3
