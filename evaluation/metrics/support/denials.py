"""What a sentence states and what it denies, by its dependency tree: *was not born* denies *born* and nothing else."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evaluation.metrics.support.units import SMALL, AnalysedSentence, units_by_token

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_EMPTY = frozenset({"no", "neither", "none", "nobody", "nothing", "nor"})
_PLACES_OF_EMPTY = frozenset({"det", "nsubj", "nsubjpass", "dobj", "preconj"})
_DENYING = frozenset({"never", "hardly", "cannot"})
_TURNS = frozenset({"but", "rather", "instead", "only", "just", "merely", "solely", "simply", "even", "necessarily"})
"""Beside these a *not* denies a part only, or corrects: not only, not A but B."""
_ARGUMENTS = frozenset(
    {"nsubj", "nsubjpass", "dobj", "attr", "acomp", "oprd", "dative", "prep", "agent", "pobj", "npadvmod", "conj"}
)
_OF_MIND = frozenset({"sure", "certain", "know", "think", "believe", "remember", "understand", "mind", "like", "care"})
_NOT_SO = frozenset(
    {"claim", "pretend", "lie", "deny", "believe", "think", "suppose", "allege", "want", "try", "fail", "refuse"}
)
"""What is said behind these is neither stated nor denied."""
Said = Mapping[str, frozenset[str]]
"""What stands with each predicate."""


@dataclass(frozen=True, slots=True)
class Denials:
    """The predicates of a sentence that are stated and those that are denied, each with the things beside it."""

    stated: Said
    denied: Said

    def contradict(self, other: Denials) -> str:
        """Return the predicate that one of two sentences denies and the other states of the same, empty for none."""
        for mine, theirs in ((self, other), (other, self)):
            for predicate in sorted(mine.denied.keys() & theirs.stated.keys()):
                alike = mine.denied[predicate] & theirs.stated[predicate]
                plain = not (mine.denied[predicate] and theirs.stated[predicate])
                if (alike or plain) and predicate not in theirs.denied and predicate not in mine.stated:
                    return predicate
        return ""


def read_denials(sentence: AnalysedSentence, tree: Doc) -> Denials:
    """Return what a sentence states and denies; `tree` is that of its text."""
    reader = _Predicates({at: unit.key for at, unit in units_by_token(sentence, tree).items() if unit.kind != SMALL})
    denied = {each.i for token in tree for each in reader.denied_by(token)}
    unclear = {each.i for token in tree for each in _left_open(token)}
    found: tuple[dict[str, set[str]], ...] = (defaultdict(set), defaultdict(set))
    for token in tree:
        if token.i in unclear:
            continue
        if token.pos_ in ("VERB", "AUX") and token.dep_ not in ("aux", "auxpass"):
            found[token.i in denied][reader.predicate(token)].update(reader.beside(token))
        elif token.i in denied or token.dep_ == "dobj":
            found[token.i in denied][f"no {token.lemma_}"].add(reader.key(token.head))
    stated, not_stated = ({key: frozenset(things) for key, things in each.items()} for each in found)
    return Denials(stated, not_stated)


@dataclass(frozen=True)
class _Predicates:
    """Reads predicates; `keys` of the words that count, by the number of the token."""

    keys: Mapping[int, str]

    def key(self, token: Token) -> str:
        return self.keys.get(token.i) or str(token.lemma_)

    def predicate(self, verb: Token) -> str:
        """Return the key of a verb; for *be* that of what is said to be."""
        said = next((child for child in verb.children if child.dep_ in ("attr", "acomp")), None)
        return self.key(said) if verb.lemma_ == "be" and said is not None else self.key(verb)

    def beside(self, verb: Token) -> Iterator[str]:
        """Yield the things that a verb is said of."""
        for child in verb.children:
            if child.dep_ in _ARGUMENTS and child.pos_ not in ("VERB", "AUX"):
                if child.i in self.keys:
                    yield self.keys[child.i]
                yield from self.beside(child) if child.dep_ in ("prep", "agent", "conj") or verb.dep_ == "prep" else ()

    def denied_by(self, token: Token) -> Iterator[Token]:
        """Yield the verbs and things that a word denies."""
        word, relation = token.lower_, token.dep_
        if relation == "neg" or word in _DENYING or (word in _EMPTY and relation in _PLACES_OF_EMPTY):
            yield token.head
            if (
                relation == "det" and token.head.pos_ == "NOUN" and token.head.dep_ in ("nsubj", "nsubjpass")
            ):  # no dogs are allowed
                yield token.head.head
        elif word == "without" and relation == "prep":
            yield from (child for child in token.children if child.dep_ in ("pobj", "pcomp"))


def _left_open(token: Token) -> Iterator[Token]:
    """Yield what a word leaves open: *not* where only a part is denied, and *claims* what is claimed."""
    if token.dep_ == "neg" and (_in_part(token) or _of_the_speaker(token.head)):
        yield token.head
    if token.lemma_ in _NOT_SO and not _says_the_speaker(token):
        for child in token.children:
            if child.dep_ in ("ccomp", "xcomp", "pcomp", "prep"):
                yield from child.subtree


def _in_part(negation: Token) -> bool:
    """True where a *not* leaves something standing: not only, not A but B."""
    head = negation.head
    near = head.doc[negation.i + 1 : negation.i + 2]
    return any(each.lower_ in _TURNS for each in near) or any(
        each.lower_ in _TURNS and not any(other.pos_ in ("VERB", "AUX") for other in child.conjuncts)
        for child in (head, *head.children)
        for each in child.children
        if each.dep_ == "cc"
    )


def _of_the_speaker(verb: Token) -> bool:
    """True for what a speaker says of his own mind: I am not sure, I do not think so."""
    minds = any(each.lemma_ in _OF_MIND for each in (verb, *verb.children))
    return minds and _says_the_speaker(verb)


def _says_the_speaker(verb: Token) -> bool:
    return any(child.dep_ == "nsubj" and child.lower_ in ("i", "we") for child in verb.children)
