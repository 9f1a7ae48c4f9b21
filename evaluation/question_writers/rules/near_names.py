"""What near questions ask about: names and terms of the documents, each with the kind of thing that it is."""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from dataclasses import dataclass

from evaluation.question_writers.rules.corpus import CorpusText
from evaluation.question_writers.rules.document_sentences import DocumentSentence
from evaluation.question_writers.rules.entities import ORGANISATION_WORDS, given_names, looks_like_person
from rag_pipeline.english.lemmas import lemma
from rag_pipeline.english.trees import parse
from rag_pipeline.english.words import word_set

_PARSED = 240
"""Sentences that are read for names, drawn by the seed."""
_TWICE, _SURE, _SHORT, _MASS = 2, 0.8, 2, 3
_SPOKEN_OF = 4
"""So often a text has the names that it is about."""
_TOWN = r"(?:city|town|village|municipality|borough)"
_A_TOWN = rf"(?<!est )\b{_TOWN} of {{name}}\b|\b{{name}}(?: is| was|,) an? (?:[\w-]+ ){{{{0,4}}}}{_TOWN}\b"
"""Where a text says that a name is a place: the tagger takes `Linux` and `Sections` for towns."""
_DID = r"\b{name},? (?:[a-z]+ )?(?:was|were|had|died|wrote|[a-z]+ed)\b"
"""Where a text tells something of a person; others are given as examples."""
_BUILDINGS = word_set("palace castle museum tower bridge cathedral library theatre theater stadium hall house station")
_OUTWARD = word_set("each every report section table figure act chapter rule code court")


@dataclass(frozen=True, slots=True)
class Name:
    """A name or term as a question would say it, what kind of thing it is, and how often the corpus has it.

    `is_topic`: the documents are about it, so that people ask more of it.
    """

    text: str
    kind: str
    count: int
    is_topic: bool = False


def names(corpus: CorpusText, seed: int) -> list[Name]:
    """Return names of a clear kind and terms of the text in an order drawn from the seed, rare ones last."""
    rng = random.Random(f"near:{seed}")
    sentences = [one for doc in corpus.documents for one in corpus.sentences[doc.id] if one.row is None]
    chosen = sentences if len(sentences) <= _PARSED else rng.sample(sentences, _PARSED)
    labels, terms = _read(chosen)
    text = _Text(" ".join(one.text for one in sentences))
    found = [_name(said, kinds, text) for said, kinds in labels.items()]
    named = sorted({one.text: one for one in found if one is not None}.values(), key=lambda one: one.text)
    spoken_of = [_term(said, articles, text) for said, articles in terms.items()]
    general = sorted((one for one in spoken_of if one is not None), key=lambda one: one.text)
    rng.shuffle(named)
    rng.shuffle(general)
    return sorted(named + general, key=lambda one: one.count < _SPOKEN_OF)


def _read(sentences: list[DocumentSentence]) -> tuple[dict[str, Counter[str]], dict[str, Counter[str]]]:
    """Return the kinds of the names in sentences, and the forms (`the filing fee`) of terms."""
    labels: dict[str, Counter[str]] = defaultdict(Counter)
    terms: dict[str, Counter[str]] = defaultdict(Counter)
    for tree in parse(one.text for one in sentences):
        for entity in tree.ents:
            said = re.sub(r"^[Tt]he |['’]s$", "", entity.text)
            labels[said][entity.label_] += 1
        for noun in tree:
            words = [each for each in noun.children if each.dep_ in {"compound", "amod"} and each.i < noun.i]
            if noun.tag_ == "NN" and words and words[-1].dep_ == "compound" and not noun.ent_type_:
                parts = [*words, noun]
                joined = parts[-1].i - parts[0].i + 1 == len(parts)
                plain = all(len(each) > _SHORT and each.lower_.isalpha() and each.tag_ != "JJS" for each in parts)
                article = next((each.lower_ for each in noun.children if each.dep_ == "det"), "")
                if joined and plain and article in {"the", "a", "an", ""}:
                    terms[" ".join(each.lower_ if each.is_sent_start else each.text for each in parts)][article] += 1
    return labels, terms


class _Text:
    """All that a corpus says, to look names up in."""

    def __init__(self, text: str) -> None:
        self.text, self.lower = text, text.lower()
        self._words = frozenset(re.findall(r"\w+", text))

    def has_word(self, word: str) -> bool:
        """Return whether a word stands somewhere as it is written here."""
        return word in self._words if word.isalnum() else bool(re.search(rf"\b{re.escape(word)}\b", self.text))


def _term(said: str, articles: Counter[str], text: _Text) -> Name | None:
    """Return a term of the text, which its last noun is the kind of, as the text mostly says it."""
    article = max(("the", "a", "an"), key=lambda each: articles[each])
    bare = articles[""] >= max(_MASS, 2 * articles[article])
    count = text.lower.count(said.lower())
    if count < _TWICE or not said.islower() or not (bare or articles[article]):
        return None  # without an article, it may be short for `the filing fee`
    said_so = "" if bare else article if article == "the" else "an" if said[0] in "aeiou" else "a"
    return Name(f"{said_so} {said}".strip(), lemma(said.split()[-1]), count)


def _name(said: str, labels: Counter[str], text: _Text) -> Name | None:
    """Return a name that the model takes for one kind of thing throughout, and that the corpus has twice."""
    label, times = labels.most_common(1)[0]
    words = said.split()
    whole = all(word[:1].isupper() or word in {"of", "and", "the", "de", "for"} for word in words)
    if times < _SURE * labels.total() or not whole or not said[-1:].isalpha():
        return None
    kind, count = _kind(label, words), text.text.count(said)
    if not kind or count < _TWICE:
        return None
    if kind == "person" and not re.search(_DID.format(name=re.escape(words[-1])), text.text):
        return None
    if kind == "settlement" and not re.search(_A_TOWN.format(name=re.escape(said)), text.text):
        return None
    if (
        any(word[0].isupper() and text.has_word(word.lower()) for word in words)
        or _OUTWARD & {word.lower() for word in words}
        or (said.isupper() and len(said) > 6)
        or not all(len(word) > 1 for word in words)
    ):
        return None
    article = text.text.count(f"the {said}") > count / 2 and label != "PERSON"
    return Name(f"the {said}" if article else said, kind, count)


def _kind(label: str, words: list[str]) -> str:
    last = words[-1].lower()
    if label == "PERSON":
        return "person" if looks_like_person(words) and words[0].lower() in given_names() else ""
    if label == "GPE":
        return "settlement" if len(words) == 1 else ""
    if label == "FAC":
        return "building" if last in _BUILDINGS else ""
    named = bool((ORGANISATION_WORDS - {"congress"}) & {word.lower() for word in words})
    return "organisation" if label == "ORG" and len(words) > 1 and named else ""
