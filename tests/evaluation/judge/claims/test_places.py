"""Where claims stand in a text."""

from __future__ import annotations

import pytest

from evaluation.judge.claims.places import ClaimPlaces
from evaluation.judge.claims.table import Claim, Verdict

TEXT = "It was found in July 1799, by French\nsoldiers. The stone has three versions of a decree."


def found(text: str, claim: str, reason: str = "") -> str:
    place = ClaimPlaces(text).of(Claim(claim), Verdict(True, reason) if reason else None)
    return text[slice(*place)] if place else ""


@pytest.mark.parametrize(
    ("claim", "reason", "stretch"),
    [
        ("The stone was found in July 1799.", "", "was found in July 1799"),
        ("the STONE has three versions, of a decree", "", "The stone has three versions of a decree"),
        ("Soldiers found it.", "It says “by French soldiers”.", "by French\nsoldiers"),
        ("Soldiers found it.", "It says “by English soldiers”.", ""),
        ("Somebody found a stone in the year of the war.", "", ""),  # “found”, “in” alone say nothing
        ("", "", ""),
    ],
)
def test_the_words_that_the_judge_quotes_or_the_longest_run_in_common(claim: str, reason: str, stretch: str) -> None:
    assert found(TEXT, claim, reason) == stretch


def test_scripts_without_spaces_are_compared_by_character() -> None:
    assert found("石碑于1799年在拉希德附近被发现。它很重。", "石碑在拉希德附近被发现。") == "在拉希德附近被发现"
    assert found("عُثر على حجر رشيد عام 1799.", "حجر رشيد عام 1799") == "حجر رشيد عام 1799"


def test_an_empty_text_holds_nothing() -> None:
    assert found("", "The stone was found.") == ""
