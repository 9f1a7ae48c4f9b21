"""Correctness without a judge: how well the answer agrees with its reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

from evaluation.metrics.base import REFUSALS_IN_LANGUAGES, Metric, MetricContext, metrics
from evaluation.metrics.language.scripts import script_barrier
from evaluation.metrics.overlap import NO_TOKENS, share, tokens_of
from evaluation.metrics.semantic_similarity import SemanticSimilarity
from evaluation.metrics.support.opposites import opposed, yes_or_no
from evaluation.metrics.support.support import Support, SupportCase, support_of
from evaluation.metrics.support.units import content_units
from evaluation.metrics.support.weighting import SCHEME
from evaluation.metrics.worked import WorkedExample
from evaluation.types import Sample, Score
from rag_pipeline.embedders.base import Embed

_SCHEME = replace(SCHEME, small=0.05, asked=0.02, weakest=0.0, order=0.0, alike=0.75, kinds_apart=True, trees=False)
"""What the question says already is nearly no part of its answer; a reference is no list of claims to distrust; a lone
word is like another only where the two are close. Trees tell swapped answers, but here agree no better with people."""
_MEANING = 0.4
"""Share of what is missing that closeness in meaning makes up for."""
_OPPOSED = 0.25
"""Factor for a short reference of which the answer says the opposite, or another thing of the same kind."""
_FEWEST_UNITS = 3
"""Units of a reference below which its closeness in meaning counts less."""
_BACK = 0.3
"""How much it counts that a long reference supports the answer."""
_SHORT, _LONG = 5, 10
"""Units up to which a reference is short, and from which it is long; in between both rules count in part."""


@metrics.register
class CorrectnessOffline(Metric):
    """Support of the reference by the answer; closeness in meaning makes up for a part of what is missing.

    The best reference counts. A refusal and an empty answer score 0. A reference without a word that counts (yes) falls
    back on token recall.
    """

    key = "correctness_offline"
    label = "Correctness (offline)"
    help = "How much of what the reference states, beyond the question, the answer states too."
    group = "agreement"
    is_agreement = True
    kinds: ClassVar[frozenset[str]] = frozenset({"simple", "complex"})
    needs: ClassVar[frozenset[str]] = frozenset({"reference"})
    revision = 3
    changes = (
        "not allowed is no opposite of prohibited, numbers below zero are read; revision 2: words of a kind (Monday, "
        "Tuesday), other numbers and negations are no agreement, meaning only makes up for what is missing, a long "
        f"reference may also be given in short; {REFUSALS_IN_LANGUAGES}"
    )
    formula = (
        "s + (1 − s) · 0.4 · cosine(answer, reference), s the support of the reference by the answer (as "
        "groundedness_offline, words of the question × 0.02), for a long reference × 0.7 with 0.3 of the support the "
        "other way round; where the answer says the opposite of a short one, s × 0.25 alone"
    )
    source = "Ours: token recall (Adlakha et al. 2024) with weights, and semantic similarity (Risch et al. 2021)"
    people = "AUROC .971 (.911 to .998) on 96 answers of instruct-qa, right or wrong"
    cannot_see = (
        "who did what to whom, where all words of the reference are there; arithmetic; whether a paraphrase without "
        "common words means the same"
    )
    worked = WorkedExample(
        question="Who wrote it?",
        answer="Mary Shelley",
        references=("Mary Shelley",),
        value=1.0,
        working="Both names of the reference stand in the answer: support 1, and nothing is missing.",
    )

    def score_block(self, samples: Sequence[Sample], context: MetricContext) -> list[Score]:
        """Score all samples; every distinct text of the block is embedded once for each of the parts."""
        cases = _comparable(samples, context)
        supports = _supports(samples, cases, context.embed)
        alone = [replace(samples[place], reference_answers=(reference,)) for place, reference in cases]
        cosines = SemanticSimilarity().score_block(alone, context.only([place for place, _ in cases]))
        best: dict[int, Score] = {}
        for (place, reference), (there, back), cosine in zip(cases, supports, cosines, strict=True):
            score = _score(_Compared(samples[place], reference, there, back, len(content_units(reference))), cosine)
            best[place] = max(best.get(place, score), score, key=lambda each: each.value or 0.0)
        return [best.get(place) or _without(sample, context, place) for place, sample in enumerate(samples)]


def _comparable(samples: Sequence[Sample], context: MetricContext) -> list[tuple[int, str]]:
    """Return (number of the sample, reference) of what an answer that does not decline can be compared with."""
    return [
        (place, reference)
        for place, sample in enumerate(samples)
        for reference in dict.fromkeys(sample.reference_answers)
        if tokens_of([reference]) and sample.trace.answer.strip() and not context.refusals[place].refused
    ]


def _supports(
    samples: Sequence[Sample], cases: Sequence[tuple[int, str]], embed: Embed
) -> list[tuple[Support | None, Support | None]]:
    """Return the support of each reference by its answer, and that of each answer by its reference, if long."""
    traces = [(samples[place].trace, reference) for place, reference in cases]
    there = [SupportCase(reference, (trace.answer,), trace.question) for trace, reference in traces]
    read = [place for place, (_, reference) in enumerate(traces) if len(content_units(reference)) > _SHORT]
    back = [SupportCase(traces[at][0].answer, (traces[at][1],), traces[at][0].question) for at in read]
    found = support_of([*there, *back], embed, _SCHEME)
    returned = dict(zip(read, found[len(there) :], strict=True))
    return [(support, returned.get(place)) for place, support in enumerate(found[: len(there)])]


@dataclass(frozen=True)
class _Compared:
    """An answer and a reference: the support of the reference by the answer, and the other way round."""

    sample: Sample
    reference: str
    there: Support | None
    back: Support | None
    units: int

    @property
    def answer(self) -> str:
        return self.sample.trace.answer

    @property
    def length(self) -> float:
        """0 for a short reference, 1 for a long one."""
        return min(1.0, max(0.0, (self.units - _SHORT) / (_LONG - _SHORT)))

    @property
    def meaning(self) -> float:
        """How much of what is missing closeness in meaning may make up for: of a lone word it says little."""
        return _MEANING * min(1.0, (1 + self.units) / (1 + _FEWEST_UNITS))

    @cached_property
    def against(self) -> str:
        """What of the answer excludes the reference: another of the same kind, another number, a negation."""
        return opposed(self.reference, self.answer, self.sample.trace.question)

    @cached_property
    def given(self) -> float:
        """How much of the reference the answer gives."""
        answered = yes_or_no(self.reference, self.answer, self.sample.trace.question)
        if answered is not None:
            return float(answered)
        if self.there is None:
            return share(tokens_of([self.answer]), tokens_of([self.reference]))
        back = self.back.value if self.back else 0.0
        weight = _BACK * self.length
        return (1 - weight) * self.there.value + weight * back

    @property
    def missing(self) -> list[str]:
        """The words of the reference that the answer lacks."""
        if self.given == 1:
            return []
        if self.there is None:
            return sorted((tokens_of([self.reference]) - tokens_of([self.answer])).elements())
        return [unit.text for sentence in self.there.sentences for unit in sentence.missing]


def _score(compared: _Compared, closeness: Score) -> Score:
    barrier = script_barrier(compared.answer, [compared.reference])
    if barrier:
        return Score.unscored(barrier)
    cosine = closeness.value
    if cosine is None:
        return Score.unscored(closeness.reason)
    given, missing, against = compared.given, compared.missing, compared.against
    value = given + (1 - given) * compared.meaning * cosine
    if against:
        value = compared.length * value + (1 - compared.length) * _OPPOSED * given
    reason = f"not in the answer: {', '.join(missing[:5])}" if missing else "the answer has all of the reference"
    if against:
        reason = f"the answer says otherwise: {against}"
    details = {"reference": compared.reference, "support": round(given, 4), "cosine": round(cosine, 4)}
    return Score(value, reason, details | {"missing": missing, "against": against})


def _without(sample: Sample, context: MetricContext, place: int) -> Score:
    if not any(tokens_of([reference]) for reference in sample.reference_answers):
        return Score.unscored(NO_TOKENS)
    return Score(0.0, "the answer declines" if context.refusals[place].refused else "the answer is empty")
