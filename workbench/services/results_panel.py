"""What the Workbench shows beside the settings: the run, its scores, what changed, the chart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import urlencode

from evaluation.models import Run, TestSet
from evaluation.queries.comparison import compare_runs, score_cards
from evaluation.queries.rows import Comparison, RunRow, ScoreCard
from evaluation.queries.runs import run_rows
from evaluation.scoring.summaries import TOTAL
from evaluation.spec import HEADLINE
from rag_pipeline.models import Corpus
from workbench.charts import figures as charts
from workbench.charts.palette import prompt_series
from workbench.display.verdict import verdict_of
from workbench.services.judge_facts import NoVerdict, without_verdict
from workbench.services.listing import further_of, measured_otherwise, with_older_formula
from workbench.services.run_facts import FurtherScore, further_scores

SCORES = (TOTAL, *HEADLINE)
STOPPED = ("failed", "cancelled")
MOST_LISTED = 100


@dataclass(frozen=True, slots=True)
class Baseline:
    """The run that another is compared with, by its row, and `why` that one, in words."""

    row: RunRow
    why: str

    @property
    def run(self) -> Run:
        """The run itself."""
        return self.row.run


@dataclass(frozen=True)
class Results:
    """The right side of the Workbench. `rows` are the runs of the chart, `shown` the run whose scores stand above it.

    `stopped` is a later run that failed or was cancelled: its place stays with the last good one. `baseline` is the run
    that `shown` is compared with, `comparison` what changed between the two.
    """

    corpus: Corpus
    testset: TestSet | None
    agreement: str
    chunk_unit: str
    score: str
    rows: list[RunRow] = field(default_factory=list)
    shown: RunRow | None = None
    stopped: RunRow | None = None
    baseline: Baseline | None = None
    preferred: Run | None = None
    cards: list[ScoreCard] = field(default_factory=list)
    comparison: Comparison | None = None
    figure: charts.Figure | None = None
    elsewhere: int = 0
    """Runs of the test set that are not in the chart: another agreement or chunk unit, or no score yet."""
    older: list[RunRow] = field(default_factory=list)
    """Runs left out of the chart because an older formula computed their score."""
    further: tuple[str, ...] = ()
    """Metrics beside the five that the chart can show."""

    @property
    def documents(self) -> bool:
        """Return True when the corpus holds what questions can be written from."""
        return self.corpus.documents.exists()

    @property
    def verdict(self) -> str:
        """Return in one sentence whether the run shown is better than its baseline; empty without a comparison."""
        return verdict_of(self.comparison) if self.comparison else ""

    @property
    def no_verdict(self) -> list[NoVerdict]:
        """Return the metrics of the run shown whose judge gave no verdict on some answer."""
        return without_verdict(self.shown.run) if self.shown and self.shown.evaluation.get("judge") else []

    @property
    def beside(self) -> list[FurtherScore]:
        """Return the metrics that the run shown is scored with beside the five."""
        return further_scores(self.shown.run) if self.shown and self.shown.evaluation.get("metrics") else []

    @property
    def query(self) -> str:
        """Return the query string that asks for the same again; there must be a test set and a run that is shown."""
        assert self.testset is not None
        assert self.shown is not None
        chosen = {"corpus": self.corpus.pk, "testset": self.testset.pk, "agreement": self.agreement}
        return urlencode({**chosen, "chunk_unit": self.chunk_unit, "run": self.shown.run.pk})

    @property
    def many_dots(self) -> bool:
        """Return True when the chart leaves the intervals out."""
        return len(self.dots) > charts.MANY_DOTS

    @property
    def scores(self) -> tuple[str, ...]:
        """Return the scores that the chart can show."""
        return (*SCORES, *self.further)

    @property
    def headline(self) -> tuple[str, ...]:
        """Return the scores in the order of their cards."""
        return (*HEADLINE, TOTAL)

    @cached_property
    def dots(self) -> list[RunRow]:
        """Return the runs that have a dot."""
        return charts.drawn(self.rows, self.score)

    @property
    def listed(self) -> list[RunRow]:
        """Return the latest of them, for the table beside the chart."""
        return self.dots[:MOST_LISTED]


def results(
    *,
    corpus: Corpus,
    testset: TestSet | None,
    agreement: str,
    chunk_unit: str,
    run: int | None = None,
    preferred: Run | None = None,
    score: str = "total",
) -> Results:
    """Return what to show for a test set; without `run` its latest run stands above the chart."""
    everything = run_rows(corpus=corpus, testset=testset) if testset else []
    if not everything:
        return Results(corpus, testset, agreement, chunk_unit, TOTAL)
    wanted = _wanted(everything, run)
    shown = _last_good(everything, wanted)
    rows = [row for row in everything if _belongs(row, agreement, chunk_unit)]
    further = tuple(further_of(rows))
    score = score if score in (*SCORES, *further) else TOTAL
    otherwise = measured_otherwise(rows, [score])[score]
    older = with_older_formula(rows, otherwise)
    rows = [row for row in rows if row.run.pk not in otherwise]
    baseline = _baseline(everything, shown, preferred)
    other = baseline.run if baseline else None
    preferred = _beside(preferred, shown.run)
    scored = bool(shown.metrics)
    dots = charts.dots_of(rows, score, charts.CHUNK_SIZE)
    figure = charts.figure_of(dots, prompt_series(), score, charts.CHUNK_SIZE, shown.run.pk)
    comparison = compare_runs(a=baseline.row, b=shown, limit=3) if scored and baseline else None
    return Results(
        corpus=corpus,
        testset=testset,
        agreement=agreement,
        chunk_unit=chunk_unit,
        score=score,
        rows=rows,
        shown=shown,
        stopped=wanted if wanted != shown else None,
        baseline=baseline,
        preferred=preferred,
        cards=score_cards(run=shown.run, previous=other, preferred=preferred, compared=comparison) if scored else [],
        comparison=comparison,
        figure=figure if figure["data"] else None,
        elsewhere=len(everything) - sum(len(dot.rows) for dot in dots) - len(older),
        older=older,
        further=further,
    )


def _wanted(rows: Sequence[RunRow], run: int | None) -> RunRow:
    """Return the run asked for, else the latest; one of a sweep, which nobody chose, only where there is no other."""
    asked = (row for row in rows if row.run.pk == run)
    alone = (row for row in rows if row.run.sweep_id is None)
    return next(asked, None) or next(alone, rows[0])


def _belongs(row: RunRow, agreement: str, chunk_unit: str) -> bool:
    return row.agreement == agreement and row.settings.get("chunk_unit", chunk_unit) == chunk_unit


def _beside(preferred: Run | None, shown: Run) -> Run | None:
    """Return the preferred run where it is another one on the same test set."""
    if preferred is None or preferred == shown or preferred.testset_id != shown.testset_id:
        return None
    return preferred


def _last_good(rows: Sequence[RunRow], wanted: RunRow) -> RunRow:
    """Return the run that is shown: the wanted one, unless it stopped without a score and another has some."""
    if wanted.metrics or wanted.state not in STOPPED:
        return wanted
    return next((row for row in rows if row.run.pk < wanted.run.pk and row.metrics), wanted)


def _baseline(rows: Sequence[RunRow], shown: RunRow, preferred: Run | None) -> Baseline | None:
    """Return what a run is compared with: the pinned run, the preferred one, or the last that asked all the same.

    One that asked only a part, or other questions, is never taken, unless the run shown asked just that part.
    """
    able = [row for row in rows if row.run != shown.run and row.metrics and _same_questions(row, shown)]
    for row in able:
        if row.run.baseline:
            return Baseline(row, "the pinned baseline")
    for row in able:
        if row.run == preferred:
            return Baseline(row, "the preferred run")
    earlier = [row for row in able if row.run.pk < shown.run.pk]
    return Baseline(earlier[0], "the last run of the same questions") if earlier else None


def _same_questions(row: RunRow, shown: RunRow) -> bool:
    """Return whether a run asked what the run shown asked, or all of the test set, and was scored alike."""
    alike = row.agreement == shown.agreement or not shown.metrics
    asked = (row.run.split, row.run.limit)
    return alike and (asked == (shown.run.split, shown.run.limit) or asked == ("all", None))
