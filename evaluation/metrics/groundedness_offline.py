"""Groundedness without a judge: how well the contexts support the answer, sentence by sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from evaluation.metrics.base import Metric, MetricContext, metrics
from evaluation.metrics.language.scripts import script_barrier
from evaluation.metrics.support.support import Support, SupportCase, support_of
from evaluation.metrics.worked import WorkedExample
from evaluation.types import Sample, Score

_SHOWN = 5
"""Words without support that the reason names."""
NOT_READ = "who did what, and denials, are read in English only, so not here"


@metrics.register
class GroundednessOffline(Metric):
    """Mean of the support of the answer's sentences and of the share of its words that the contexts have.

    Null for an answer that states nothing. The details hold both, the words that no context has, and each sentence
    with its support, the sentence of the contexts that is closest to it and the numbers, names and words that nothing
    supports, with their places.
    """

    key = "groundedness_offline"
    label = "Groundedness (offline)"
    help = "How well the contexts support what the answer states: numbers and names count more, paraphrase is allowed."
    group = "groundedness"
    needs: ClassVar[frozenset[str]] = frozenset({"answer", "contexts"})
    formula = (
        "support of a sentence = share of its units (numbers 2, names 1.5, words 0.4 to 1 by rarity, function words "
        "0.15) that the contexts hold: 0.4 in the single best sentence, 0.6 anywhere; words of the question × 0.5; "
        "a word of like meaning counts its cosine from 0.5 on. From four units on 15 % is the cosine with the closest "
        "sentence, from two on 15 % that neighbours stand in one sentence; × 0.25 where the evidence says the opposite "
        "(denies it, or has who did what, or which number goes with what, the other way round), "
        "× 0.7 where a word stands behind a negation in one of the two. "
        "Support of the answer = 0.75 weighted mean + 0.25 weakest sentence. Score = mean of that and of the share of "
        "its words that the contexts hold as they stand, stock phrases too, negations not: numbers and I 2, names 1.5, "
        "words 1, function words 0.5, all × 0.25 in a sentence that says the opposite. "
        "Courtesy (offers, thanks, closings) counts nowhere"
    )
    source = "Ours: K-precision (Adlakha et al. 2024) with weights and a soft match as in BERTScore (Zhang et al. 2020)"
    people = (
        "AUROC .946 (.884 to .991) on ClapNQ, .966 (.951 to .979) on BEGIN; swapped or negated sentences from truly "
        "reworded ones .97 and more, see the benchmarks"
    )
    cannot_see = (
        "who did what where the evidence words it otherwise than the answer, or in several sentences; roles and "
        "denials in other languages than English; calculation; two contexts that contradict each other"
    )
    revision = 5
    changes = (
        "a no at the start that denies (no refunds are given) is read, and numbers below zero are; revision 4: a "
        "sentence that turns round who did what, or which number goes with what, or denies what its evidence says is "
        "told by its dependency tree and counts a quarter; revision 3 left courtesy out and weighed the answer's "
        "words, revision 2 brought their share beside the support of the sentences"
    )
    worked = WorkedExample(
        question="When was the bridge built?",
        answer="In 1890.",
        contexts=("The bridge was opened in 1889.",),
        value=(0.15 / 2.15 + 0.5 / 2.5) / 2,
        working="Units: in (weight 0.15, there), 1890 (weight 2, not there). Both best sentence and all contexts give "
        "0.15 / 2.15 = 0.070. Only one unit is no function word: neither cosine nor neighbours count, and 0.070 is the "
        "support. Of the words in (0.5) is there, 1890 (2) is not: 0.5 / 2.5 = 0.2. (0.070 + 0.2) / 2 = 0.135.",
    )

    def score_block(self, samples: Sequence[Sample], context: MetricContext) -> list[Score]:
        """Score all samples; every distinct sentence and word of the block is embedded once."""
        reasons = [
            self._unscorable(sample, refusal.refused) for sample, refusal in zip(samples, context.refusals, strict=True)
        ]
        open_ = [place for place, reason in enumerate(reasons) if not reason]
        supports = support_of([_case(samples[place]) for place in open_], context.embed)
        found = dict(zip(open_, supports, strict=True))
        return [
            _score(found[place]) if place in found else Score.unscored(reason) for place, reason in enumerate(reasons)
        ]

    @staticmethod
    def _unscorable(sample: Sample, refused: bool) -> str:
        if refused:
            return "the answer declines, so it states nothing"
        return script_barrier(sample.trace.answer, [each.text for each in sample.trace.contexts])


def _case(sample: Sample) -> SupportCase:
    return SupportCase(sample.trace.answer, tuple(each.text for each in sample.trace.contexts), sample.trace.question)


def _score(support: Support | None) -> Score:
    if support is None:
        return Score.unscored("the answer states nothing that could be supported")
    missing = dict.fromkeys(unit.text for sentence in support.sentences for unit in sentence.missing)
    named = ", ".join(list(missing)[:_SHOWN]) + (" …" if len(missing) > _SHOWN else "")
    there, words = len(support.words) - len(support.absent), len(support.words)
    parts = [
        f"support {support.value:.2f}, {there} of {words} words are in the contexts as they stand "
        f"({support.share_found:.2f} of their weight)"
    ]
    parts += [f"without support: {named}"] * bool(missing)
    against = next((each.against for each in support.sentences if each.against), "")
    parts += [f"a sentence says the opposite of its evidence: {against}"] * bool(against)
    parts += [NOT_READ] * any(each.unread for each in support.sentences)
    details = {
        "support": round(support.value, 4),
        "words": round(support.share_found, 4),
        "absent": list(dict.fromkeys(unit.text for unit in support.absent)),
        "sentences": [each.as_dict() for each in support.sentences],
    }
    return Score((support.value + support.share_found) / 2, "; ".join(parts), details)
