"""Who does what to whom in a sentence, by its dependency tree; and what two sentences tell the other way round."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

from evaluation.metrics.support.units import NAME, NUMBER, SMALL, WORD, AnalysedSentence, SupportUnit, units_by_token

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

AGENT, PATIENT, IS, OF, BESIDE = "agent", "patient", "is", "of", "beside"
_BY_RELATION = {
    "nsubj": AGENT, "nsubjpass": PATIENT, "dobj": PATIENT, "oprd": IS, "dative": "to", "poss": OF, "npadvmod": BESIDE,
    "compound": BESIDE, "amod": BESIDE, "nummod": BESIDE, "nmod": BESIDE, "quantmod": BESIDE, "appos": BESIDE,
}  # fmt: skip
Block = tuple[str, ...]
"""The keys of a name's words, or of a number."""
_THINGS = frozenset({"NOUN", "PROPN", "NUM"})
_RELATIVE = frozenset({"WDT", "WP"})


@dataclass(frozen=True, slots=True)
class Place:
    """What a thing is to the word that governs it: `role` is a relation or a preposition."""

    governor: str
    role: str


@dataclass(frozen=True)
class Roles:
    """The places of the things in a sentence, things and governors as the keys of their units."""

    places: Mapping[str, frozenset[Place]]
    frames: Mapping[Block, frozenset[tuple[str, str]]]
    lists: frozenset[frozenset[str]]
    kinds: Mapping[str, str]
    repeated: frozenset[str]

    def together(self, one: str, other: str) -> bool:
        """True where two things stand in one list, or one of them goes with the other: the city of Paris."""
        beside = any(
            place.governor in (one, other) and place.role in (BESIDE, OF, IS)
            for thing in (one, other)
            for place in self.places.get(thing, ())
        )
        return beside or self.listed(one, other)

    def listed(self, one: str, other: str) -> bool:
        """True where two things stand in one list."""
        return any(one in each and other in each for each in self.lists)

    @cached_property
    def holders(self) -> dict[Place, set[str]]:
        """The things at each place."""
        found: dict[Place, set[str]] = defaultdict(set)
        for thing, places in self.places.items():
            for place in places:
                found[place].add(thing)
        return dict(found)


def read_roles(sentence: AnalysedSentence, tree: Doc) -> Roles:
    """Return the roles in a sentence; `tree` is that of its text."""
    units = units_by_token(sentence, tree)
    reader = _Places(units)
    read = [(token, units[token.i]) for token in tree if token.i in units]
    names = {unit for token, unit in read if token.pos_ == "PROPN" and token.is_title}
    kinds = {unit: NAME if unit in names and unit.kind == WORD else unit.kind for unit in sentence.units}
    found: dict[str, set[Place]] = defaultdict(set)
    for token, unit in read:
        if unit.kind != SMALL and (token.pos_ in _THINGS or kinds[unit] in (NAME, NUMBER)):
            found[unit.key].update(reader.places(token))
    return Roles(
        {thing: frozenset(places) for thing, places in found.items() if places},
        _frames(sentence, kinds),
        _lists(read),
        {unit.key: kind for unit, kind in kinds.items() if kind != SMALL},
        frozenset(key for key, times in Counter(unit.key for unit in sentence.units).items() if times > 1),
    )


def _lists(read: Iterable[tuple[Token, SupportUnit]]) -> frozenset[frozenset[str]]:
    """Return the things that stand in one list."""
    lists: dict[int, set[str]] = defaultdict(set)
    for token, unit in read:
        lists[_first_of_list(token).i].add(unit.key)
    return frozenset(frozenset(each) for each in lists.values() if len(each) > 1)


def _frames(sentence: AnalysedSentence, kinds: Mapping[SupportUnit, str]) -> dict[Block, frozenset[tuple[str, str]]]:
    """Return what stands right before and right after each name and each number."""
    runs: list[list[SupportUnit]] = []
    for unit in sentence.units:
        last = runs[-1][-1] if runs else None
        beside = last and sentence.text[last.end : unit.start].isspace()
        if last and beside and kinds[last] == kinds[unit] == NAME:
            runs[-1].append(unit)
        else:
            runs.append([unit])
    found: dict[Block, set[tuple[str, str]]] = defaultdict(set)
    edges = ["", *(run[-1].key for run in runs)], [*(run[0].key for run in runs[1:]), ""]
    for run, before, after in zip(runs, *edges, strict=False):
        if kinds[run[0]] in (NAME, NUMBER):
            found[tuple(unit.key for unit in run)].add((before, after))
    return {block: frozenset(frames) for block, frames in found.items()}


@dataclass(frozen=True)
class _Places:
    """Reads the places of tokens; `units` by the number of the token."""

    units: Mapping[int, SupportUnit]

    def places(self, token: Token) -> Iterator[Place]:
        """Yield what a thing is to others, also by a clause about it: *Paris, which beat London*."""
        head = _first_of_list(token)
        if place := self._place(head):
            yield place
        if head.dep_ in ("nsubj", "nsubjpass"):
            yield from self._also_does(head)
        for child in token.children:
            if child.dep_ == "relcl":
                yield from self._by_clause(child)
            elif child.dep_ == "acl" and child.tag_ in ("VBN", "VBG"):
                yield Place(self._key(child), PATIENT if child.tag_ == "VBN" else AGENT)

    def _also_does(self, subject: Token) -> Iterator[Place]:
        """Yield the places of a subject at verbs coordinated with its own that have none."""
        for verb in subject.head.conjuncts:
            if not any(child.dep_ in ("nsubj", "nsubjpass") for child in verb.children):
                passive = any(child.dep_ == "auxpass" for child in verb.children)
                yield self._of_subject(verb, PATIENT if passive else AGENT)

    def _by_clause(self, verb: Token) -> Iterator[Place]:
        for child in verb.subtree:
            if child.tag_ in _RELATIVE and (place := self._place(child)):
                yield place

    def _place(self, token: Token) -> Place | None:
        head, relation = token.head, token.dep_
        if relation == "pobj":
            return self._behind_preposition(head)
        role = _BY_RELATION.get(relation)
        if role is None or head is token:
            return None
        if relation in ("nsubj", "nsubjpass"):
            return self._of_subject(head, role)
        if role == BESIDE and head.i not in self.units and head.dep_ != "ROOT":
            return self._place(head)  # five of $5
        return Place(self._key(head), role)

    def _of_subject(self, verb: Token, role: str) -> Place:
        if verb.lemma_ == "be":
            said = next((child for child in verb.children if child.dep_ in ("attr", "acomp")), None)
            if said is not None:
                return Place(self._key(said), IS)
        return Place(self._key(verb), role)

    def _behind_preposition(self, preposition: Token) -> Place:
        role, head = preposition.lower_, preposition.head
        if preposition.dep_ == "agent":
            return Place(self._key(head), AGENT)
        while head.dep_ == "prep":
            head = head.head
        return Place(self._key(_first_of_list(head) if head.pos_ in _THINGS else head), role)

    def _key(self, token: Token) -> str:
        unit = self.units.get(token.i)
        return unit.key if unit and unit.kind != SMALL else str(token.lemma_)


def _first_of_list(token: Token) -> Token:
    """Return the first of coordinated things, which stands for all of them."""
    while token.dep_ == "conj" and token.head.pos_ in _THINGS:
        token = token.head
    return token


def exchanged(said: Roles, evidence: Roles) -> Iterator[tuple[str, str]]:
    """Yield (thing, other) of one kind: at a place of the other in the evidence stands the thing, the other elsewhere.

    The two must have changed places with each other. Of names and numbers one of the two places is enough where the
    evidence has all that is said, and the word that governs the place stands once in each sentence. Parts of one phrase
    or one list are never exchanged.
    """
    displaced = {(thing, other): place for thing, other, place in _displaced(said, evidence)}
    all_there = said.kinds.keys() <= evidence.kinds.keys()
    unclear = said.repeated | evidence.repeated
    for (thing, other), place in displaced.items():
        if said.kinds[thing] == said.kinds[other] and not evidence.together(thing, other):
            named = said.kinds[thing] == NUMBER or (said.kinds[thing] == NAME and place.role != BESIDE)
            if (other, thing) in displaced or (all_there and named and place.governor not in unclear):
                yield thing, other
    if all_there:
        yield from _out_of_frame(said, evidence)


def _displaced(said: Roles, evidence: Roles) -> Iterator[tuple[str, str, Place]]:
    for place, mine in said.holders.items():
        theirs = evidence.holders.get(place, set())
        for thing in mine - theirs:
            if thing in evidence.places:
                yield from ((thing, other, place) for other in theirs - mine if other in said.places)


def _out_of_frame(said: Roles, evidence: Roles) -> Iterator[tuple[str, str]]:
    for one, other in combinations(said.frames, 2):
        if one in evidence.frames and other in evidence.frames and not evidence.listed(one[-1], other[-1]):
            mine, theirs = (evidence.frames[each] for each in (one, other))
            turned = said.frames[one] & (theirs - mine) and said.frames[other] & (mine - theirs)
            if turned and not _as_before(one[-1], other[-1], said, evidence):
                yield one[-1], other[-1]


def _as_before(one: str, other: str, said: Roles, evidence: Roles) -> bool:
    """True where one of two things has kept a place that is its own: passive for active turns the order only."""
    return any(
        place.role != BESIDE and not {one, other} <= evidence.holders[place]
        for thing in {one, other}
        for place in said.places.get(thing, frozenset()) & evidence.places.get(thing, frozenset())
        if one != other
    )
