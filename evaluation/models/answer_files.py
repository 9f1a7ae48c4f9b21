"""Stored of answers of other systems: an uploaded file and what scoring it gave."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from django.db import models
from django.utils import timezone

from rag_pipeline.models import BackgroundTask

ANSWERS, SCORED = "answers.jsonl", "scored.jsonl"
DETAILS, COLUMNS = "details.jsonl", "columns.json"
"""Files in the folder of an `AnswerFile`: its rows, and what scoring them gave."""


class AnswerFile(models.Model):
    """Answers of another system, uploaded to be scored; the rows lie in DATA_DIR/scores/<id>."""

    name = models.CharField(max_length=200)
    spec = models.JSONField(help_text="EvaluationSpec")
    metrics = models.JSONField(
        default=list, help_text="Names of the metrics it is scored with, headline ones among them"
    )
    refusal = models.TextField(blank=True, help_text="The sentence with which that system declines")
    rows = models.PositiveIntegerField(default=0)
    summary = models.JSONField(default=dict, help_text="As in summary.json; empty until it is scored")
    task = models.OneToOneField(BackgroundTask, null=True, blank=True, on_delete=models.SET_NULL)
    created = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("-id",)

    def __str__(self) -> str:
        return self.name

    @property
    def folder(self) -> Path:
        """Where the files of its rows lie."""
        return Path(settings.DATA_DIR) / "scores" / str(self.pk)
