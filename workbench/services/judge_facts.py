"""What the page of a run says of the judge: who, what it took, and with which prompts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.models import JudgeCheck, Run
from evaluation.queries.judge_prompts import UsedPrompt, used_prompts
from evaluation.services.judge_checks import latest_judge_check


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
