"""Questions that a list answers, asked by the sentence that leads to it: `The deposit covers:`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from evaluation.question_writers.rules.asking_arguments import ASKED_WITH
from evaluation.question_writers.rules.candidates import Candidate
from evaluation.question_writers.rules.clauses import clauses, tidy
from evaluation.question_writers.rules.document_sentences import DocumentSentence
from evaluation.question_writers.rules.first_person import as_asked
from evaluation.question_writers.rules.parsing import in_sentence, phrase
from rag_pipeline.english.lemmas import content_lemmas, lower_words, parts_of_speech
from rag_pipeline.types import Span

if TYPE_CHECKING:
    from spacy.tokens import Span as Tree
    from spacy.tokens import Token

LIST = "list"
_ITEMS, _ITEM_WORDS, _ALL_WORDS = range(2, 9), 18, 60
_THINGS, _SAYS_ENOUGH = "things", 2
_NAMING = frozenset({"call", "name", "title"})
"""Verbs of which a passive still has an object: `They are called:`; `They are numbered:` asks how."""
_FOLLOW = r"(?:follow|do|complete|take|perform|use) (?:these|the following|the)\b(?: \w+){0,2}"
_TO_DO = re.compile(
    rf"(?:To|How to|If you (?:want|need|wish|would like) to) (?P<task>[a-z][^:;]*?)(?:,[^,:]*\b{_FOLLOW})?:|"
    rf"(?i:{_FOLLOW}) to (?P<aim>[a-z][^:;]*):"
)
_THERE_ARE = re.compile(r"There are (?:the following )?(?P<things>[^,:;]*s (?:of|for|to|in) [^,:;]*):")


def items_behind(sentences: Sequence[DocumentSentence], at: int, text: str) -> tuple[DocumentSentence, ...]:
    """Return the items of the list that a sentence leads to; none where that is not plain, or the list is long."""
    if not sentences[at].text.endswith(":") or sentences[at].row is not None:
        return ()
    end = at + 1
    while end < len(sentences) and sentences[end].is_list_item and sentences[end].heading == sentences[at].heading:
        end += 1
    found = tuple(sentences[at + 1 : end])
    cut = end < len(sentences) and "\n\n" not in text[sentences[end - 1].span.end : sentences[end].span.start]
    indents = {one.span.start - text.rfind("\n", 0, one.span.start) for one in found}
    words = [len(one.text.split()) for one in found]
    fits = len(found) in _ITEMS and max(words) <= _ITEM_WORDS and sum(words) <= _ALL_WORDS
    fits = fits and len(indents) == 1  # a list in a list is no item
    return found if fits and not cut and not any(one.text.endswith(":") for one in found) else ()


def lead_in(sentence: DocumentSentence) -> str:
    """Return a sentence that leads to a list as a parser can read it: with something for the list to stand for."""
    said = re.sub(r"\bthese(?= [\w -]+$)", "the following", sentence.text.rstrip(": "))
    said = re.sub(r"(?:as follows|(?:the )?following)$", f"the following {_THINGS}", said)
    return f"{said}." if "following" in said else f"{said} the following {_THINGS}."


def ask_list(tree: Tree, sentence: DocumentSentence, items: Sequence[DocumentSentence]) -> Iterator[Candidate]:
    """Yield the question that a list answers; the evidence is all of it with its lead-in."""
    answer = "; ".join(re.sub(r"[\s.;,]+(?:and|or)?$", "", one.text) for one in items)
    span = Span(sentence.span.document_id, sentence.span.start, items[-1].span.end)
    whole = DocumentSentence(span, " ".join((sentence.text, *(one.text for one in items))))
    for text, topic in dict(_questions(tree, sentence.text, items)).items():
        said = as_asked(text)
        if len(content_lemmas(said)) >= _SAYS_ENOUGH:
            yield Candidate(LIST, said, (), answer, topic, (sentence, whole), 1)


def _questions(tree: Tree, text: str, items: Sequence[DocumentSentence]) -> Iterator[tuple[str, str]]:
    """Yield a question with what it is about."""
    if to_do := _TO_DO.fullmatch(text):
        orders = all("VERB" in parts_of_speech((lower_words(one.text) or [""])[0]) for one in items)
        task = to_do["task"] or to_do["aim"]
        if orders and len(task.split()) > 1:
            yield tidy(f"how do I {task}"), ""
    elif there_are := _THERE_ARE.fullmatch(text):
        yield tidy(f"what are the {there_are['things']}"), ""
    else:
        for noun in (each.head for each in tree if each.lower_ == "following" and each.head.tag_ == "NNS"):
            yield from _asked_for(noun, tree)


def _asked_for(noun: Token, tree: Tree) -> Iterator[tuple[str, str]]:
    """Yield what asks for a noun that stands for the list."""
    said = in_sentence([each for each in phrase(noun) if each.lower_ not in {"the", "following"}])
    asking = "what" if noun.lower_ == _THINGS else f"which {said}"
    for clause in clauses(tree):
        usable = (clause.subject.pos_ != "PRON" or clause.subject.lower_ == "you") and not clause.negated
        usable = usable and not (clause.is_passive and noun.lower_ == _THINGS and clause.verb.lemma_ not in _NAMING)
        first, beside = noun.left_edge.nbor(-1) if noun.left_edge.i else noun, noun.lower_ != _THINGS
        if usable and noun.head == clause.verb and (first == clause.verb or (beside and noun.dep_ == "dobj")):
            yield clause.question(asking, [noun]), clause.said_subject()
        elif usable and first == noun.head and f"{clause.verb.lemma_} {first.lower_}" in ASKED_WITH:
            yield clause.question(asking, [first], end=first.lower_), clause.said_subject()
        elif clause.subject == noun and clause.verb == tree.root and beside:
            verbs = " ".join(each.lower_ for each in (*clause.auxiliaries, clause.verb))
            text = tidy(f"{asking} {verbs} {clause.rest()}")
            if len(content_lemmas(text)) > _SAYS_ENOUGH:
                yield text, ""
