"""The judge of a scoring: made from its settings, with the prompts in force and the replies kept in the database."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from evaluation.metrics.base import metrics
from evaluation.models import JudgePrompt
from evaluation.spec import EvaluationSpec
from rag_pipeline.errors import UsageError
from rag_pipeline.llm.preflight import check_model

if TYPE_CHECKING:
    from evaluation.judge.judge import Judge


def check_judge(spec: EvaluationSpec) -> None:
    """Raise ConfigError where it is known beforehand that the judge cannot be asked, or that one is needed."""
    if spec.judge:
        check_model(spec.judge, "judge")
    elif "judge" in metrics.get(spec.agreement).needs:
        raise UsageError(
            f"The agreement {spec.agreement} needs a judge. Choose a model, such as openai:gpt-4.1-mini.", "judge"
        )


def open_judge(
    spec: EvaluationSpec, prompts: Mapping[str, str] | None = None, *, lenient: bool = False, afresh: bool = False
) -> Judge | None:
    """Return the judge that `spec` names, None without one; `prompts` in place of those in force.

    `afresh`: replies that are kept from earlier are not used. `lenient`: where it fails, the rest stays unjudged with
    the reason, and its `failure` says so.
    """
    if not spec.judge:
        return None
    from evaluation.judge.judge import make_judge
    from evaluation.judge.prompts import JudgePrompts

    changed = dict(JudgePrompt.objects.values_list("name", "text")) if prompts is None else prompts
    return make_judge(
        spec.judge,
        JudgePrompts(changed),
        votes=spec.judge_votes,
        batch=spec.judge_batch,
        max_tokens=spec.judge_max_tokens,
        lenient=lenient,
        afresh=afresh,
    )
