"""With a judge: whether this answer or another system's is better, asked in both orders."""

from __future__ import annotations

from typing import ClassVar

from evaluation.judge.preference import PROMPT, prefer
from evaluation.metrics.base import MetricContext, metrics
from evaluation.metrics.judged import JudgedMetric, judge_of
from evaluation.metrics.worked import WorkedExample
from evaluation.types import Sample, Score


@metrics.register
class JudgePreference(JudgedMetric):
    """1 where this answer wins in both orders, 0 where the other does, else a tie of 0.5."""

    key = "judge_preference"
    label = "Judge preference"
    help = "Which of two answers the judge finds better, asked in both orders; a tie unless both orders agree."
    group = "judge"
    needs: ClassVar[frozenset[str]] = frozenset({"question", "other_answer", "judge"})
    judge_prompts: ClassVar[frozenset[str]] = frozenset({PROMPT})
    formula = "1 = this answer is better in both orders, 0 = the other one is, 0.5 = anything else"
    source = "Zheng et al. 2023 (pairwise comparison with swapped positions)"
    cannot_see = (
        "whether the preferred answer is right; what its judge does not see: judges like long and confident answers"
    )
    worked = WorkedExample(
        0.5,
        "Asked with this answer first, the judge takes the first; with this answer second, it takes the first again: "
        "the place decided, not the answer. The orders disagree, so it is a tie: 0.5.",
        question="How many steps lead up to the tower?",
        answer="212.",
        references=("212",),
        other_answer="There are 212 steps.",
        judge=(
            (PROMPT, {"reason": "It is the number alone.", "better": "first"}),
            (PROMPT, {"reason": "It is a full sentence.", "better": "first"}),
        ),
    )

    async def ask(self, sample: Sample, context: MetricContext) -> Score:
        """Ask in both orders."""
        return await prefer(sample, judge_of(context))

    def read(self, sample: Sample, found: Score) -> Score:
        """Return what both orders came to."""
        return found
