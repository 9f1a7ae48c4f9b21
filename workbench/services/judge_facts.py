"""What the page of a run says of the judge: who, what it took, and with which prompts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.models import JudgeCheck, MetricScore, Run
from evaluation.queries.differences import metric_label
from evaluation.queries.judge_prompts import UsedPrompt, used_prompts
from evaluation.services.judge_checks import latest_judge_check
from evaluation.types import NO_VERDICT, NOT_NEEDED


@dataclass(frozen=True, slots=True)
class JudgeFacts:
    """The judge of a run's current scoring. `under_test`: it is the model that wrote the answers.

    `check`: how it did on the shipped marked claims, None where that was not looked at.
    """

    model: str
    votes: int
    under_test: bool
    judging: Mapping[str, Any]
    prompts: list[UsedPrompt]
    check: JudgeCheck | None

    @property
    def tokens(self) -> int | None:
        """Tokens of prompts and replies, None where the provider did not count them."""
        counts = [self.judging.get(name) for name in ("prompt_tokens", "completion_tokens")]
        return None if None in counts else sum(count for count in counts if count is not None)

    @property
    def changed_prompts(self) -> int:
        """How many of the prompts are no longer those in force."""
        return sum(bool(prompt.differences) or prompt.gone for prompt in self.prompts)


@dataclass(frozen=True, slots=True)
class NoVerdict:
    """A metric that lacks `lost` of the `asked` verdicts of its judge, with the commonest `reason`."""

    label: str
    lost: int
    asked: int
    reason: str


def without_verdict(run: Run) -> list[NoVerdict]:
    """Return the metrics of the current scoring whose judge gave no verdict on some answer, the worst first."""
    rows = MetricScore.objects.filter(scoring__run=run, scoring__current=True)
    reasons: dict[str, Counter[str]] = {}
    for metric, reason in rows.filter(details__judge=NO_VERDICT).values_list("metric", "reason"):
        reasons.setdefault(metric, Counter())[reason] += 1
    scored = rows.filter(metric__in=reasons, value__isnull=False).values_list("metric", "details__judge")
    had = Counter(metric for metric, judge in scored if judge != NOT_NEEDED)
    found = [
        NoVerdict(metric_label(metric), each.total(), each.total() + had[metric], each.most_common(1)[0][0].rstrip("."))
        for metric, each in reasons.items()
    ]
    return sorted(found, key=lambda each: (-each.lost / each.asked, each.label))


def judge_facts(run: Run) -> JudgeFacts | None:
    """Return what is to be said of the judge, None where the run was scored without one."""
    scoring = run.current_scoring
    if scoring is None or not scoring.spec.get("judge"):
        return None
    judge = scoring.spec["judge"]
    return JudgeFacts(
        judge,
        int(scoring.spec.get("judge_votes", 1)),
        run.pipeline.get("llm") == judge,
        scoring.judging,
        used_prompts(scoring.prompts),
        latest_judge_check(scoring.spec),
    )
