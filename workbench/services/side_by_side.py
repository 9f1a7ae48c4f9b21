"""One message to several saved settings side by side: which there are, asking them, storing what they answer."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from asgiref.sync import sync_to_async
from django.db import transaction

from evaluation.spec import EvaluationSpec
from rag_pipeline.errors import ConfigError
from rag_pipeline.models import Corpus
from rag_pipeline.retrievers.base import retrievers
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from workbench.models import Chat, ChatMessage, ChatRound, Preferences, Preset
from workbench.services.chat import ChatStage, answer_message
from workbench.services.current_settings import finished_runs

FEWEST, MOST = 2, 4
_RUNS = 12
"""Runs to choose from: the newest, each pipeline once."""
_LOOKED_AT = 200


@dataclass(frozen=True, slots=True)
class SavedSettings:
    """Settings of a pipeline that were kept: as preferred, as a preset, or by a run. `key` names them in a form."""

    key: str
    name: str
    kind: str
    pipeline: Mapping[str, Any]


def saved_settings(corpus: Corpus, also: Sequence[str] = ()) -> list[SavedSettings]:
    """Return what can be asked about a corpus: preferred settings, presets, its newest runs, and those in `also`."""
    found = []
    if preferred := Preferences.load().get("pipeline"):
        found.append(SavedSettings("preferred", "Preferred settings", "", preferred))
    for preset in Preset.objects.all():
        found.append(SavedSettings(f"preset-{preset.pk}", preset.name, "preset", preset.values["pipeline"]))
    bound = {unit.key for unit in retrievers if unit.needs_evidence}
    seen: set[str] = set()
    for run in finished_runs().filter(corpus=corpus)[:_LOOKED_AT]:
        key = f"run-{run.pk}"
        new = run.pipeline_fingerprint not in seen and len(seen) < _RUNS
        if key in also or (new and run.pipeline.get("retriever") not in bound):
            seen.add(run.pipeline_fingerprint)
            found.append(SavedSettings(key, str(run), "run", run.pipeline))
    return found


def start_round(*, chat: Chat, question: str, chosen: Sequence[SavedSettings], blind: bool) -> ChatRound:
    """Store a question to several settings; the answers follow. Blind, they come in an order drawn by chance."""
    with transaction.atomic():
        asked = ChatRound.objects.create(chat=chat, question=question, blind=blind)
        for each in random.sample(chosen, len(chosen)) if blind else chosen:
            ChatMessage.objects.create(
                chat=chat, round=asked, question=question, pipeline=each.pipeline, settings_name=each.name[:160]
            )
    return asked


async def answer_round(*, asked: ChatRound, evaluation: EvaluationSpec) -> AsyncGenerator[ChatStage | ChatRound]:
    """Yield stages, then the round. All settings answer at the same time; one that fails, fails alone.

    Whoever stops reading stores what has come so far.
    """
    messages = [each async for each in asked.messages.select_related("chat__corpus")]
    stages: asyncio.Queue[ChatStage | None] = asyncio.Queue()
    building = asyncio.Lock()
    tasks = [asyncio.create_task(_answer(each, evaluation, building, stages)) for each in messages]
    try:
        done = 0
        while done < len(tasks):
            stage = await stages.get()
            done += stage is None
            yield stage or ChatStage(f"{done} of {len(tasks)} have answered")
        await asyncio.gather(*tasks)  # raises what no answer could say
        yield asked
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _answer(
    message: ChatMessage, evaluation: EvaluationSpec, building: asyncio.Lock, stages: asyncio.Queue[ChatStage | None]
) -> None:
    try:
        spec = PipelineSpec.create(message.pipeline)
        async for piece in answer_message(message=message, spec=spec, evaluation=evaluation, building=building):
            if isinstance(piece, ChatStage):
                stages.put_nowait(piece)
    except ConfigError as error:  # saved by another version
        message.error = str(error)
        await sync_to_async(message.save)(update_fields=["error"])
    finally:
        stages.put_nowait(None)


async def answer_round_whole(*, asked: ChatRound, evaluation: EvaluationSpec) -> None:
    """Answer without telling how far it is."""
    async for _ in answer_round(asked=asked, evaluation=evaluation):
        pass
