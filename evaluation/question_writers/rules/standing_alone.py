"""Whether a question is understood without its passage: no pronoun, no `the city`, nothing that points elsewhere."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from evaluation.question_writers.rules.document_sentences import DocumentSentence
from evaluation.question_writers.rules.document_topic import DocumentTopic
from rag_pipeline.english.lemmas import lower_words
from rag_pipeline.english.words import word_set

if TYPE_CHECKING:
    from spacy.tokens import Token

POINTING = word_set(
    "he she it they him them himself herself itself themselves we us our ours this these those "
    "such here there former latter above below following aforementioned today yesterday tomorrow now currently "
    "recently ago respectively another one ones latter said same certain"
)
_POSSESSIVE = word_set("his her its their")
_NEEDS_A_NAME = word_set(
    "city town country company game song album film movie book novel series battle war king queen river church "
    "building season team village ship storm hurricane author bridge castle island party species group case man "
    "woman boy girl "
    "area region site place time period year day week month century decade result number amount figure table section "
    "chapter paper study article list example show episode band club school university college station road route "
    "line project program event campaign attack incident fire match race tournament other others latter former first "
    "second third last next people men women family father mother son daughter brother wife husband character player "
    "actor president army regiment empire kingdom dynasty treaty act bill report award single track video play"
)
_KNOWN_TO_ALL = word_set("world earth sun moon sea internet public past future law sky universe bible web environment")
_SLICES, _IN_SLICES, _TIMES = 20, 3, 4


class KnownThings:
    """What a document speaks of as `the trustee` throughout, so that a question may too."""

    def __init__(self, sentences: Sequence[DocumentSentence]) -> None:
        self.topic = DocumentTopic(sentences)
        slices: dict[str, set[int]] = defaultdict(set)
        times: Counter[str] = Counter()
        for number, one in enumerate(sentences):
            for match in re.finditer(r"\bthe (?:[a-z-]+ )?([a-z-]+)\b", one.text.lower()):
                slices[match.group(1)].add(number * _SLICES // len(sentences))
                times[match.group(1)] += 1
        self._known = {noun for noun, where in slices.items() if len(where) >= _IN_SLICES and times[noun] >= _TIMES}
        self._known -= _NEEDS_A_NAME | {f"{noun}s" for noun in _NEEDS_A_NAME}

    def has(self, noun: Token) -> bool:
        """Return whether a question may say `the` before a noun without more."""
        return noun.lemma_.lower() in _KNOWN_TO_ALL or noun.lower_ in self._known

    def are_understood(self, tokens: Iterable[Token], said: str) -> bool:
        """Return whether every `the …` among the tokens that the question says is known or made clear."""
        return all(self._is_understood(each, said) for each in tokens if each.pos_ in {"NOUN", "PRON", "ADJ"})

    def _is_understood(self, noun: Token, said: str) -> bool:
        definite = any(each.dep_ == "det" and each.lower_ in {"the", "that"} for each in noun.children)
        if not definite or not noun.i or f"{noun.nbor(-1).lower_} {noun.lower_}" not in said.lower():
            return True
        that = any(each.dep_ == "det" and each.lower_ == "that" for each in noun.children)
        if that:
            return False
        named = any(each.pos_ in {"PROPN", "NUM"} and each.text in said.split() for each in noun.subtree)
        clear = any(each.dep_ in {"relcl", "acl"} for each in noun.children)
        described = [each.i for each in noun.children if each.dep_ == "compound" or each.dep_ == "amod"]
        kind = any(each.dep_ == "compound" for each in noun.children) or len(described) > 1
        clear = clear or (kind and noun.lower_ not in _NEEDS_A_NAME)
        of = any(each.dep_ == "prep" and each.lower_ in {"of", "for", "between"} for each in noun.children)
        most = any(each.tag_ in {"JJS", "RBS"} for each in noun.subtree)
        return named or clear or of or (most and self.has(noun)) or self.has(noun)


def points_elsewhere(question: str, subject: str) -> bool:
    """Return whether a question has a pronoun or the like; `its` is understood behind a subject that is a noun."""
    words = lower_words(question)
    if POINTING & set(words):
        return True
    own = lower_words(subject)
    return any(word in _POSSESSIVE and (not own or own[-1] not in words[:at]) for at, word in enumerate(words))
