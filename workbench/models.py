"""Use and view state of the website: preferences and chats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import models
from django.utils import timezone

from evaluation.models import Run
from rag_pipeline.models import Corpus

if TYPE_CHECKING:
    from workbench.display.reader_answer import ReaderAnswerView


class Preferences(models.Model):
    """What *Save as preferred* keeps: one row.

    `values`: {corpus: id, testset: id, pipeline: {...}, generator: {...}, evaluation: {...}, run: id or null}.
    """

    values = models.JSONField(default=dict)
    saved = models.DateTimeField(auto_now=True)

    @classmethod
    def load(cls) -> dict[str, Any]:
        """Return the saved values, or an empty dict."""
        row = cls.objects.first()
        return dict(row.values) if row else {}

    @classmethod
    def store(cls, values: dict[str, Any]) -> None:
        """Replace the saved values."""
        cls.objects.update_or_create(pk=1, defaults={"values": values})


class Preset(models.Model):
    """Settings under a name, for any corpus. `values`: {pipeline: {...}, evaluation: {...}, options: {...}}."""

    name = models.CharField(max_length=80, unique=True)
    values = models.JSONField()
    saved = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class WorkbenchState(models.Model):
    """The Workbench as it was left, as the query string of its address: one row."""

    query = models.TextField(blank=True)

    @classmethod
    def load(cls) -> str:
        """Return the query string; empty: as preferred."""
        row = cls.objects.first()
        return row.query if row else ""

    @classmethod
    def store(cls, query: str) -> None:
        """Remember the query string."""
        if query != cls.load():
            cls.objects.update_or_create(pk=1, defaults={"query": query})


class Chat(models.Model):
    """A sitting of trying the pipeline by hand."""

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE)
    run = models.ForeignKey(Run, null=True, blank=True, on_delete=models.SET_NULL)
    created = models.DateTimeField(default=timezone.now)


class ChatRound(models.Model):
    """One message to several saved settings: its messages in the order shown, called A, B and so on.

    `vote`: what the person preferred without knowing the settings: a letter, `tie` or `bad`; empty before.
    """

    TIE, BAD = "tie", "bad"
    LETTERS = "ABCD"

    chat = models.ForeignKey(Chat, on_delete=models.CASCADE, related_name="rounds")
    question = models.TextField()
    blind = models.BooleanField(default=False)
    vote = models.CharField(max_length=4, blank=True)
    created = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("id",)

    @property
    def lettered(self) -> list[tuple[str, ChatMessage]]:
        """The answers, each with its letter."""
        return list(zip(self.LETTERS, self.messages.all(), strict=False))

    @property
    def whole(self) -> bool:
        """True where all settings answered; else there is nothing to vote on."""
        return all(message.trace and not message.error for message in self.messages.all())

    @property
    def veiled(self) -> bool:
        """True as long as nobody is to see which settings gave which answer."""
        return self.blind and not self.vote and self.whole


class ChatMessage(models.Model):
    """One question and its answer; each is independent of earlier ones.

    `round`: the message to several settings that it belongs to, if any, of which these are called `settings_name`.
    """

    chat = models.ForeignKey(Chat, on_delete=models.CASCADE, related_name="messages")
    round = models.ForeignKey(ChatRound, null=True, blank=True, on_delete=models.CASCADE, related_name="messages")
    settings_name = models.CharField(max_length=160, blank=True)
    question = models.TextField()
    answer = models.TextField(blank=True)
    pipeline = models.JSONField(default=dict)
    trace = models.JSONField(default=dict)
    refused = models.CharField(max_length=40, blank=True, help_text="Rule that fired; empty when not a refusal")
    error = models.TextField(blank=True)
    created = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("id",)

    @property
    def line(self) -> list[str]:
        """What the line under the answer says."""
        from workbench.display.answer_line import answer_line  # with all metrics behind it: not when Django starts

        return answer_line(self.trace)

    @property
    def reader(self) -> ReaderAnswerView | None:
        """What the built-in reader says of its answer; None for another model's."""
        from workbench.display.reader_answer import READER, reader_answer

        details = self.trace.get(READER) or {}
        return reader_answer(details, self.pipeline, details.get("page"))
