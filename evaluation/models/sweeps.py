"""Stored of a sweep: what it tries and what that showed; its configurations are ordinary runs."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.utils import timezone

from rag_pipeline.models import BackgroundTask, Corpus


class Sweep(models.Model):
    """Many configurations over the same questions: each is a Run whose `sweep` is this one.

    `state`: what happened on the way, `{"dropped": {number: {"pairs", "p"}}}` by number of the configuration, and
    `"recommended"`, the number that a confirmation was started with. All else is read from the runs. `taken`: earlier
    runs that are just what some configurations would have been.
    """

    name = models.CharField(max_length=120, blank=True)
    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="sweeps")
    testset = models.ForeignKey("evaluation.TestSet", on_delete=models.CASCADE, related_name="sweeps")
    spec = models.JSONField(help_text="SweepSpec: base, grid and options")
    plan = models.JSONField(default=dict, help_text="SweepPlan as it was before the start")
    state = models.JSONField(default=dict)
    taken = models.ManyToManyField("evaluation.Run", related_name="taken_by", blank=True)
    task = models.OneToOneField(BackgroundTask, null=True, blank=True, on_delete=models.SET_NULL)
    created = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("-id",)

    def __str__(self) -> str:
        return self.name or f"Sweep {self.pk}"

    @property
    def options(self) -> dict[str, Any]:
        """How it is searched and judged, by the names of SweepOptions."""
        options: dict[str, Any] = self.spec["options"]
        return options


class Pilot(models.Model):
    """What a few questions took a model that had answered none yet, on average; None where it does not say."""

    llm = models.CharField(max_length=200, unique=True)
    asked = models.PositiveIntegerField()
    seconds = models.FloatField()
    prompt_tokens = models.FloatField(null=True)
    written_tokens = models.FloatField(null=True)
    characters = models.FloatField(help_text="Of the prompts")
    measured = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("llm",)

    def __str__(self) -> str:
        return self.llm
