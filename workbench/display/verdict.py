"""One sentence on whether a run is better than the one it is compared with."""

from __future__ import annotations

from evaluation.queries.rows import Comparison, PairedDifference
from evaluation.scoring.summaries import TOTAL
from rag_pipeline.english.wording import counted
from workbench.templatetags.workbench import delta, end_of

_NAMED = 4
"""Changed settings that are named; of more only their number is said."""


def verdict_of(comparison: Comparison) -> str:
    """Return such as “Run 8 against Run 3 (Prompt changed): better, total +0.37 (+0.12 to +0.61); 17 questions won,
    0 lost, 58 the same.”

    The word and the interval are of one test. Where nothing can be compared the reason stands in their place.
    """
    runs = f"{comparison.b.run} against {comparison.a.run} ({_changed(comparison)})"
    total = next((each for each in comparison.differences if each.metric == TOTAL), None)
    if total is None or total.mean_diff is None:
        return f"{runs}: {(total.reason if total else comparison.note) or 'no total to compare'}."
    if not (total.mean_diff or comparison.won_count or comparison.lost_count):
        return f"{runs}: no question scored differently, total {delta(0.0)}; {comparison.same:,} the same."
    counts = (
        f"{counted(comparison.won_count, 'question')} won, {comparison.lost_count:,} lost, {comparison.same:,} the same"
    )
    return f"{runs}: {total.verdict}, total {delta(total.mean_diff)}{_interval(total)}; {counts}."


def _changed(comparison: Comparison) -> str:
    labels = [each.label for each in comparison.settings]
    if not labels:
        return "same settings"
    return f"{', '.join(labels) if len(labels) <= _NAMED else f'{len(labels)} settings'} changed"


def _interval(difference: PairedDifference) -> str:
    if difference.ci_low is None or difference.ci_high is None:
        return ""
    return f" ({end_of(difference.ci_low)} to {end_of(difference.ci_high)})"
