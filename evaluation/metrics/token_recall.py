"""Agreement: how much of the reference's words the answer has."""

from __future__ import annotations

from typing import ClassVar

from evaluation.metrics.base import Metric, MetricContext, metrics
from evaluation.metrics.overlap import NO_TOKENS, UNTELLABLE, Tokens, any_untellable, share, tokens_of
from evaluation.metrics.worked import WorkedExample
from evaluation.types import Sample, Score


@metrics.register
class TokenRecall(Metric):
    """Share of the reference's tokens that the answer has; the best of several references counts."""

    key = "token_recall"
    label = "Token recall"
    known_as = {
        "unitxt": (
            "metrics.rag.answer_correctness",
            "metrics.rag.answer_correctness.token_recall",
            "metrics.rag.correctness",
            "metrics.rag.recall",
        )
    }
    help = "Share of the reference's words that the answer has."
    group = "agreement"
    is_agreement = True
    kinds = frozenset({"simple", "complex"})
    needs: ClassVar[frozenset[str]] = frozenset({"reference"})
    formula = "tokens common to answer and reference / tokens of the reference, as multisets"
    source = "Tokens as in SQuAD (Rajpurkar et al. 2016); recall as in Adlakha et al. 2024"
    people = "AUROC .856 (.663 to .972) on 96 answers of instruct-qa, right or wrong"
    cannot_see = "the order of words, negations and synonyms: it counts common words"
    worked = WorkedExample(
        0.6,
        "3 of the 5 tokens of the reference (born, in, 1815) are in the answer; London and an “in” are not: 3/5.",
        answer="She was born in 1815.",
        references=("born in London in 1815",),
    )

    def score(self, sample: Sample, context: MetricContext) -> Score:
        """Return the best recall over the references; null when none of them has a token."""
        answer = tokens_of([sample.trace.answer])
        best: tuple[float, Tokens, str] | None = None
        for reference in sample.reference_answers:
            wanted = tokens_of([reference])
            if not wanted:
                continue
            recall = share(answer, wanted)
            if best is None or recall > best[0]:
                best = (recall, wanted, reference)
        if best is None:
            return Score.unscored(NO_TOKENS)
        recall, wanted, reference = best
        if recall < 1 and any_untellable(sample):
            return Score.unscored(UNTELLABLE)
        missing = wanted - answer
        found = wanted.total() - missing.total()
        reason = f"{found} of {wanted.total()} words of the reference are in the answer"
        return Score(recall, reason, {"reference": reference, "missing": sorted(missing.elements())})
