"""Agreement: how close answer and reference are in meaning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from evaluation.metrics.base import UNREAD, Metric, MetricContext, metrics
from evaluation.metrics.worked import WorkedExample
from evaluation.types import Sample, Score


@metrics.register
class SemanticSimilarity(Metric):
    """Cosine of answer and reference under the scoring embedding; the best of several references counts.

    Null where the local model cannot read the answer, or any reference: it takes all such texts for one. Equal texts
    are 1 all the same.
    """

    key = "semantic_similarity"
    label = "Semantic similarity"
    known_as = {"RAGAS": ("SemanticSimilarity",)}
    help = "Cosine of answer and reference under the scoring embedding."
    group = "agreement"
    is_agreement = True
    kinds = frozenset({"simple", "complex"})
    needs: ClassVar[frozenset[str]] = frozenset({"reference"})
    formula = "max(0, cosine(answer, reference))"
    source = "Reimers and Gurevych 2019; as in Risch et al. 2021"
    people = "AUROC .878 (.721 to .977) on 96 answers of instruct-qa, right or wrong"
    cannot_see = "a negation or an exchange of names and numbers, which leave words and cosine nearly as they were"
    worked = WorkedExample(
        1.0,
        "Equal texts have equal vectors: their cosine is 1.",
        answer="born in London",
        references=("born in London",),
    )

    def score_block(self, samples: Sequence[Sample], context: MetricContext) -> list[Score]:
        """Embed every distinct text of the block once."""
        texts: dict[str, int] = {}
        for sample in samples:
            for text in (sample.trace.answer, *sample.reference_answers):
                if text.strip():
                    texts.setdefault(text, len(texts))
        if not texts:
            return [_EMPTY] * len(samples)
        vectors = np.asarray(context.embed(list(texts)), dtype=np.float64)
        return [_best(sample, texts, vectors, context) for sample in samples]


_EMPTY = Score(0.0, "the answer is empty")


def _best(sample: Sample, texts: dict[str, int], vectors: np.ndarray, context: MetricContext) -> Score:
    answer = sample.trace.answer
    if not answer.strip():
        return _EMPTY
    references = [reference for reference in sample.reference_answers if reference.strip()]
    references = [reference for reference in references if context.comparable(answer, reference)]
    if not references:
        return Score.unscored(UNREAD)
    cosines = vectors[[texts[reference] for reference in references]] @ vectors[texts[answer]]
    best = int(np.argmax(cosines))
    # Rounding may leave the cosine of equal texts just above 1; opposite meanings are no worse than unrelated ones.
    value = float(np.clip(cosines[best], 0.0, 1.0))
    return Score(value, f"cosine {cosines[best]:.2f} with the closest reference", {"reference": references[best]})
