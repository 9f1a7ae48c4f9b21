"""Answers of any other system, scored: the objects with their scores, a summary, and what the page shows beside."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from evaluation.exchange.rag_tasks import Answered, Task, json_line
from evaluation.metrics.base import metrics
from evaluation.scoring.comparability import formulas_in_force
from evaluation.scoring.scoring import ScoredSamples, Steps, score_samples
from evaluation.scoring.summaries import GroupSummary, summarise_by
from evaluation.spec import EvaluationSpec
from evaluation.types import Score, Summary
from rag_pipeline.embedders.base import Embed
from rag_pipeline.local_models.scripts import Reads, reads_all

if TYPE_CHECKING:
    from evaluation.judge.judge import Judge

MEAN = ("mean", "ci_low", "ci_high", "n", "n_null")
MOST_GROUPS = 30
"""A field with more values is an id rather than a kind of row: nothing is grouped by it."""
UNASKED = "it loads a model of its own, so it is computed only where it is chosen by name"


@dataclass(frozen=True)
class ScoredAnswers:
    """The objects of a file with their scores. `tasks[i]` is the object of `scored.samples[i]`.

    `names`: the metrics in the order they were asked for; `judging`: what the judge took, empty without one.
    """

    tasks: Sequence[Task]
    scored: ScoredSamples
    names: Sequence[str]
    groups: Mapping[str, Mapping[str, GroupSummary]]
    judging: Mapping[str, Any]

    @property
    def failure(self) -> str:
        """Why a lenient judge gave up, with what there is all the same; empty where it did not."""
        if "failure" not in self.judging:
            return ""
        return (
            "The judge failed: what it has not judged has no score yet, all other scores are there. "
            f"{self.judging['failure']}"
        )

    def rows(self) -> Iterator[tuple[Task, dict[str, Score]]]:
        """Yield each object as it came, in order, with its scores."""
        for place, task in enumerate(self.tasks):
            yield task, self._row(place)

    def details(self) -> Iterator[str]:
        """Yield a line of JSONL for each object: whether it declines, its scores' reasons and details, its claims."""
        for place, refusal in enumerate(self.scored.refusals):
            scores = {
                name: {"reason": score.reason, "details": score.details} for name, score in self._row(place).items()
            }
            table = self.scored.claims[place]
            claims = {"claims": table.as_details()} if table else {}
            yield json_line(_plain({"refusal": asdict(refusal), "scores": scores, **claims}))

    def columns(self) -> dict[str, list[float | None]]:
        """Return the values by metric, to sort by."""
        return {name: [score.value for score in self.scored.scores[name]] for name in self.names}

    def summary(self) -> dict[str, Any]:
        """Return each metric's mean with its 95 % interval, how many rows it has and lacks, and what explains them."""
        found = {name: self.scored.summary(name) for name in self.names}
        summary: dict[str, Any] = {
            "metrics": {name: mean_of(each) for name, each in found.items()},
            "notes": {name: each.reason for name, each in found.items() if each.reason},
            "details": {name: each.details for name, each in found.items() if each.details},
            "rows": len(self.tasks),
            "refusals": dict(sorted(Counter(refusal.label for refusal in self.scored.refusals).items())),
        }
        optional = {
            "groups": {key: {name: _group(each) for name, each in found.items()} for key, found in self.groups.items()},
            "judge": self.judging,
            "formulas": formulas_in_force(self.names),
        }
        kept: dict[str, Any] = _plain(summary | {name: each for name, each in optional.items() if each})
        return kept

    def _row(self, place: int) -> dict[str, Score]:
        return {name: self.scored.scores[name][place] for name in self.names}


def score_answered(
    answered: Answered,
    spec: EvaluationSpec,
    refusal: str,
    embed: Embed,
    *,
    names: Sequence[str] | None = None,
    judge: Judge | None = None,
    reads: Reads = reads_all,
) -> Steps[ScoredAnswers]:
    """Score the objects of a file with the metrics called `names`, yielding progress.

    None for `names` means all there are; those that load a model of their own are then null. `refusal`: the sentence
    with which the system declines; `reads` as for `score_samples`. Raises ConfigError, ProviderError.
    """
    samples = [sample for _, sample in answered]
    asked = list(metrics.keys() if names is None else names)
    unasked = [name for name in asked if names is None and "weights" in metrics.get(name).needs]
    scored = yield from score_samples(
        samples,
        spec,
        refusal,
        embed,
        names=[name for name in asked if name not in unasked],
        judge=judge,
        reads=reads,
    )
    nothing = Summary(None, None, None, 0, len(samples), UNASKED)
    scored = replace(
        scored,
        scores=scored.scores | dict.fromkeys(unasked, [Score.unscored(UNASKED)] * len(samples)),
        summaries=scored.summaries | {(name, ""): nothing for name in unasked},
    )
    computed = {name: scored.scores[name] for name in asked if scored.summary(name).n}
    groups = {key: summarise_by(samples, computed, key) for key in group_keys(each.metadata for each in samples)}
    return ScoredAnswers([task for task, _ in answered], scored, asked, groups, _judging(judge, spec))


def _judging(judge: Judge | None, spec: EvaluationSpec) -> dict[str, Any]:
    """Return what the judge took, and where it failed, why; nothing without one."""
    if judge is None:
        return {}
    failure = {"failure": str(judge.failure)} if judge.failure else {}
    taken = {"model": judge.model, "votes": spec.judge_votes, **judge.usage}
    return {**taken, **failure, "prompts": judge.used_prompts}


def group_keys(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the keys of the rows' metadata that tell a few kinds of rows apart."""
    values: dict[str, set[str]] = {}
    nested = set()
    for metadata in rows:
        for key, value in metadata.items():
            values.setdefault(key, set()).add(str(value))
            if isinstance(value, list | dict):
                nested.add(key)
    return sorted(key for key, found in values.items() if key not in nested and 2 <= len(found) <= MOST_GROUPS)


def mean_of(summary: Summary) -> dict[str, Any]:
    """Return a mean with its interval and counts, as summary.json has it."""
    return {name: getattr(summary, name) for name in MEAN}


def _group(found: GroupSummary) -> dict[str, Any]:
    notes = {name: each.reason for name, each in found.metrics.items() if each.reason}
    return {
        "rows": found.rows,
        "metrics": {name: mean_of(each) for name, each in found.metrics.items()},
        **({"notes": notes} if notes else {}),
    }


def _plain(value: Any) -> Any:
    """Return the same of JSON's own types, in texts that every database keeps: details may hold anything."""
    if isinstance(value, str):
        return value.encode(errors="replace").decode().replace("\x00", "\ufffd")
    if isinstance(value, Mapping):
        return {_plain(str(name)): _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return list(map(_plain, value))
    if isinstance(value, set | frozenset):
        return sorted(map(_plain, value))
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, bool | int | float | None):
        return value
    return _plain(value.item()) if hasattr(value, "item") else str(value)  # a number of numpy's
