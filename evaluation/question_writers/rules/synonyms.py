"""Words of documents in the words that people ask with."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from rag_pipeline.english.lemmas import word_form

if TYPE_CHECKING:
    from spacy.tokens import Token

_KINDS = {"VERB": "verb", "NOUN": "noun", "ADJ": "adj"}
_OBJECTS = frozenset({"dobj", "nsubjpass"})


@cache
def _table() -> dict[tuple[str, str], str]:
    text = (files(__package__) / "synonyms.txt").read_text(encoding="utf-8")
    found = {}
    for line in text.splitlines():
        kind, *pairs = line.split("\t")
        for pair in pairs if not line.startswith("#") else ():
            word, other = pair.split(" ")
            found[kind, word] = other.replace("_", " ")
    return found


def other_verb(verb: Token) -> str:
    """Return the base form of the verb that people would use, its own where none is known."""
    lemma = verb.lemma_.lower()
    has_object = any(child.dep_ in _OBJECTS for child in verb.children)
    if any(child.dep_ in {"prt", "oprd", "xcomp", "ccomp"} for child in verb.children):
        return lemma
    sort = "vt" if has_object else "vi"
    return _table().get((sort, lemma)) or _table().get(("verb", lemma)) or lemma


def in_other_words(token: Token) -> str:
    """Return a word, or another of the same meaning in the same form."""
    kind = _KINDS.get(token.pos_, "")
    other = other_verb(token) if kind == "verb" else _table().get((kind, token.lemma_.lower()), "")
    if not other or other == token.lemma_.lower() or token.dep_ == "compound" or token.ent_type_:
        return token.text
    beside = [token.doc[at].text for at in (token.i - 1, token.i + 1) if 0 <= at < len(token.doc)]
    if "-" in beside:
        return token.text
    if (token.dep_ in {"amod", "acl"} and kind == "verb") or (other == "get" and token.tag_ == "VBN"):
        return token.text
    before = token.doc[token.i - 1].lower_ if token.i else ""
    if before in {"a", "an"} and (before == "an") != (other[0] in "aeiou"):
        return token.text
    return inflected(other, token.tag_)


def inflected(words: str, tag: str) -> str:
    """Return a word in the form of a Penn tag; of several, a verb's first and a noun's last is inflected."""
    if tag == "NNS" and " " in words:
        before, _, last = words.rpartition(" ")
        return f"{before} {inflected(last, tag)}"
    first, _, rest = words.partition(" ")
    if tag not in {"VB", "VBP", "NN", "JJ"}:
        first = word_form(first, tag)
    return f"{first} {rest}".strip()
