"""Stored of the quiz: what a person said of a question that the workbench asked."""

from __future__ import annotations

from django.db import models
from django.utils import timezone


class QuizReply(models.Model):
    """A person was asked a question of a test set. `round`: which quiz it belongs to; a question comes once in each."""

    class Verdict(models.TextChoices):
        RIGHT = "right"
        WRONG = "wrong"
        DOUBTFUL = "doubtful"

    question = models.ForeignKey("evaluation.Question", on_delete=models.CASCADE, related_name="quiz_replies")
    round = models.CharField(max_length=20)
    verdict = models.CharField(max_length=10, choices=Verdict)
    created = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("id",)
        constraints = [models.UniqueConstraint(fields=("question", "round"), name="quiz_reply_once")]
