"""What a sweep will take, before anything is spent: stage by stage what is to be computed and what is there already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from evaluation.experiments.pace import EMBED_PER_S, READER_S, Pace
from evaluation.experiments.space import Configuration, Expanded, LeftOut, ranking_key
from rag_pipeline.settings.pipeline_spec import PipelineSpec


@dataclass(frozen=True, slots=True)
class IndexFacts:
    """An index: is it there, and how many texts would be embedded for it."""

    there: bool
    to_embed: int = 0


@dataclass(frozen=True, slots=True)
class StagePlan:
    """A stage: of how many units how many are there already. `detail`: what else it takes, in words."""

    name: str
    unit: str
    total: int
    there: int
    detail: str = ""

    @property
    def to_do(self) -> int:
        """Units to compute."""
        return self.total - self.there


@dataclass(frozen=True)
class SweepPlan:
    """The plan: stages in order, model calls that are left, and what they take (None where nobody knows)."""

    questions: int
    configurations: Sequence[Configuration]
    folded: Sequence[LeftOut]
    impossible: Sequence[LeftOut]
    stages: Sequence[StagePlan] = field(default_factory=list)
    calls: int = 0
    seconds: float | None = None
    tokens: float | None = None
    cost_usd: float | None = None
    paces: Mapping[str, Pace] = field(default_factory=dict)

    @property
    def unmeasured(self) -> list[str]:
        """The models that are to be asked and of which nothing is known: a pilot would tell."""
        asked = dict.fromkeys(each.spec.core.llm for each in self.configurations if not each.spec.is_builtin_reader)
        found = [llm for llm in asked if llm not in self.paces or self.paces[llm].seconds is None]
        return found if self.calls else []

    def as_json(self) -> dict[str, Any]:
        """Return what is stored and written to sweep.json."""
        return {
            "questions": self.questions,
            "configurations": len(self.configurations),
            "folded": [_left(each) for each in self.folded],
            "impossible": [_left(each) for each in self.impossible],
            "stages": [asdict(each) | {"to_do": each.to_do} for each in self.stages],
            "calls": self.calls,
            "seconds": self.seconds,
            "tokens": self.tokens,
            "cost_usd": self.cost_usd,
            "paces": {llm: asdict(pace) | {"cost_usd": pace.cost_usd} for llm, pace in self.paces.items()},
        }


def _left(each: LeftOut) -> dict[str, Any]:
    return {"settings": dict(each.swept), "reason": each.reason}


def make_plan(
    expanded: Expanded,
    *,
    questions: int,
    indexes: Mapping[str, IndexFacts],
    answered: Mapping[int, int],
    paces: Mapping[str, Pace],
    at_once: int = 1,
    retrieval_only: bool = False,
) -> SweepPlan:
    """Return the plan. `indexes` by index fingerprint; `answered`: questions that earlier runs have answered, by number
    of the configuration; `paces` by model. `at_once`: calls that run at the same time.
    """
    configurations = expanded.configurations
    left = {each.number: questions - min(questions, answered.get(each.number, 0)) for each in configurations}
    calls = {each.number: calls_of(each.spec, retrieval_only) * left[each.number] for each in configurations}
    stages = [
        _index_stage(configurations, indexes),
        _ranking_stage(configurations, questions, left),
        *([] if retrieval_only else [_answer_stage(configurations, questions, left)]),
    ]
    return SweepPlan(
        questions=questions,
        configurations=configurations,
        folded=expanded.folded,
        impossible=expanded.impossible,
        stages=stages,
        calls=sum(calls.values()),
        seconds=_seconds(configurations, left, calls, paces, at_once, indexes, retrieval_only),
        tokens=_sum_of("tokens", configurations, left, calls, paces),
        cost_usd=_sum_of("cost_usd", configurations, left, calls, paces),
        paces=paces,
    )


def calls_of(spec: PipelineSpec, retrieval_only: bool = False) -> int:
    """Return how many model calls a question takes."""
    return spec.calls_before_answer() + (0 if retrieval_only or spec.is_builtin_reader else 1)


def _index_stage(configurations: Sequence[Configuration], indexes: Mapping[str, IndexFacts]) -> StagePlan:
    wanted = {each.spec.index_fingerprint for each in configurations if each.spec.needs_chunks}
    known = [indexes[each] for each in wanted if each in indexes]
    texts = sum(each.to_embed for each in known)
    detail = f"{texts:,} texts to embed" if texts else ""
    return StagePlan("Indexes", "index", len(wanted), sum(each.there for each in known), detail)


def _ranking_stage(configurations: Sequence[Configuration], questions: int, left: Mapping[int, int]) -> StagePlan:
    """Rankings that differ in length alone count once."""
    needed: dict[str, int] = {}
    for each in configurations:
        key = ranking_key(each.spec)
        needed[key] = max(needed.get(key, 0), left[each.number])
    total = questions * len(needed)
    return StagePlan("Rankings", "ranking", total, total - sum(needed.values()))


def _answer_stage(configurations: Sequence[Configuration], questions: int, left: Mapping[int, int]) -> StagePlan:
    total = questions * len(configurations)
    return StagePlan("Answers", "answer", total, total - sum(left.values()))


def _seconds(
    configurations: Sequence[Configuration],
    left: Mapping[int, int],
    calls: Mapping[int, int],
    paces: Mapping[str, Pace],
    at_once: int,
    indexes: Mapping[str, IndexFacts],
    retrieval_only: bool,
) -> float | None:
    """Return how long it takes: embedding, the built-in reader one question after the other, models many at once."""
    asking = _sum_of("seconds", configurations, left, calls, paces)
    if asking is None:
        return None
    embedding = sum(each.to_embed for each in indexes.values()) / EMBED_PER_S
    read = [] if retrieval_only else [left[each.number] for each in configurations if each.spec.is_builtin_reader]
    return embedding + READER_S * sum(read) + asking / at_once


def _sum_of(
    what: str,
    configurations: Sequence[Configuration],
    left: Mapping[int, int],
    calls: Mapping[int, int],
    paces: Mapping[str, Pace],
) -> float | None:
    """Return what all calls take together; None where a model that is to be asked was never asked before."""
    total = 0.0
    for each in configurations:
        if not calls[each.number]:
            continue
        pace = paces.get(each.spec.core.llm)
        one = getattr(pace.for_settings(each.spec), what) if pace else None
        if one is None:
            return None
        total += one * left[each.number]
    return total
