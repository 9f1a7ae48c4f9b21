"""A sweep as a table: each configuration with its scores, what it takes and the verdict; and what to use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from django.db.models import Count

from evaluation.experiments.options import SweepSpec
from evaluation.experiments.plan import calls_of
from evaluation.experiments.recommendation import Basis, Offer, Recommendation, recommend
from evaluation.experiments.space import Configuration
from evaluation.experiments.verdicts import Standing, leader_of, verdicts
from evaluation.models import Answer, Evidence, Run, Scoring, Sweep, TestSet
from evaluation.queries.differences import difference_terms, load_scores_of, metric_label
from evaluation.queries.rows import RunRow
from evaluation.queries.runs import rows_of
from evaluation.queries.stored_answers import KEPT
from evaluation.queries.sweeps import (
    DROPPED,
    FRESH,
    configuration_runs,
    configurations_of,
    confirmation_runs,
    fresh_runs,
    fresh_testset,
    holdout_seen,
    mean_of,
    planned_looks,
    score_of,
)
from evaluation.scoring.scales import scale_of
from evaluation.scoring.summaries import TOTAL
from evaluation.spec import HEADLINE
from evaluation.statistics.intervals import Term
from evaluation.types import Summary
from rag_pipeline.models import BackgroundTask
from rag_pipeline.setting_fields import Stage
from rag_pipeline.settings.catalogue import settings_of

WAITING, LET_GO, STOPPED = "waiting", "dropped", "stopped"


@dataclass(frozen=True)
class SweepRow:
    """A configuration. `state`: waiting, queued, running, done, failed, cancelled, stopped, or dropped after `dropped`
    pairs.

    `n`: questions answered. `cost_usd` is that of all its answers, `latency_p50` that of one, in seconds. `calls`:
    model calls made; `reused`: answers taken from earlier ones. Unknown values are None.
    """

    configuration: Configuration
    state: str
    row: RunRow | None = None
    n: int = 0
    context_tokens: float | None = None
    border_cut: float | None = None
    latency_p50: float | None = None
    cost_usd: float | None = None
    calls: int = 0
    reused: int = 0
    dropped: int | None = None
    verdict: Standing | None = None
    holdout_total: float | None = None
    contexts: str = ""

    @property
    def run(self) -> Run | None:
        """Its run, None where it was not begun."""
        return self.row.run if self.row else None

    @property
    def metrics(self) -> Mapping[str, Summary]:
        """Its scores by name; empty until it is scored."""
        return self.row.metrics if self.row else {}

    @property
    def can_stop(self) -> bool:
        """True where there is something of it left to do."""
        return self.state in (WAITING, BackgroundTask.State.QUEUED, BackgroundTask.State.RUNNING)

    @property
    def can_keep(self) -> bool:
        """True where it was let go or stopped."""
        return self.state in (LET_GO, STOPPED)

    @property
    def error(self) -> str:
        """Why it failed."""
        return self.row.error if self.row else ""


@dataclass(frozen=True)
class SweepTable:
    """A whole sweep. `score`: what it is judged by, `delta` in its unit. `scores`: the columns, in order.

    `confirmations`: the recommended configuration and the settings without the sweep, on holdout; `fresh`: the same on
    pairs written for that, `fresh_testset`.
    """

    sweep: Sweep
    spec: SweepSpec
    score: str
    delta: float
    scores: Sequence[str]
    rows: Sequence[SweepRow]
    recommendation: Recommendation
    confirmations: Sequence[RunRow] = field(default_factory=list)
    seen: Sequence[Run] = field(default_factory=list)
    fresh: Sequence[RunRow] = field(default_factory=list)
    fresh_testset: TestSet | None = None

    @property
    def scored(self) -> list[SweepRow]:
        """The configurations that have the score."""
        return [each for each in self.rows if each.row and mean_of(each.row, self.score) is not None]

    @property
    def recommended(self) -> SweepRow | None:
        """The configuration to use."""
        return next((each for each in self.rows if each.configuration.number == self.recommendation.number), None)

    @property
    def swept(self) -> list[str]:
        """The names of the swept settings, and of those that a clone changed."""
        return list(self.rows[0].configuration.swept if self.rows else self.spec.grid)

    @property
    def failed(self) -> list[SweepRow]:
        """The configurations that failed."""
        return [each for each in self.rows if each.state == BackgroundTask.State.FAILED]

    @property
    def written(self) -> tuple[int, int]:
        """How many fresh pairs were made, and how many were asked for."""
        made = self.fresh_testset.report.get("made", {}) if self.fresh_testset else {}
        return made.get("pairs", 0), self.sweep.state.get(FRESH, {}).get("pairs", 0)

    @property
    def saved(self) -> float:
        """Share of a full grid's pairs that a race did not ask."""
        pairs = self.sweep.plan["pairs"]
        asked = [pairs if each.dropped is None else each.dropped for each in self.rows]
        return 1 - sum(asked) / (pairs * len(asked)) if asked and pairs else 0.0


def sweep_table(sweep: Sweep) -> SweepTable:
    """Return a sweep with the verdicts that its present scores give."""
    spec = SweepSpec.from_json(sweep.spec)
    rows = _rows(sweep, spec)
    run_rows = [each.row for each in rows if each.row]
    score = score_of(run_rows, retrieval_only=spec.options.retrieval_only)
    scale = scale_of(score)
    delta = spec.options.delta * (scale.span or 1.0)
    confirmations = rows_of(confirmation_runs(sweep))
    rows = _judged(sweep, rows, score, delta, confirmations)
    table = SweepTable(
        sweep, spec, score, delta, _columns(spec), rows, Recommendation(None, ""), confirmations, holdout_seen(sweep),
        rows_of(fresh_runs(sweep)), fresh_testset(sweep),
    )  # fmt: skip
    return SweepTable(**{**vars(table), "recommendation": _recommendation(table)})


def _columns(spec: SweepSpec) -> list[str]:
    scoring = spec.scored_by
    first = ["context_matching"] if spec.options.retrieval_only else [TOTAL, *HEADLINE]
    return list(dict.fromkeys([*first, *scoring.metrics]))


def _rows(sweep: Sweep, spec: SweepSpec) -> list[SweepRow]:
    """Return the configurations without verdicts."""
    by_fingerprint = {row.run.pipeline_fingerprint: row for row in rows_of(configuration_runs(sweep))}
    runs = [row.run.pk for row in by_fingerprint.values()]
    answers = Answer.objects.filter(run__in=runs, error="").order_by()
    reused = dict(answers.filter(KEPT).values_list("run").annotate(kept=Count("id")))
    return [
        _row(sweep, spec, each, by_fingerprint.get(each.spec.fingerprint), reused) for each in configurations_of(sweep)
    ]


def _row(
    sweep: Sweep,
    spec: SweepSpec,
    configuration: Configuration,
    row: RunRow | None,
    reused: Mapping[int, int],
) -> SweepRow:
    gone = sweep.state.get(DROPPED, {}).get(str(configuration.number), {})
    state = STOPPED if gone.get("stopped") else LET_GO if gone else ""
    if row is None:
        return SweepRow(configuration, state or WAITING)
    run, facts = row.run.pk, row.run.facts
    answered = row.answers - row.failed
    kept = answered if row.run.sweep_id != sweep.pk else reused.get(run, 0)
    return SweepRow(
        configuration=configuration,
        state=state or row.state,
        row=row,
        n=answered,
        context_tokens=facts.get("context_tokens"),
        border_cut=facts.get("border_cut"),
        latency_p50=row.run.took.get("latency_p50"),
        cost_usd=row.run.took.get("cost_usd"),
        calls=(answered - kept) * calls_of(configuration.spec, spec.options.retrieval_only),
        reused=kept,
        dropped=gone["pairs"] if state == LET_GO else None,
        contexts=facts.get("contexts", ""),
    )


def _judged(
    sweep: Sweep, rows: Sequence[SweepRow], score: str, delta: float, confirmations: Sequence[RunRow]
) -> list[SweepRow]:
    """Return the configurations with their verdicts."""
    runs = tuple(
        (each.row.run.pk, mean) for each in rows if each.row and (mean := mean_of(each.row, score)) is not None
    )
    scorings = Scoring.objects.filter(run__in=[run for run, _ in runs], current=True).order_by("id")
    state = tuple(scorings.values_list("id", flat=True))
    found = verdicts_of(runs, state, score, delta, len(planned_looks(sweep))) if runs else {}
    totals = {row.run.pipeline_fingerprint: mean_of(row, score) for row in confirmations}
    return [
        SweepRow(
            **{
                **vars(each),
                "verdict": found.get(each.row.run.pk) if each.row else None,
                "holdout_total": totals.get(each.configuration.spec.fingerprint),
            }
        )
        for each in rows
    ]


@lru_cache(maxsize=8)
def verdicts_of(
    runs: tuple[tuple[int, float], ...], scorings: tuple[int, ...], score: str, delta: float, looks: int
) -> dict[int, Standing]:
    """Return the verdict on each run, by id. `runs`: (id, mean); `scorings`: of which state of the scores."""
    means = dict(runs)
    loaded = Run.objects.select_related("testset").in_bulk(list(means))
    scored = load_scores_of(loaded.values())
    best = scored[leader_of(means)]

    def against(run: int) -> list[Term] | None:
        return difference_terms(best, scored[run], score)

    return verdicts(means, against, delta, looks)


def _recommendation(table: SweepTable) -> Recommendation:
    spec, sweep = table.spec, table.sweep
    ranked_by = {name: each.title for name, each in settings_of(Stage.INDEX, Stage.RETRIEVAL).items()}
    offers = [
        Offer(
            number=each.configuration.number,
            label=each.configuration.label,
            mean=float(mean_of(each.row, table.score) or 0.0) if each.row else 0.0,
            verdict=each.verdict,
            context_tokens=each.context_tokens,
            cost_usd=None if each.cost_usd is None or not each.n else each.cost_usd / each.n,
            latency_s=each.latency_p50,
            chunks=each.run.chunks if each.run else None,
            contexts=each.contexts,
            swept=tuple((ranked_by[name], at) for name, at in each.configuration.swept.items() if name in ranked_by),
        )
        for each in table.scored
        if each.verdict is not None and each.verdict.word
    ]
    return recommend(offers, table.delta, _measured(sweep, spec, table.score))


def _measured(sweep: Sweep, spec: SweepSpec, score: str) -> Basis:
    evidence = Evidence.objects.filter(question__testset=sweep.testset_id)
    if spec.run.split != "all":
        evidence = evidence.filter(question__split=spec.run.split)
    scale = scale_of(score)
    return Basis(
        pairs=sweep.plan["pairs"],
        documents=sweep.corpus.documents.filter(created__lte=sweep.created).count(),
        evidence_documents=evidence.values("document").distinct().count(),
        score=metric_label(score).lower(),
        high=None if scale.span is None else scale.high,
    )


def table_json(table: SweepTable) -> dict[str, Any]:
    """Return a sweep as sweep.json has it, without its rows."""
    chosen = table.recommended
    made, asked = table.written
    fresh = {"testset": str(table.fresh_testset), "asked": asked, "made": made, "runs": _reached(table, table.fresh)}
    return {
        "name": str(table.sweep),
        "plan": table.sweep.plan,
        "settings": table.sweep.spec,
        "score": table.score,
        "recommendation": {
            "settings": chosen.configuration.spec.settings if chosen else None,
            "reason": table.recommendation.reason,
            "remarks": list(table.recommendation.remarks),
            "confirmed": _reached(table, table.confirmations) or None,
            "fresh": fresh if table.fresh_testset else None,
        },
    }


def _reached(table: SweepTable, rows: Sequence[RunRow]) -> list[dict[str, Any]]:
    return [{"name": str(row.run), "settings": row.settings, table.score: mean_of(row, table.score)} for row in rows]
