"""The evidence of a question: the sentences that its answer rests on, and the neighbour that tells of the same."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from evaluation.question_writers.rules.candidates import Candidate
from evaluation.question_writers.rules.corpus import CorpusText
from evaluation.question_writers.rules.document_sentences import DocumentSentence
from evaluation.question_writers.rules.standing_alone import POINTING
from rag_pipeline.english.lemmas import content_lemmas, lower_words
from rag_pipeline.types import Span

_NEIGHBOURS = 10
"""Characters between two sentences that stand side by side, at most."""
_OPENING = 6
"""Words of a sentence among which one that points back joins it to the sentence before."""
_PARAGRAPH = "\n\n"
_POINTS = 1.0
"""What such a word weighs beside the rarity of shared words."""


def evidence_of(candidate: Candidate, corpus: CorpusText) -> list[Span]:
    """Return where the evidence stands, neighbours as one span.

    A single sentence seldom is all that a person needs: the one beside it in its paragraph says what it is about or
    goes on with it. It belongs to the evidence where both speak of the same thing. With one sentence alone, small
    chunks look better than people's questions find them (docs/testset-quality.md).
    """
    sentences = [*candidate.sentences]
    if len(sentences) == 1:
        sentences += _told_with(sentences[0], corpus)
    spans: list[Span] = []
    for one in sorted(sentences, key=lambda each: (each.span.document_id, each.span.start)):
        if spans and _side_by_side(spans[-1], one.span):
            spans[-1] = Span(one.span.document_id, spans[-1].start, max(spans[-1].end, one.span.end))
        else:
            spans.append(one.span)
    return spans


def _told_with(sentence: DocumentSentence, corpus: CorpusText) -> list[DocumentSentence]:
    """Return the neighbour that has most in common with a sentence, as a list; empty where none has anything."""
    found = [
        (_in_common(first, second, corpus), neighbour)
        for first, second, neighbour in _pairs(sentence, corpus.sentences[sentence.span.document_id])
        if _side_by_side(first.span, second.span)
        and _PARAGRAPH not in corpus.texts[first.span.document_id][first.span.end : second.span.start]
    ]
    most, neighbour = max(found, key=lambda each: each[0], default=(0.0, sentence))
    return [neighbour] if most > 0 else []


def _pairs(
    sentence: DocumentSentence, all_sentences: Sequence[DocumentSentence]
) -> Iterator[tuple[DocumentSentence, DocumentSentence, DocumentSentence]]:
    """Yield the sentence with the one before and the one behind it, in their order, then that neighbour."""
    at = bisect_left(all_sentences, sentence.span.start, key=lambda each: each.span.start)
    if at > 0:
        yield all_sentences[at - 1], sentence, all_sentences[at - 1]
    if at + 1 < len(all_sentences):
        yield sentence, all_sentences[at + 1], all_sentences[at + 1]


def _in_common(first: DocumentSentence, second: DocumentSentence, corpus: CorpusText) -> float:
    """Return the rarity of shared words, and more where the second sentence points back."""
    shared = set(content_lemmas(first.text)) & set(content_lemmas(second.text))
    points = POINTING & set(lower_words(second.text)[:_OPENING])
    return sum(map(corpus.index.rarity, shared)) + (_POINTS if points else 0.0)


def _side_by_side(first: Span, second: Span) -> bool:
    return first.document_id == second.document_id and second.start - first.end < _NEIGHBOURS
