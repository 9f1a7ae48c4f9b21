"""Blind votes on answers side by side: casting one, and how often each setting was preferred."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Prefetch

from evaluation.statistics.intervals import wilson
from rag_pipeline.errors import ConfigError
from rag_pipeline.models import Corpus
from workbench.models import ChatMessage, ChatRound

ENOUGH = 10
"""Votes from which on a share is shown with its interval: fewer say next to nothing."""


@dataclass(frozen=True, slots=True)
class Preferred:
    """Settings and how often they were preferred; `low` and `high`: 95 % of the share, None with too few votes."""

    name: str
    count: int
    share: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class VoteTable:
    """The votes on rounds in which just these settings stood side by side."""

    rows: list[Preferred]
    ties: int
    bad: int
    votes: int


def cast_vote(*, asked: ChatRound, choice: str) -> None:
    """Keep what the person prefers; the names are shown from then on. Raises ConfigError where no vote is open."""
    letters = [letter for letter, _ in asked.lettered]
    if choice not in (*letters, ChatRound.TIE, ChatRound.BAD):
        raise ConfigError(f"A vote is one of: {', '.join(letters)}, tie, bad.")
    if not asked.blind or not asked.whole:
        raise ConfigError("There is no vote on these answers: they were not asked blind, or not all of them came.")
    if not ChatRound.objects.filter(pk=asked.pk, vote="").update(vote=choice):
        raise ConfigError("You voted on these answers before, and have seen which settings gave them.")


def vote_tables(corpus: Corpus) -> list[VoteTable]:
    """Return the votes on a corpus, one table for each set of settings that stood side by side, the newest first."""
    own = ChatMessage.objects.defer("answer", "trace")
    rounds = ChatRound.objects.filter(chat__corpus=corpus).exclude(vote="").order_by("-id")
    groups: dict[frozenset[str], list[ChatRound]] = {}
    for each in rounds.prefetch_related(Prefetch("messages", queryset=own)):
        groups.setdefault(frozenset(map(_identity, each.messages.all())), []).append(each)
    return [_table(group) for group in groups.values()]


def _table(rounds: Sequence[ChatRound]) -> VoteTable:
    """Count the votes of rounds with the same settings; their newest names stand."""
    names = {_identity(message): message.settings_name for _, message in rounds[0].lettered}
    preferred: Counter[str] = Counter()
    for each in rounds:
        preferred.update(_identity(message) for letter, message in each.lettered if letter == each.vote)
    votes = len(rounds)
    rows = [_row(name, preferred[key], votes) for key, name in names.items()]
    cast = Counter(each.vote for each in rounds)
    rows.sort(key=lambda row: (-row.count, row.name))
    return VoteTable(rows, cast[ChatRound.TIE], cast[ChatRound.BAD], votes)


def _row(name: str, count: int, votes: int) -> Preferred:
    low, high = wilson(count, votes) if votes >= ENOUGH else (None, None)
    return Preferred(name, count, count / votes, low, high)


def _identity(message: ChatMessage) -> str:
    return json.dumps(message.pipeline, sort_keys=True)
