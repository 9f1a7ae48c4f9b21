"""Correctness without a judge: how well the answer agrees with its reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

from evaluation.metrics.base import REFUSALS_IN_LANGUAGES, Metric, MetricContext, metrics
from evaluation.metrics.language.scripts import script_barrier
from evaluation.metrics.overlap import NO_TOKENS, share, tokens_of
from evaluation.metrics.semantic_similarity import SemanticSimilarity
from evaluation.metrics.support.opposites import opposed, opposed_in_place, yes_or_no
from evaluation.metrics.support.shared_units import SharedUnits, shared_units
from evaluation.metrics.support.units import analyse_sentences
from evaluation.metrics.worked import WorkedExample
from evaluation.types import Sample, Score

_MEANING = 0.3
"""Share of what is missing that closeness in meaning makes up for."""
_FEWEST_UNITS = 3
"""Units of a reference below which its closeness in meaning counts less: of a lone word it says little."""
_BACK = 0.5
"""How much it counts that a long reference has what the answer says."""
_POWER = 0.7
"""Power of the share of a long reference that is there: who leaves out half of it has said more than half (.62)."""
_SHORT, _LONG = 3, 8
"""Units up to which a reference is short, and from which it is long; in between both rules count in part."""
_OPPOSED = 0.25
"""Factor for a short reference of which the answer says the opposite, or another thing of the same kind."""
_OPPOSED_IN_PLACE = 0.5
"""Factor for a long one, where that stands in the same place: elsewhere it may be said of something else."""
_MOST_NAMED = 20
"""Words of a kind that the details name."""


@metrics.register
class CorrectnessOffline(Metric):
    """Share of the reference's words that the answer has, of a long reference also the other way round.

    Closeness in meaning makes up for a part of what is missing. The best reference counts. A refusal and an empty
    answer score 0. A reference without a word that counts (yes) falls back on token recall.
    """

    key = "correctness_offline"
    label = "Correctness (offline)"
    help = "How much of what the reference states, beyond the question, the answer states too."
    group = "agreement"
    is_agreement = True
    kinds: ClassVar[frozenset[str]] = frozenset({"simple", "complex"})
    needs: ClassVar[frozenset[str]] = frozenset({"reference"})
    revision = 5
    changes = (
        "what a long answer leaves out of a long reference costs less, a name or a number no more than another rare "
        "word, and the numbers of a list are no numbers; revision 4: of a long reference the answer's own words count "
        "as much as the reference's, words are compared as they stand or begin and no longer by their vectors, "
        "southeast is south east, and what the question denies already is no opposite; revision 3: not allowed is no "
        "opposite of prohibited, numbers below zero are read; revision 2: words of a kind (Monday, Tuesday), other "
        "numbers and negations are no agreement, meaning only makes up for what is missing, a long reference may also "
        f"be given in short; {REFUSALS_IN_LANGUAGES}"
    )
    formula = (
        "s + (1 − s) · 0.3 · cosine(answer, reference). s = share of the reference's words that the answer has "
        "(numbers and names 1, words 0.4 to 1 by rarity, function words 0.05, each × 0.02 where the question says it; "
        "0.8 of that for one that only begins alike); of a reference of 8 words or more half of its power 0.7 and half "
        "the share of the answer's words that the reference has, of 4 to 7 in between (function words not counted). "
        "Where the "
        "answer says the opposite of a short reference (up to 3 words) s × 0.25 alone; of a long one, beside the same "
        "word or in a sentence that is nearly the same, the score × 0.5"
    )
    source = (
        "Ours: token recall and K-precision (Adlakha et al. 2024) with weights, and semantic similarity (Risch et al. "
        "2021)"
    )
    people = (
        "AUROC .926 (.773 to 1.000) on 96 answers of instruct-qa, right or wrong; Pearson .593 (.460 to .692) with how "
        "faithful people found 240 long answers of ClapNQ (token_f1 .515, token_recall .363)"
    )
    cannot_see = (
        "who did what to whom, where all words of the reference are there; one wrong name in a long answer that is "
        "right else; arithmetic; whether a paraphrase without common words means the same"
    )
    worked = WorkedExample(
        question="When was it built?",
        answer="In 1887, by Gustave Eiffel.",
        references=("1889, by Gustave Eiffel",),
        value=0.168,
        working="Of the reference, 1889 (weight 1) is not in the answer, by (0.05) and the names (1 each) are: 2.05 "
        "of 3.05 = 0.672. It is short, and the answer has another number instead: 0.672 × 0.25 = 0.168.",
    )

    def score_block(self, samples: Sequence[Sample], context: MetricContext) -> list[Score]:
        """Score all samples; the texts of those whose answer lacks something are embedded, all at once."""
        cases = _comparable(samples, context)
        asking = [case for case in cases if case.needs_meaning]
        alone = [replace(case.sample, reference_answers=(case.reference,)) for case in asking]
        closeness = SemanticSimilarity().score_block(alone, context.only([case.place for case in asking]))
        cosines = dict(zip(asking, closeness, strict=True))
        best: dict[int, Score] = {}
        for case in cases:
            score = _score(case, cosines.get(case))
            best[case.place] = max(best.get(case.place, score), score, key=lambda each: each.value or 0.0)
        return [best.get(place) or _without(sample, context, place) for place, sample in enumerate(samples)]


def _comparable(samples: Sequence[Sample], context: MetricContext) -> list[_Compared]:
    """Return what each answer that does not decline can be compared with."""
    return [
        _Compared(sample, reference, place)
        for place, sample in enumerate(samples)
        if sample.trace.answer.strip() and not context.refusals[place].refused
        for reference in dict.fromkeys(sample.reference_answers)
        if tokens_of([reference])
    ]


@dataclass(frozen=True, eq=False)
class _Compared:
    """An answer and one of its references; `place`: the number of the sample."""

    sample: Sample
    reference: str
    place: int

    @property
    def answer(self) -> str:
        return self.sample.trace.answer

    @cached_property
    def barrier(self) -> str:
        """Why the two cannot be compared."""
        return script_barrier(self.answer, [self.reference])

    @cached_property
    def units(self) -> int:
        return sum(len(sentence.said.content) for sentence in analyse_sentences(self.reference))

    @cached_property
    def length(self) -> float:
        """0 for a short reference, 1 for a long one."""
        return min(1.0, max(0.0, (self.units - _SHORT) / (_LONG - _SHORT)))

    @cached_property
    def there(self) -> SharedUnits | None:
        """What of the reference the answer has."""
        return shared_units(self.reference, self.answer, self.sample.trace.question)

    @cached_property
    def back(self) -> SharedUnits | None:
        """What of the answer a longer reference has."""
        return shared_units(self.answer, self.reference, self.sample.trace.question) if self.length else None

    @cached_property
    def in_place(self) -> str:
        """What of the answer excludes a part of a longer reference where it stands."""
        return opposed_in_place(self.reference, self.answer, self.sample.trace.question) if self.length else ""

    @cached_property
    def against(self) -> str:
        """What of the answer excludes the reference: another of the same kind, another number, a negation."""
        if self.length < 1:
            return opposed(self.reference, self.answer, self.sample.trace.question)
        return self.in_place

    @cached_property
    def given(self) -> float:
        """How much of the reference the answer gives."""
        answered = yes_or_no(self.reference, self.answer, self.sample.trace.question)
        if answered is not None:
            return float(answered)
        if self.there is None:
            return share(tokens_of([self.answer]), tokens_of([self.reference]))
        weight = _BACK * self.length
        there: float = self.there.share ** (1 - self.length * (1 - _POWER))
        return (1 - weight) * there + weight * (self.back.share if self.back else 0.0)

    @property
    def needs_meaning(self) -> bool:
        """False where closeness in meaning can change nothing."""
        return not self.barrier and self.given < 1 and not (self.against and not self.length)

    def value(self, cosine: float) -> float:
        """Return the score."""
        meaning = _MEANING * min(1.0, (1 + self.units) / (1 + _FEWEST_UNITS))
        value = self.given + (1 - self.given) * meaning * cosine
        if not self.against:
            return value
        long = value * (_OPPOSED_IN_PLACE if self.in_place else 1.0)
        return self.length * long + (1 - self.length) * _OPPOSED * self.given

    @property
    def found(self) -> list[str]:
        """The words of the reference that the answer has."""
        return [unit.text for unit in self.there.found] if self.there else []

    @property
    def missing(self) -> list[str]:
        """The words of the reference that the answer lacks."""
        if self.there is None:
            lacking = tokens_of([self.reference]) - tokens_of([self.answer])
            return sorted(lacking.elements()) if self.given < 1 else []
        return [unit.text for unit in self.there.missing]

    @property
    def added(self) -> list[str]:
        """The words of the answer that a longer reference lacks."""
        return [unit.text for unit in self.back.missing] if self.back else []


def _score(case: _Compared, closeness: Score | None) -> Score:
    if case.barrier:
        return Score.unscored(case.barrier)
    if closeness is not None and closeness.value is None:
        return Score.unscored(closeness.reason)
    cosine = closeness.value if closeness else None
    details: dict[str, Any] = {"reference": case.reference, "given": round(case.given, 4)}
    details |= {"found": case.found[:_MOST_NAMED], "missing": case.missing[:_MOST_NAMED]}
    if case.there and case.back:
        details |= {"added": case.added[:_MOST_NAMED]}
        details |= {"of_reference": round(case.there.share, 4), "of_answer": round(case.back.share, 4)}
    if cosine is not None:
        details["cosine"] = round(cosine, 4)
    return Score(case.value(cosine or 0.0), _reason(case), details | {"against": case.against})


def _reason(case: _Compared) -> str:
    if case.against:
        return f"the answer says otherwise: {case.against}"
    missing, added = (", ".join(words[:5]) for words in (case.missing, case.added))
    parts = [f"not in the answer: {missing}" if missing else "the answer has all of the reference"]
    return "; ".join(parts + ([f"not in the reference: {added}"] if added else []))


def _without(sample: Sample, context: MetricContext, place: int) -> Score:
    if not any(tokens_of([reference]) for reference in sample.reference_answers):
        return Score.unscored(NO_TOKENS)
    return Score(0.0, "the answer declines" if context.refusals[place].refused else "the answer is empty")
