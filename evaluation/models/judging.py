"""Stored of judges: the prompts that a user changed, and how a judge did when it was checked."""

from __future__ import annotations

from django.db import models
from django.utils import timezone


class JudgePrompt(models.Model):
    """A prompt of the judge as a user changed it; without a row, the shipped file counts."""

    name = models.CharField(max_length=60, unique=True)
    text = models.TextField()
    changed = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class JudgeCheck(models.Model):
    """How a judge, asked in one way, did on the shipped marked claims: the last check counts."""

    judge = models.CharField(max_length=200)
    asked = models.JSONField(default=dict, help_text="Votes, reply limit and length of lists, as in EvaluationSpec")
    found = models.JSONField(default=dict, help_text="As `manage.py judge_check --json` gives it")
    created = models.DateTimeField(default=timezone.now)
