"""Stored by the pipeline: corpora, documents, prompts, index records, background work."""

from __future__ import annotations

import datetime as dt

from django.db import models
from django.utils import timezone

from rag_pipeline.types import SourceDoc


class Corpus(models.Model):
    """A named set of documents that one bot answers from."""

    name = models.CharField(max_length=120, unique=True)
    created = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("name",)
        verbose_name_plural = "corpora"

    def __str__(self) -> str:
        return self.name


def original_path(document: Document, filename: str) -> str:
    """Return where the uploaded bytes are kept, relative to the data folder's `files`."""
    return f"{document.content_hash[:2]}/{document.content_hash}-{filename[-80:]}"


class Document(models.Model):
    """An uploaded file and its extracted text. `text` never changes: spans point into it."""

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="documents")
    name = models.CharField(max_length=255)
    content_hash = models.CharField(max_length=64, help_text="SHA-256 of the original bytes")
    original = models.FileField(upload_to=original_path, max_length=400)
    text = models.TextField()
    length = models.PositiveIntegerField(help_text="Characters of text")
    page_starts = models.JSONField(default=list)
    notes = models.JSONField(default=list, help_text="Remarks of the reader")
    created = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("name", "id")
        constraints = [
            models.UniqueConstraint(fields=("corpus", "content_hash"), name="document_once_per_corpus"),
            models.UniqueConstraint(fields=("corpus", "name"), name="document_name_once_per_corpus"),
        ]

    def __str__(self) -> str:
        return self.name

    def as_source(self) -> SourceDoc:
        """Return the engine's view of this document."""
        return SourceDoc(self.pk, self.name, self.text, tuple(self.page_starts))


class NamedPrompt(models.Model):
    """A version of a prompt of the user's library; the shipped ones are files. Its text never changes."""

    name = models.CharField(max_length=80)
    version = models.PositiveIntegerField(default=1)
    text = models.TextField()
    updated = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("name", "-version")
        constraints = [models.UniqueConstraint(fields=("name", "version"), name="prompt_version_once")]

    def __str__(self) -> str:
        return self.name if self.version == 1 else f"{self.name} v{self.version}"


class Index(models.Model):
    """Record of a chunk index on disk: a cache, may be deleted at any time."""

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="indexes")
    fingerprint = models.CharField(max_length=32, unique=True, help_text="Documents, chunker and embedder")
    settings = models.JSONField()
    chunks = models.PositiveIntegerField()
    created = models.DateTimeField(default=timezone.now)
    used = models.DateTimeField(default=timezone.now)


class ModelReply(models.Model):
    """A model's reply, by the content of what was asked: the same call is not paid for again. A cache."""

    key = models.CharField(max_length=64, primary_key=True, help_text="hash of model, settings, prompt, form, repeat")
    reply = models.JSONField()
    created = models.DateTimeField(default=timezone.now, db_index=True)


class BackgroundTask(models.Model):
    """Long work; this row is its truth. Its grain is `WorkUnit`."""

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    kind = models.CharField(max_length=40, help_text="Name of the handler in rag_pipeline.background")
    payload = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=State, default=State.QUEUED, db_index=True)
    stage = models.CharField(max_length=40, blank=True)
    step = models.CharField(max_length=120, blank=True, help_text="What is being done, in the user's words")
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    step_started = models.DateTimeField(null=True, blank=True, help_text="When the present count began")
    step_from = models.PositiveIntegerField(default=0, help_text="What was done already when it began")
    step_ends = models.DateTimeField(null=True, blank=True, help_text="When the present count is expected to end")
    calls = models.PositiveIntegerField(default=0, help_text="Model calls that its gates let through at once now")
    failures = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True, help_text="Why it failed, in the user's words")
    cancel_requested = models.BooleanField(default=False)
    owner = models.CharField(
        max_length=80, blank=True, help_text="host:pid of a command that works on it itself; workers leave it alone"
    )
    created = models.DateTimeField(default=timezone.now)
    started = models.DateTimeField(null=True, blank=True)
    finished = models.DateTimeField(null=True, blank=True)
    heartbeat = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return f"{self.kind} {self.pk} ({self.state})"

    @property
    def active(self) -> bool:
        """True while it waits or runs."""
        return self.state in (self.State.QUEUED, self.State.RUNNING)

    @property
    def elapsed(self) -> dt.timedelta | None:
        """Time since the start, or the whole time once ended."""
        if self.started is None:
            return None
        return (self.finished or timezone.now()) - self.started

    @property
    def seconds_left(self) -> float | None:
        """Time left of the present count; None before its pace is known, and once it takes longer than expected."""
        if not self.active or self.step_ends is None:
            return None
        left = (self.step_ends - timezone.now()).total_seconds()
        return left if left > 0 else None

    def count(self, *, step: str, done: int, total: int) -> None:
        """Store how far it is; another step or total is a new count, with a pace of its own."""
        now = timezone.now()
        row = BackgroundTask.objects.filter(pk=self.pk)
        row.exclude(step=step, total=total).update(
            step=step, total=total, step_started=now, step_from=done, step_ends=None
        )
        row.update(done=done, heartbeat=now)
        self._foresee()

    def count_units(self, stage: str) -> None:
        """Store how many units of a stage have ended. One unit tells nothing: there it is what the work reports."""
        units = self.units.filter(stage=stage)
        total = units.count()
        if total > 1:
            ended = units.filter(state__in=(WorkUnit.State.DONE, WorkUnit.State.FAILED)).count()
            BackgroundTask.objects.filter(pk=self.pk).update(done=ended, total=total)
            self._foresee()

    def _foresee(self) -> None:
        """Store when the present count is expected to end, by its pace so far."""
        row = BackgroundTask.objects.only("step_started", "step_from", "step_ends", "done", "total").get(pk=self.pk)
        done = row.done - row.step_from
        if row.step_started is not None and done > 0:
            ends = expected_end(
                row.step_started, timezone.now(), done=done, left=row.total - row.done, before=row.step_ends
            )
            BackgroundTask.objects.filter(pk=self.pk).update(step_ends=ends)


def expected_end(
    started: dt.datetime, now: dt.datetime, *, done: int, left: int, before: dt.datetime | None
) -> dt.datetime:
    """Return when a count ends that did so many units since it started.

    What was expected `before` stands unless it was wrong by a fifth of the time left and two seconds: a time left that
    rises and falls by turns tells nobody anything.
    """
    ends = now + (now - started) / done * left
    if before is None or ends <= before:
        return ends
    return before if ends - before <= max(before - now, dt.timedelta()) / 5 + dt.timedelta(seconds=2) else ends


class WorkUnit(models.Model):
    """The smallest piece of a task that is claimed, done, resumed and counted."""

    class State(models.TextChoices):
        WAITING = "waiting"
        LEASED = "leased"
        DONE = "done"
        FAILED = "failed"

    task = models.ForeignKey(BackgroundTask, on_delete=models.CASCADE, related_name="units")
    stage = models.CharField(max_length=40)
    key = models.CharField(max_length=120)
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    lease_until = models.DateTimeField(null=True, blank=True)
    worker = models.CharField(max_length=100, blank=True, help_text="host:pid:claim")
    attempts = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ("id",)
        constraints = [models.UniqueConstraint(fields=("task", "stage", "key"), name="unit_once")]
        indexes = [models.Index(fields=("task", "stage", "state"))]


class WorkerHeartbeat(models.Model):
    """A live worker process; a row older than half a minute is dead."""

    name = models.CharField(max_length=80, unique=True, help_text="host:pid")
    seen = models.DateTimeField(default=timezone.now)
