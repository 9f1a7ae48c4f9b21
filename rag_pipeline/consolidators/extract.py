"""Consolidation by extraction: of each context only the sentences that bear on the question, as exact spans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from rag_pipeline.consolidators.base import Consolidator, consolidators
from rag_pipeline.consolidators.pieces import Piece, pieces_of
from rag_pipeline.embedders.base import Vectors, embedders
from rag_pipeline.types import Context, Hit, Span

if TYPE_CHECKING:
    from rag_pipeline.extractive_qa.question_analysis import QuestionAnalysis

# The three numbers were chosen on every second question of the benchmark's texts; the figures in docs/benchmarks.md are
# those of the others.
_WORDS = 0.5
"""How much the question's words, names and numbers count beside the cosine."""
_NEIGHBOUR = 0.5
"""How much of a better neighbour's score a sentence takes over: evidence seldom stands alone."""
_SHARE = 0.6
"""Share of the best score of a question from which a sentence is kept."""


@consolidators.register
class ExtractConsolidator(Consolidator):
    """Scores each sentence by its cosine to the question and by the question's words in it; keeps those near the best.

    Sentences that stand together stay one span. A kept table row keeps its header row; headings stay where what follows
    them is kept, never alone. What overlapping contexts repeat comes once.
    """

    key = "extract"
    label = "Only sentences that bear on the question"
    help = "Shorter prompts, fewer distractions: pays off with large chunks or a high top k. May drop what only hints."

    def consolidate_many(self, questions: Sequence[str], contexts: Sequence[Sequence[Context]]) -> list[list[Hit]]:
        """Return the kept spans of each question: contexts in their order, text in its own. Raises ProviderError."""
        from rag_pipeline.extractive_qa.question_analysis import analyse_question  # slow to load, and seldom chosen

        readings = [analyse_question(question) for question in questions]
        rows = [pieces_of(row) for row in contexts]
        cosines = self._cosines(readings, rows)
        return [
            _hits(row, [pieces[place] for place in kept_places(pieces, _scores(reading, pieces, cosine))])
            for reading, row, pieces, cosine in zip(readings, contexts, rows, cosines, strict=True)
        ]

    def _cosines(self, questions: Sequence[QuestionAnalysis], rows: Sequence[Sequence[Piece]]) -> list[Vectors]:
        """Return the cosine of each piece to its question, all embedded in one batch."""
        if self.embed is None:
            self.embed = embedders.get("local")("all-MiniLM-L6-v2", "mean").embed_passages
        texts = [question.core for question in questions] + [piece.meaning for row in rows for piece in row]
        distinct = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        if not any(rows):
            return [np.zeros(0, np.float32) for _ in rows]
        vectors = self.embed(list(distinct))
        return [
            vectors[[distinct[piece.meaning] for piece in row]] @ vectors[distinct[question.core]]
            for question, row in zip(questions, rows, strict=True)
        ]


def _scores(question: QuestionAnalysis, pieces: Sequence[Piece], cosines: Vectors) -> Vectors:
    """Return the worth of each piece; the words of its headings count half."""
    from rag_pipeline.extractive_qa.matching import match, tagged

    supports = [
        (match(question, tagged(piece.text)).support + match(question, tagged(piece.with_heads)).support) / 2
        for piece in pieces
    ]
    return np.asarray(cosines + _WORDS * np.array(supports, np.float32), np.float32)


def kept_places(pieces: Sequence[Piece], scores: Vectors) -> list[int]:
    """Return the places of the pieces to keep, in order: those near the best, and what they need to be understood."""
    plain = [place for place, piece in enumerate(pieces) if not piece.is_frame]
    if not plain:
        return []
    lifted = {place: _lifted(place, pieces, scores) for place in plain}
    least = _SHARE * max(lifted.values())
    kept = {place for place in plain if lifted[place] >= least}
    kept |= {head for place in kept for head in pieces[place].heads if not pieces[head].is_heading}
    for place in reversed(range(len(pieces) - 1)):
        if pieces[place].is_heading and place + 1 in kept and pieces[place].context == pieces[place + 1].context:
            kept.add(place)
    return sorted(kept)


def _lifted(place: int, pieces: Sequence[Piece], scores: Vectors) -> float:
    """Return the score of a piece, raised towards that of a better neighbour in the same context."""
    own = float(scores[place])
    neighbours = [
        float(scores[near])
        for near in (place - 1, place + 1)
        if 0 <= near < len(pieces) and pieces[near].context == pieces[place].context and not pieces[near].is_frame
    ]
    return max([own, *((1 - _NEIGHBOUR) * own + _NEIGHBOUR * near for near in neighbours)])


def _hits(contexts: Sequence[Context], kept: Sequence[Piece]) -> list[Hit]:
    """Return the kept pieces as spans; where nothing could be judged, the contexts as they are."""
    if not kept:
        return [Hit(context.span, context.score, rank) for rank, context in enumerate(contexts, 1)]
    return [
        Hit(Span(contexts[place].span.document_id, start, end), contexts[place].score, rank)
        for rank, (place, start, end) in enumerate(_joined(contexts, kept), 1)
    ]


def _joined(contexts: Sequence[Context], kept: Sequence[Piece]) -> Iterator[tuple[int, int, int]]:
    """Yield (context, start, end) with pieces joined where only white space lies between."""
    place, start, end = kept[0].context, kept[0].start, kept[0].end
    for piece in kept[1:]:
        context = contexts[place]
        gap = context.text[end - context.span.start : piece.start - context.span.start]
        if piece.context == place and not gap.strip():
            end = piece.end
        else:
            yield place, start, end
            place, start, end = piece.context, piece.start, piece.end
    yield place, start, end
