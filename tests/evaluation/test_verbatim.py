"""Quotations word for word, white space aside."""

from __future__ import annotations

from evaluation.verbatim import VerbatimText


def covered(text: str, *quotes: str) -> str:
    """Return the characters that the quotations cover, the others as dots."""
    mask = VerbatimText(text).covered_by(quotes)
    return "".join(letter if inside else "." for letter, inside in zip(text, mask, strict=True))


def test_white_space_may_differ_and_nothing_else():
    text = VerbatimText("The  Nile\nis long.")
    assert text.has("The Nile is")
    assert text.has(" Nile   is long. ")
    assert not text.has("the nile")
    assert not text.has("Nile long")
    assert not text.has(" ")
    assert not VerbatimText("").has("a")


def test_every_place_is_covered_with_the_white_space_inside_it():
    assert covered("a  b c a\tb", "a b") == "a  b...a\tb"
    assert covered(" aaa ", "a a", "aa", "") == ".aa.."
    assert covered("نهر النيل 🐪 طويل", "النيل 🐪") == "....النيل 🐪....."
