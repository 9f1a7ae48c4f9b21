"""What the trained reader finds in all contexts of a question: the best span of each sentence, each sentence once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rag_pipeline.reader.decoding import Span
from rag_pipeline.reader.evidence import Passage, Range, passages_of
from rag_pipeline.reader.sentences import split_sentences
from rag_pipeline.reader.span_reader import SpanReader
from rag_pipeline.types import Context


@dataclass(frozen=True, slots=True)
class Finding:
    """A possible answer. `start`, `end` are its characters in the sentence; `span` is what the network says of it."""

    passage: Passage
    start: int
    end: int
    span: Span

    @property
    def text(self) -> str:
        """The phrase."""
        return self.passage.text[self.start : self.end]

    @property
    def worth(self) -> float:
        """What findings of different contexts are compared by."""
        return self.span.worth + self.span.answerable


def findings(
    reader: SpanReader, questions: Sequence[str], contexts: Sequence[Sequence[Context]]
) -> list[list[Finding]]:
    """Return for each question what was found in its contexts, best first, at most one a sentence.

    A sentence that overlapping contexts repeat counts once, where it is worth most; one that a context's edge cuts off
    gives way to the whole one.
    """
    read = reader.spans(questions, [[context.text for context in row] for row in contexts])
    return [_joined(row, spans) for row, spans in zip(contexts, read, strict=True)]


def _joined(contexts: Sequence[Context], spans: Sequence[Sequence[Span]]) -> list[Finding]:
    whole = {
        _range(passage.context, passage.sentence.start, passage.sentence.end): passage
        for passage in passages_of(contexts)
    }
    found: dict[Range, Finding] = {}
    for context, own in zip(contexts, spans, strict=True):
        sentences = split_sentences(context.text)
        for span in own:
            sentence = sentences[span.sentence]
            place = _range(context, sentence.start, sentence.end)
            if place in whole:
                finding = Finding(whole[place], span.start - sentence.start, span.end - sentence.start, span)
                if place not in found or finding.worth > found[place].worth:
                    found[place] = finding
    return sorted(found.values(), key=lambda finding: -finding.worth)


def _range(context: Context, start: int, end: int) -> Range:
    return context.span.document_id, context.span.start + start, context.span.start + end
