"""What the pages about runs show: one dataclass for each table, card and panel. Templates read nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from evaluation.metrics.base import Metric
from evaluation.models import Question, Run
from evaluation.scoring.comparability import HowScored
from evaluation.spec import EvaluationSpec
from evaluation.types import Refusal, Score, Summary

if TYPE_CHECKING:  # commands that compare runs read no claims
    from evaluation.queries.claims import ClaimsView
    from evaluation.queries.context_views import ContextPiece, ContextView

R = TypeVar("R")

FEW = 7
"""Parts with fewer questions than this are shown only to those who ask for them."""


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run in a table or chart. `run.corpus`, `run.testset` and `run.task` are loaded.

    `state`: queued, running, done, failed or cancelled. `metrics` maps the five headline scores and `total` to their
    summaries; it is empty until the run is scored. `settings` are the pipeline's, `evaluation` the scoring's, `prompts`
    its judge's, `formulas` the revisions of its metrics' formulas.
    """

    run: Run
    settings: dict[str, Any]
    evaluation: dict[str, Any]
    state: str
    error: str
    answers: int
    failed: int
    metrics: dict[str, Summary]
    prompts: dict[str, str] = field(default_factory=dict)
    formulas: dict[str, int] = field(default_factory=dict)

    @property
    def how(self) -> HowScored:
        """What the scores depend on."""
        return HowScored(EvaluationSpec.create(self.evaluation), self.prompts, self.formulas)

    @property
    def total(self) -> Summary | None:
        """The total score (0..5), None until the run is scored."""
        return self.metrics.get("total")

    def mean(self, metric: str) -> float | None:
        """Return the mean of a metric or of the total, None where the run has none."""
        summary = self.metrics.get(metric)
        return summary.mean if summary else None

    @property
    def prompt_name(self) -> str:
        """Name of the prompt, for colours and legends; “No context” for a run without retrieval."""
        return str(self.settings.get("prompt_name") or "No context")

    @property
    def reader(self) -> str:
        """“extractive” for the built-in reader, else the model."""
        llm = str(self.settings.get("llm", ""))
        return llm.removeprefix("builtin:") if llm.startswith("builtin:") else llm

    @property
    def agreement(self) -> str:
        """What recall and robustness are made of; empty until the run is scored."""
        return str(self.evaluation.get("agreement", ""))


@dataclass(frozen=True, slots=True)
class RunChoice:
    """A run in a list to choose from; `testset` is the name of its test set, `settings` are the pipeline's."""

    pk: int
    name: str
    testset: str
    settings: dict[str, Any]
    archived: bool
    baseline: bool


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """How run b differs from run a in one metric, over the questions that both scored.

    `mean_diff` is b − a; None with a `reason` where nothing can be compared. `n` counts questions, `clusters` pairs.
    `verdict`: better, worse, not distinguishable, or empty without a difference. `sentence` says it all in words.
    """

    metric: str
    label: str
    mean_diff: float | None
    ci_low: float | None
    ci_high: float | None
    n: int
    clusters: int
    p: float | None
    verdict: str
    sentence: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class GroupValue:
    """A part of a metric: a transformation, an error kind, near or far, attempted or refused, the twins' loss."""

    group: str
    label: str
    summary: Summary

    @property
    def few(self) -> bool:
        """True when so few questions say little."""
        return self.summary.n < FEW


@dataclass(frozen=True, slots=True)
class ScoreCard:
    """A score of a run beside those of the previous and the preferred run. `high` is the top of its scale: 1 or 5.

    `hint` is a remark in words (such as “0.5 means no discrimination”). Differences are None where there is no such
    run; `preferred_value` is the mark on the track.
    """

    metric: str
    label: str
    help: str
    high: float
    summary: Summary
    hint: str = ""
    previous: PairedDifference | None = None
    preferred: PairedDifference | None = None
    preferred_value: float | None = None
    groups: list[GroupValue] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class EvidenceView:
    """A gold span in its surroundings; `covered` is the share of it that the contexts hold (None without contexts)."""

    document_id: int
    document: str
    start: int
    end: int
    before: str
    text: str
    after: str
    covered: float | None


@dataclass(frozen=True, slots=True)
class ScoreView:
    """One score of one answer with its reason."""

    metric: str
    label: str
    help: str
    value: float | None
    reason: str
    details: dict[str, Any]

    @property
    def short_details(self) -> dict[str, Any]:
        """The details that a line can hold: without what is empty, drawn apart, or counted by the reason."""
        sentences = self.details.get("sentences")
        apart = isinstance(sentences, list) and all(isinstance(each, dict) for each in sentences)
        drawn = {"pooled", "sentences"} if apart else {"pooled"}
        return {name: value for name, value in self.details.items() if name not in drawn and value != ""}


@dataclass(frozen=True, slots=True)
class FailureView:
    """Where an answer failed: the failure point (1 to 7), its name, why it is this one, and what was measured."""

    point: int
    label: str
    reason: str
    details: dict[str, Any]


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """A question of a run with its answer. `scores` maps metric to Score (value, reason); missing until scored.

    `refusal` is None until scored. `twin` is the other question of the pair (its own `twin` is None).
    `failure`: where it lost its score.
    """

    question: Question
    answer_id: int
    repeat: int
    text: str
    error: str
    latency_s: float | None
    refusal: Refusal | None
    scores: dict[str, Score]
    twin: QuestionRow | None = None
    failure: FailureView | None = None


@dataclass(frozen=True, slots=True)
class QuestionFilters:
    """What of a run's questions to show; empty fields do not filter.

    `refused`: refused, partial, attempt, empty or failed. `failure_point`: 1 to 7, or any. `metric` with `below`
    (value ≤) or `above` (value ≥).
    """

    kind: str = ""
    transformation: str = ""
    error_kind: str = ""
    refused: str = ""
    failure_point: str = ""
    text: str = ""
    metric: str = ""
    below: float | None = None
    above: float | None = None


@dataclass(frozen=True, slots=True)
class TablePage(Generic[R]):
    """One page of a table: “`total` rows, `matching` shown”. `number` counts from 1."""

    rows: list[R]
    number: int
    pages: int
    matching: int
    total: int

    @property
    def has_previous(self) -> bool:
        """True when there is a page before this one."""
        return self.number > 1

    @property
    def has_next(self) -> bool:
        """True when there is a page after this one."""
        return self.number < self.pages


@dataclass(frozen=True, slots=True)
class CellView:
    """A candidate after a step. `label` names the step; `ranks` is empty once it was dropped."""

    label: str
    ranks: str
    moved: int
    share: float | None
    dropped: bool


@dataclass(frozen=True, slots=True)
class CandidateView:
    """A retrieved chunk: its place, the beginning of its text (or where its evidence is), and a cell for each step."""

    document_id: int
    document: str
    start: int
    end: int
    page: int | None
    has_evidence: bool
    pieces: list[ContextPiece]
    cells: list[CellView]


@dataclass(frozen=True, slots=True)
class ColumnView:
    """A step and how many candidates were left after it."""

    label: str
    left: int


@dataclass(frozen=True, slots=True)
class StepsView:
    """What each step of retrieval kept.

    `evidence` says in words what became of candidates with evidence; empty where none is known.
    """

    columns: list[ColumnView]
    rows: list[CandidateView]
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class QuestionDetail:
    """Everything about one answer: evidence, contexts, prompt, scores with reasons. `repeats` are all answers.

    `steps` is None where retrieval had but one. `queries` are what was searched for, where that is not the question.
    `details` are what is left to show as it is.
    """

    row: QuestionRow
    run: Run
    reference_answers: list[str]
    evidence: list[EvidenceView]
    contexts: list[ContextView]
    prompt: str
    scores: list[ScoreView]
    prompt_tokens: int | None
    completion_tokens: int | None
    cost_usd: float | None
    ttft_s: float | None
    details: dict[str, Any]
    repeats: list[QuestionRow]
    steps: StepsView | None = None
    queries: tuple[str, ...] = ()
    claims: ClaimsView | None = None


@dataclass(frozen=True, slots=True)
class QuestionChange:
    """A question that two runs answered with different success. `change` is b − a of the score called `metric`."""

    question: Question
    metric: str
    change: float
    a: QuestionRow
    b: QuestionRow


@dataclass(frozen=True, slots=True)
class SettingDifference:
    """A setting that differs; None where a run does not read it."""

    name: str
    label: str
    a: Any
    b: Any


@dataclass(frozen=True, slots=True)
class OlderFormulas:
    """A run whose scores of `metrics` were computed by formulas that are no longer in force."""

    run: Run
    metrics: list[type[Metric]]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Run b against run a. `note` says why nothing or not everything could be compared; empty when all could.

    `won` and `lost` are sorted by the size of the change; `same` counts questions without a clear change, `uncompared`
    those without a score in one of the runs. `won_count` and `lost_count` count all, also those not listed.
    `further`: the metrics beside the five that both hold; `only_one` names those that only one of them holds.
    `older`: the runs to score again, because the two were computed by different formulas.
    `together`, `further_together`: what of the differences stands when all of them are looked at.
    """

    a: RunRow
    b: RunRow
    settings: list[SettingDifference]
    differences: list[PairedDifference]
    won: list[QuestionChange]
    lost: list[QuestionChange]
    same: int
    uncompared: int
    note: str = ""
    won_count: int = 0
    lost_count: int = 0
    further: list[PairedDifference] = field(default_factory=list)
    only_one: list[str] = field(default_factory=list)
    older: list[OlderFormulas] = field(default_factory=list)
    together: str = ""
    further_together: str = ""
