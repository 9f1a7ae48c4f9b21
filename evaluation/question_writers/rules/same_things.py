"""What `the city` means: the one name that a document says is a city."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from evaluation.question_writers.rules.document_sentences import DocumentSentence
from evaluation.question_writers.rules.parsing import in_sentence, only_sentence, phrase
from rag_pipeline.english.trees import parse

_DEFINES = re.compile(
    r"(?:The )?[A-Z][\w'’.-]*(?: (?:of|the|and|de|[A-Z(][\w'’.-]*))*,?(?: [^.]{0,60},)? "
    r"(?:is|was|are|were) (?:a|an|the|one of) "
)
_MOST = 120


class SameThings:
    """The names of a document by the noun that it says they are, where only one name is such a thing."""

    def __init__(self, sentences: Sequence[DocumentSentence]) -> None:
        defining = [one for one in sentences if _DEFINES.match(one.text)][:_MOST]
        found: dict[tuple[str, str], set[str]] = defaultdict(set)
        for one, tree in zip(defining, parse(one.text for one in defining), strict=True):
            sentence = only_sentence(tree)
            root = sentence.root if sentence is not None else None
            if root is None or root.lemma_ != "be":
                continue
            name = next((each for each in root.children if each.dep_ == "nsubj"), None)
            noun = next((each for each in root.children if each.dep_ == "attr"), None)
            if name is not None and noun is not None and name.pos_ == "PROPN" and noun.tag_ == "NN":
                found[one.title, noun.lower_].add(in_sentence(phrase(name)))
        self._names = {key: min(names) for key, names in found.items() if len(names) == 1}

    def meant_by(self, subject: str, title: str) -> str:
        """Return the name that `the city` means under a title; empty where that is not plain."""
        article, _, noun = subject.partition(" ")
        return self._names.get((title, noun), "") if article.lower() == "the" else ""
