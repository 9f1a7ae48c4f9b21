"""Phrases of dependency trees, and how they are written."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from evaluation.question_writers.rules.synonyms import in_other_words
from rag_pipeline.english.lemmas import parts_of_speech
from rag_pipeline.english.words import word_list

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

_LINKS = frozenset({"DET", "ADP", "SCONJ", "CCONJ", "PRON", "ADV", "AUX"})
_SHORT_WORD = 4
_CLAUSES_OF_NOUNS = frozenset({"relcl", "acl"})


def only_sentence(doc: Doc) -> Span | None:
    """Return what was parsed where it is one sentence, else None."""
    sentences = list(doc.sents)
    return sentences[0] if len(sentences) == 1 else None


def subtree(token: Token, without: Sequence[Token] = ()) -> list[Token]:
    """Return a token with all that depends on it, in order, without the trees of `without`."""
    left_out = {each.i for other in without for each in other.subtree}
    return [each for each in token.subtree if each.i not in left_out]


def phrase(token: Token, without: Sequence[Token] = ()) -> list[Token]:
    """Return a phrase without what is only added to it: appositions, brackets, clauses behind a comma."""
    added = [
        each
        for each in token.subtree
        if each.i != token.i
        and (each.dep_ == "appos" or _in_brackets(each) or (each.dep_ in _CLAUSES_OF_NOUNS and after_comma(each)))
    ]
    tokens = subtree(token, (*added, *without))
    while tokens and (tokens[0].is_punct or tokens[0].dep_ == "cc"):
        tokens = tokens[1:]
    while tokens and (tokens[-1].dep_ == "cc" or (tokens[-1].is_punct and tokens[-1].text not in {'"', "”", "'", "’"})):
        tokens = tokens[:-1]
    return [each for each in tokens if not (each.text == "," and _stands_alone(each, tokens))]


def _stands_alone(comma: Token, tokens: Sequence[Token]) -> bool:
    """Return whether a comma is left over: what it set off was left out."""
    kept = {each.i for each in tokens}
    return comma.i + 1 not in kept or comma.i - 1 not in kept


def _in_brackets(token: Token) -> bool:
    left = token.left_edge
    before = left.nbor(-1) if left.i > token.sent.start else left
    # `Dodd–Frank` has no blank around its dash.
    return (
        before.text in {"(", "["} or (before.text in {"–", "—"} and bool(before.whitespace_)) or left.text in {"(", "["}
    )


def after_comma(token: Token) -> bool:
    """Return whether what depends on a token is set off by a comma or a dash."""
    left = token.left_edge
    before = left.nbor(-1) if left.i > token.sent.start else left
    return before.text == "," or (before.text in {"–", "—"} and bool(before.whitespace_))


def written(tokens: Sequence[Token], say: Callable[[Token], str] | None = None) -> str:
    """Return tokens as text, spaced as they were where they stood side by side. `say` gives a token's wording."""
    parts: list[str] = []
    for number, token in enumerate(tokens):
        last = number + 1 == len(tokens)
        space = token.whitespace_ if last or tokens[number + 1].i == token.i + 1 else " "
        parts.append((say(token) if say else token.text) + space)
    return re.sub(r" (?=,|['’](?:s|t|re|ve|ll|d|m)?(?:\s|$))", "", "".join(parts).strip())


def in_sentence(tokens: Sequence[Token], *, reworded: bool = False) -> str:
    """Return tokens as they would stand inside a sentence: no capital that only its beginning gave them."""

    def say(token: Token) -> str:
        text = in_other_words(token) if reworded else token.text
        return text[:1].lower() + text[1:] if _has_capital_by_place(token) else text

    return written(tokens, say)


def _has_capital_by_place(token: Token) -> bool:
    """Return whether a word has its capital letter because a sentence begins with it, also behind a colon."""
    before_name = token.i + 1 < len(token.doc) and token.nbor().text.istitle()
    if not token.is_sent_start:
        return token.text in {"The", "A", "An"} and not before_name and token.nbor(-1).is_punct
    named = before_name and token.dep_ == "compound"  # `Tux Paint`, whatever the tagger takes *Tux* for
    return not (named or is_name(token)) or _is_common(token)


def _is_common(token: Token) -> bool:
    """Return whether the first word of a sentence is no part of a name, whatever the tagger takes it for."""
    if token.lower_ in {"the", "a", "an"}:
        return True
    if token.i + 1 < len(token.doc) and token.nbor().text.istitle() and token.pos_ not in _LINKS:
        return False  # `Miss America`, `Catching Fire`
    return token.text[1:].islower() and not token.ent_type_ and token.lower_ in word_list("common")


def is_name(token: Token) -> bool:
    """Return whether a word keeps its capital letter anywhere; one that no dictionary has is a name."""
    if token.text == "I" or token.text[1:] != token.text[1:].lower():
        return True
    if token.text.isalpha() and len(token) > _SHORT_WORD and not parts_of_speech(token.lower_):
        return True
    return token.pos_ == "PROPN" or (token.tag_ == "JJ" and token.ent_type_ in {"NORP", "GPE"})
