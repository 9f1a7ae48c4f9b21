"""Stored by the evaluation: test sets with their evidence, runs with answers, scorings with scores."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from django.db import models
from django.utils import timezone

from evaluation.models.answer_files import ANSWERS as ANSWERS
from evaluation.models.answer_files import COLUMNS as COLUMNS
from evaluation.models.answer_files import DETAILS as DETAILS
from evaluation.models.answer_files import SCORED as SCORED
from evaluation.models.answer_files import AnswerFile as AnswerFile
from evaluation.models.judging import JudgeCheck as JudgeCheck
from evaluation.models.judging import JudgePrompt as JudgePrompt
from evaluation.models.quiz import QuizReply as QuizReply
from evaluation.models.sweeps import Pilot as Pilot
from evaluation.models.sweeps import Sweep as Sweep
from rag_pipeline.models import BackgroundTask, Corpus, Document
from rag_pipeline.types import Span

REFUSED = "refused"
"""Name under which an answer's refusal is stored beside its scores: 1 or 0, the rule in `details`."""

CLAIMS = "claims"
"""Name under which an answer's claim table is stored beside its scores: the number of its claims, the table in
`details`. Once for all metrics that read it."""

FAILURE_POINT = "failure_point"
"""Name under which an answer's failure point is stored beside its scores: 1 to 7, or null with the reason."""


class TestSet(models.Model):
    """A version of a set of questions. Immutable once a run used it: an edit makes the next version."""

    __test__ = False  # not a pytest class

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="testsets")
    name = models.CharField(max_length=120)
    version = models.PositiveIntegerField(default=1)
    parent = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="children")
    generator = models.JSONField(default=dict, help_text="GeneratorSpec that made it; empty when imported")
    report = models.JSONField(default=dict, help_text="What generation did: asked, made, rejected and why")
    task = models.OneToOneField(BackgroundTask, null=True, blank=True, on_delete=models.SET_NULL)
    created = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("name", "-version")
        constraints = [models.UniqueConstraint(fields=("corpus", "name", "version"), name="testset_version_once")]

    def __str__(self) -> str:
        return self.name if self.version == 1 else f"{self.name} v{self.version}"

    @property
    def used(self) -> bool:
        """True once a run has it: it must not change any more."""
        return self.runs.exists()

    @property
    def stopped(self) -> bool:
        """True when its writing failed or was cancelled before its end: it can go on."""
        ended = (BackgroundTask.State.FAILED, BackgroundTask.State.CANCELLED)
        return self.task is not None and self.task.state in ended


class Question(models.Model):
    """One question. A simple one and its complex twin share `pair_id`, references and evidence."""

    class Kind(models.TextChoices):
        SIMPLE = "simple"
        COMPLEX = "complex"
        OUT_OF_SCOPE = "out_of_scope"

    class Status(models.TextChoices):
        NEW = "new"
        REVIEWED = "reviewed"
        REJECTED = "rejected"

    testset = models.ForeignKey(TestSet, on_delete=models.CASCADE, related_name="questions")
    position = models.PositiveIntegerField()
    question_id = models.CharField(max_length=80)
    pair_id = models.CharField(max_length=80)
    kind = models.CharField(max_length=12, choices=Kind)
    transformation = models.CharField(max_length=40, blank=True)
    error = models.CharField(max_length=40, blank=True)
    text = models.TextField()
    reference_answers = models.JSONField(default=list)
    split = models.CharField(max_length=10, default="tune")
    status = models.CharField(max_length=10, choices=Status, default=Status.NEW)
    metadata = models.JSONField(default=dict)

    class Meta:
        ordering = ("position",)
        constraints = [models.UniqueConstraint(fields=("testset", "question_id"), name="question_once")]

    @property
    def answerable(self) -> bool:
        """True when the documents hold the answer."""
        return self.kind != self.Kind.OUT_OF_SCOPE

    @property
    def reference(self) -> str:
        """The first reference answer, or an empty string."""
        return self.reference_answers[0] if self.reference_answers else ""

    @cached_property
    def evidence_spans(self) -> tuple[Span, ...]:
        """Where its evidence stands, in order; looked up once, for a sweep asks the same questions many times."""
        return tuple(each.span for each in self.evidence.all())


class Evidence(models.Model):
    """A character span of a document that holds the answer; never a chunk."""

    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="evidence")
    document = models.ForeignKey(Document, on_delete=models.PROTECT, related_name="evidence")
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()

    class Meta:
        ordering = ("id",)

    @property
    def span(self) -> Span:
        """Where it stands."""
        return Span(self.document_id, self.start, self.end)


class TunedEmbedding(models.Model):
    """An embedding model tuned on a test set; its weights lie in DATA_DIR/models/<name>.

    `figures`: empty until it is ready; see `evaluation.services.tuning`.
    """

    name = models.SlugField(max_length=60, unique=True)
    base = models.CharField(max_length=300, help_text="Embedding setting of the untuned model")
    corpus = models.ForeignKey(Corpus, null=True, on_delete=models.SET_NULL, related_name="tuned_embeddings")
    testset = models.ForeignKey(TestSet, null=True, on_delete=models.SET_NULL, related_name="tuned_embeddings")
    settings = models.JSONField(default=dict, help_text="{tuning: TuningSpec, pipeline: how documents are cut}")
    figures = models.JSONField(default=dict)
    task = models.OneToOneField(BackgroundTask, null=True, blank=True, on_delete=models.SET_NULL)
    created = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("-id",)

    def __str__(self) -> str:
        return self.name

    @property
    def setting(self) -> str:
        """What chooses it in *Embedding*."""
        return f"tuned:{self.name}"

    @property
    def ready(self) -> bool:
        """True once its weights are in place."""
        return bool(self.figures)


class Run(models.Model):
    """One pipeline answered one test-set version. Copies its settings: later edits change nothing here.

    With `contexts_from` it has the retrieval settings of that run, and retrieves nothing itself.
    """

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="runs")
    testset = models.ForeignKey(TestSet, on_delete=models.PROTECT, related_name="runs")
    name = models.CharField(max_length=120, blank=True)
    note = models.TextField(blank=True)
    pipeline = models.JSONField(help_text="PipelineSpec.settings")
    pipeline_fingerprint = models.CharField(max_length=32)
    evaluation = models.JSONField(default=dict, help_text="EvaluationSpec of its first scoring")
    split = models.CharField(max_length=10, default="all")
    limit = models.PositiveIntegerField(null=True, blank=True, help_text="Only the first N pairs")
    repeat = models.PositiveIntegerField(default=1)
    afresh = models.BooleanField(default=False)
    baseline = models.BooleanField(default=False, help_text="Pinned: later runs of the test set are compared with it")
    tags = models.JSONField(default=list, blank=True, help_text="Words of the user's, to find it by")
    took = models.JSONField(
        default=dict,
        help_text="What its answers took: latency_p50, prompt_tokens, completion_tokens, cost_usd; empty until scored",
    )
    versions = models.JSONField(default=dict, help_text="Packages, weights and code that made it")
    notes = models.JSONField(default=list, help_text="Remarks for the user, such as a setting the model rejected")
    chunks = models.PositiveIntegerField(null=True, blank=True)
    task = models.OneToOneField(BackgroundTask, null=True, blank=True, on_delete=models.SET_NULL)
    scoring_task = models.OneToOneField(
        BackgroundTask, null=True, blank=True, on_delete=models.SET_NULL, related_name="rescored_run",
        help_text="The latest scoring again",
    )  # fmt: skip
    contexts_from = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="runs_on_its_contexts",
        help_text="The run whose contexts were given to the model",
    )
    contexts_run = models.CharField(max_length=120, blank=True, help_text="Name of that run, should it be deleted")
    sweep = models.ForeignKey(Sweep, null=True, blank=True, on_delete=models.SET_NULL, related_name="runs")
    retrieval_only = models.BooleanField(default=False, help_text="Nothing is answered: retrieval alone is scored")
    facts = models.JSONField(default=dict, help_text="What it gave the model: see `services.retrieval_facts`")
    archived = models.BooleanField(default=False)
    created = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("-id",)

    def __str__(self) -> str:
        return self.name or f"Run {self.pk}"

    @property
    def options(self) -> dict[str, Any]:
        """Which questions it asked, and how often, by the names of RunOptions."""
        from evaluation.spec import RunOptions  # with all units behind it: a command that only looks needs none

        return {name: getattr(self, name) for name in RunOptions.model_fields}

    @property
    def contexts_origin(self) -> str:
        """Name of the run whose contexts were taken; empty for a run that retrieved its own."""
        if self.contexts_from is not None:
            return str(self.contexts_from)
        return f"{self.contexts_run} (deleted)" if self.contexts_run else ""

    @property
    def ended_unscored(self) -> bool:
        """True where all is answered, but the run failed or was cancelled while it was scored."""
        scoring = self.task is not None and not self.task.active and self.task.stage == "score"
        return scoring and not self.scorings.exists()

    @property
    def current_scoring(self) -> Scoring | None:
        """The scoring that pages and files show; `with_current_scoring` reads it once for all who ask."""
        loaded: list[Scoring] | None = getattr(self, "loaded_scorings", None)
        return self.scorings.filter(current=True).first() if loaded is None else next(iter(loaded), None)


class Answer(models.Model):
    """The pipeline's trace for one question."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="answers")
    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="answers")
    repeat = models.PositiveIntegerField(default=0)
    text = models.TextField(blank=True)
    contexts = models.JSONField(
        default=list, help_text="List of {document_id, document, start, end, score, rank, page}; texts are the spans"
    )
    prompt = models.TextField(blank=True)
    latency_s = models.FloatField(null=True)
    ttft_s = models.FloatField(null=True)
    prompt_tokens = models.PositiveIntegerField(null=True)
    completion_tokens = models.PositiveIntegerField(null=True)
    cost_usd = models.FloatField(null=True)
    error = models.TextField(blank=True)
    details = models.JSONField(default=dict)

    class Meta:
        ordering = ("question__position", "repeat")
        constraints = [models.UniqueConstraint(fields=("run", "question", "repeat"), name="answer_once")]
        indexes = [models.Index(fields=("run",), condition=~models.Q(error=""), name="answer_failed")]


class Scoring(models.Model):
    """One way of scoring a run's stored answers; scoring again asks the pipeline nothing."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="scorings")
    spec = models.JSONField(help_text="EvaluationSpec")
    current = models.BooleanField(default=True)
    prompts = models.JSONField(default=dict, help_text="Text of each of the judge's prompts that was used, by name")
    judging = models.JSONField(
        default=dict, help_text="What the judge took: calls, cached, tokens, cost_usd; empty without one"
    )
    formulas = models.JSONField(
        default=dict, help_text="Revision of the formula of each metric, by name, where it was not the first"
    )
    created = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("-id",)


class MetricScore(models.Model):
    """A metric's value for one answer; null with its reason when it could not be computed."""

    scoring = models.ForeignKey(Scoring, on_delete=models.CASCADE, related_name="scores")
    answer = models.ForeignKey(Answer, on_delete=models.CASCADE, related_name="scores")
    metric = models.CharField(max_length=60)
    value = models.FloatField(null=True)
    reason = models.TextField(blank=True)
    details = models.JSONField(default=dict)

    class Meta:
        constraints = [models.UniqueConstraint(fields=("scoring", "answer", "metric"), name="score_once")]


class RunMetric(models.Model):
    """A metric over a whole run, with its 95 % interval. `group` names a part, such as `near`; empty is all."""

    scoring = models.ForeignKey(Scoring, on_delete=models.CASCADE, related_name="metrics")
    metric = models.CharField(max_length=60)
    group = models.CharField(max_length=60, blank=True)
    mean = models.FloatField(null=True)
    ci_low = models.FloatField(null=True)
    ci_high = models.FloatField(null=True)
    n = models.PositiveIntegerField(default=0)
    n_null = models.PositiveIntegerField(default=0)
    reason = models.TextField(blank=True)
    details = models.JSONField(default=dict)

    class Meta:
        constraints = [models.UniqueConstraint(fields=("scoring", "metric", "group"), name="run_metric_once")]


class AnswerMark(models.Model):
    """What a person says of an answer: right or wrong, grounded or not. Belongs to no scoring."""

    class Aspect(models.TextChoices):
        RIGHT = "right"
        GROUNDED = "grounded"

    answer = models.ForeignKey(Answer, on_delete=models.CASCADE, related_name="marks")
    aspect = models.CharField(max_length=10, choices=Aspect)
    value = models.BooleanField()
    changed = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=("answer", "aspect"), name="mark_once")]


MARKED_ASPECTS: tuple[str, ...] = tuple(AnswerMark.Aspect.values)
"""What people may say of an answer, in the order of the pages."""


class Preference(models.Model):
    """A judge's comparison of the answers of two runs, question by question."""

    a = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="preferences_as_a")
    b = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="preferences_as_b")
    judge = models.CharField(max_length=200)
    votes = models.PositiveIntegerField(default=1)
    prompts = models.JSONField(default=dict, help_text="As in Scoring")
    judging = models.JSONField(default=dict, help_text="As in Scoring")
    summary = models.JSONField(default=dict, help_text="Share of questions that b wins, with its interval")
    task = models.OneToOneField(BackgroundTask, null=True, blank=True, on_delete=models.SET_NULL)
    created = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("-id",)


class PreferenceVerdict(models.Model):
    """Which of two answers to one question is better: 1 the one of b, 0 the one of a, 0.5 neither."""

    preference = models.ForeignKey(Preference, on_delete=models.CASCADE, related_name="verdicts")
    answer_a = models.ForeignKey(Answer, on_delete=models.CASCADE, related_name="+")
    answer_b = models.ForeignKey(Answer, on_delete=models.CASCADE, related_name="+")
    value = models.FloatField(null=True)
    reason = models.TextField(blank=True)
    details = models.JSONField(default=dict)

    class Meta:
        constraints = [models.UniqueConstraint(fields=("preference", "answer_a", "answer_b"), name="verdict_once")]
