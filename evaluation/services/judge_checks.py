"""Checks of judges on the shipped marked claims: made, kept, and looked up for a scoring."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evaluation.models import JudgeCheck
from evaluation.services.judging import check_judge, open_judge
from evaluation.spec import JUDGE, REPLIES, EvaluationSpec, evaluation_settings
from rag_pipeline.errors import UsageError


def make_judge_check(*, spec: EvaluationSpec) -> JudgeCheck:
    """Ask the judge of `spec` about the shipped claims, afresh, and keep what was found.

    Raises UsageError without a judge, ProviderError where it cannot be asked.
    """
    from evaluation.judge.checking.check import check_judge_on_marks  # what asks a judge is loaded where one is asked

    check_judge(spec)
    judge = open_judge(spec, afresh=True)
    if judge is None:
        raise UsageError("Name the judge to be checked: --judge openai:gpt-4.1-mini.", "judge")
    found = check_judge_on_marks(judge).as_json()
    return JudgeCheck.objects.create(judge=spec.judge, asked=how_asked(spec.model_dump()), found=found)


def latest_judge_check(spec: Mapping[str, Any]) -> JudgeCheck | None:
    """Return the last check of the judge of a stored EvaluationSpec, asked as it asks; None where there was none."""
    return JudgeCheck.objects.filter(judge=spec["judge"], asked=how_asked(spec)).order_by("-pk").first()


def how_asked(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of the judge beside its name, as they are by default where `spec` is older than they are."""
    own = evaluation_settings(JUDGE, REPLIES)
    return {name: spec.get(name, setting.default) for name, setting in own.items() if name != "judge"}
