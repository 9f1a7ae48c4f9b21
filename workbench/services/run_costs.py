"""What a run took, stage by stage: time, tokens, money."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evaluation.models import Run, Scoring

_USAGE = ("prompt_tokens", "completion_tokens", "cost_usd")
_Taken = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StageCost:
    """One stage over all questions. `seconds` are for a question, on average; None is what nobody knows.

    `share` is its part of the money, None where that is nothing or not known.
    """

    label: str
    seconds: float | None
    prompt_tokens: int | None
    completion_tokens: int | None
    cost_usd: float | None
    share: float | None = None


def stage_costs(run: Run, scoring: Scoring | None) -> list[StageCost]:
    """Return what each stage took: retrieval, the answers, the judge. Runs of earlier versions kept but their sum."""
    columns = ("latency_s", *_USAGE, "details__retrieval")
    rows = list(run.answers.filter(error="", latency_s__isnull=False).order_by().values(*columns))
    if not rows:
        return []
    found = [row["details__retrieval"] for row in rows]
    if all(found):
        whole = [{"seconds": row["latency_s"], **row} for row in rows]
        answers = [_less(row, part) for row, part in zip(whole, found, strict=True)]
        stages = [_stage("Retrieval", found), _stage("Answers", answers)]
    else:
        stages = [_stage("Retrieval and answers", [{"seconds": row["latency_s"], **row} for row in rows])]
    judging = scoring.judging if scoring else {}
    if judging:
        stages.append(StageCost("Judge", None, *(judging.get(name) for name in _USAGE)))
    return _shared(stages)


def _less(whole: _Taken, part: _Taken) -> dict[str, Any]:
    """Return what is left of a sum without one of its parts; what either does not know is not known."""
    pairs = {name: (whole[name], part.get(name)) for name in ("seconds", *_USAGE)}
    return {name: None if None in pair else pair[0] - pair[1] for name, pair in pairs.items()}


def _stage(label: str, rows: Sequence[_Taken]) -> StageCost:
    seconds = _total(rows, "seconds")
    mean = None if seconds is None else max(0.0, seconds / len(rows))
    return StageCost(label, mean, *(_total(rows, name) for name in _USAGE))


def _total(rows: Sequence[_Taken], name: str) -> Any:
    values = [row[name] for row in rows]
    return None if None in values else sum(values)


def _shared(stages: Sequence[StageCost]) -> list[StageCost]:
    known = [stage.cost_usd for stage in stages if stage.cost_usd is not None]
    money = sum(known) if len(known) == len(stages) else 0.0
    return [replace(stage, share=(stage.cost_usd or 0.0) / money if money else None) for stage in stages]
