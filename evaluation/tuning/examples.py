"""Examples to tune an embedding with: a question, the chunk that answers it, and chunks that only look like it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
import numpy.typing as npt

from evaluation.tuning.ranking import RankedQuestion, Rows, covered
from rag_pipeline.embedders.training import Row
from rag_pipeline.places import find_exact
from rag_pipeline.types import SourceDoc, Span

Similarities = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Example:
    """Chunk rows to learn from. `barred` are all chunks that may not stand as wrong answers to the question."""

    text: str
    positive: int
    negatives: tuple[int, ...]
    barred: frozenset[int]

    @property
    def chunks(self) -> set[int]:
        """All chunks that this example brings into a batch."""
        return {self.positive, *self.negatives}

    def beside(self, other: Example) -> bool:
        """True when both may share a batch: neither brings a right answer of the other as a wrong one."""
        return not (self.chunks & other.barred or other.chunks & self.barred)


def make_examples(
    questions: Sequence[RankedQuestion],
    documents: Sequence[SourceDoc],
    chunks: Rows,
    similarities: Similarities,
    negatives: int,
) -> list[Example]:
    """Return one example for each question and evidence span.

    The positive is the chunk that holds most of the evidence. The negatives are the chunks that the untuned model
    ranks highest among those that touch no evidence of the question, nor a verbatim repeat of it; what is left of
    the corpus may hold fewer than asked for, then all examples get that many. `similarities`: of each question (row)
    to each chunk, by the untuned model. Questions whose evidence lies in no chunk are left out.
    """
    texts = {doc.id: doc.text for doc in documents}
    made = []
    for question, line in zip(questions, similarities, strict=True):
        barred = _touched(chunks, question.evidence, texts)
        positives = {int(held.argmax()) for span in question.evidence if (held := covered(chunks, span)).any()}
        ranked = [row for row in np.argsort(-line, kind="stable").tolist() if row not in barred]
        for positive in sorted(positives):
            made.append(Example(question.text, positive, tuple(ranked[:negatives]), frozenset(barred)))
    fewest = min((len(example.negatives) for example in made), default=0)
    return [Example(each.text, each.positive, each.negatives[:fewest], each.barred) for each in made]


def plan_batches(examples: Sequence[Example], *, epochs: int, size: int, seed: int) -> list[list[Example]]:
    """Return the batches of all epochs: every example once an epoch, in a seeded order, at most `size` a batch.

    No batch holds two examples of which one brings the other's answer as a wrong one: simple question and twin are
    never together. A batch that would teach nothing (one example without negatives) is left out.
    """
    random = Random(seed)
    planned = []
    for _ in range(epochs):
        waiting = list(examples)
        random.shuffle(waiting)
        while waiting:
            batch: list[Example] = []
            rest: list[Example] = []
            for example in waiting:
                fits = len(batch) < size and all(example.beside(other) for other in batch)
                (batch if fits else rest).append(example)
            waiting = rest
            if len(batch) > 1 or batch[0].negatives:
                planned.append(batch)
    return planned


def rows_of(batch: Sequence[Example], passages: Sequence[str]) -> list[Row]:
    """Return a batch as texts; `passages[i]` is the text of chunk i."""
    return [(each.text, passages[each.positive], *(passages[row] for row in each.negatives)) for each in batch]


def _touched(chunks: Rows, evidence: Sequence[Span], texts: dict[int, str]) -> set[int]:
    """Return the chunks that hold a character of the evidence, or of its text wherever that stands."""
    found: set[int] = set()
    for span in evidence:
        found.update(np.flatnonzero(covered(chunks, span)).tolist())
        wanted = texts[span.document_id][span.start : span.end]
        for document_id, text in texts.items():
            for place in find_exact(text, wanted) if wanted.strip() else ():
                found.update(np.flatnonzero(covered(chunks, Span(document_id, *place))).tolist())
    return found
