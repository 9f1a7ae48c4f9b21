"""How fast and how dear a model is: from what it answered so far, or from a pilot of a few questions."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from asgiref.sync import async_to_sync
from django.db.models import Avg, Count
from django.db.models.functions import Length
from django.utils import timezone

from evaluation.experiments.pace import Pace, context_characters
from evaluation.models import Answer, Pilot, Question
from evaluation.queries.stored_answers import KEPT
from rag_pipeline.errors import ConfigError, PipelineError
from rag_pipeline.generators.base import Generator
from rag_pipeline.llm.prices import cost_usd
from rag_pipeline.llm.target import Target
from rag_pipeline.models import Corpus, Document
from rag_pipeline.runtime import configured_limits
from rag_pipeline.services.pipelines import open_generator
from rag_pipeline.settings import prompt_templates as prompts
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from rag_pipeline.types import Context, Generation, GenerationRequest, Span

PILOT = 3
_MILLION = 1_000_000


def pace_of(llm: str) -> Pace:
    """Return what is known of a model: from answers that it was asked for, else from a pilot."""
    asked = Answer.objects.filter(run__pipeline__llm=llm, run__retrieval_only=False, error="").exclude(KEPT)
    found = asked.aggregate(
        answers=Count("id"),
        seconds=Avg("latency_s"),
        read=Avg("prompt_tokens"),
        written=Avg("completion_tokens"),
        characters=Avg(Length("prompt")),
    )
    if found["answers"]:
        known = found["seconds"], found["read"], found["written"], found["characters"]
        return Pace(found["answers"], *known, prices_of(llm))
    pilot = Pilot.objects.filter(llm=llm).first()
    if pilot is None:
        return Pace(0, prices=prices_of(llm))
    known = pilot.seconds, pilot.prompt_tokens, pilot.written_tokens, pilot.characters
    return Pace(pilot.asked, *known, prices_of(llm), piloted=True)


def prices_of(llm: str) -> tuple[float, float] | None:
    """Return the dollars for a token read and a token written; None where nobody says."""
    provider, _, name = llm.partition(":")
    target = Target.create(provider, name)
    try:
        read = cost_usd(target, _MILLION, 0, prices_file=configured_limits().prices_file)
        written = cost_usd(target, 0, _MILLION, prices_file=configured_limits().prices_file)
    except ConfigError:
        return None
    return None if read is None or written is None else (read / _MILLION, written / _MILLION)


def pilot(*, corpus: Corpus, questions: Sequence[Question], spec: PipelineSpec) -> Pace:
    """Ask a model a few questions with contexts as long as they will be, keep what that took and return it.

    No index is needed: the contexts are cut from the documents, around the evidence where there is any. Raises
    ConfigError, ProviderError.
    """
    requests = [_request(corpus, question, spec) for question in questions[:PILOT]]
    taken = async_to_sync(_asked)(open_generator(spec), requests)
    Pilot.objects.update_or_create(
        llm=spec.core.llm,
        defaults={
            "asked": len(taken),
            "seconds": statistics.fmean(each.latency_s for each in taken),
            "prompt_tokens": _mean([each.usage.prompt_tokens for each in taken]),
            "written_tokens": _mean([each.usage.completion_tokens for each in taken]),
            "characters": statistics.fmean(len(each.prompt) for each in requests),
            "measured": timezone.now(),
        },
    )
    return pace_of(spec.core.llm)


def _mean(values: Sequence[int | None]) -> float | None:
    known = [each for each in values if each is not None]
    return statistics.fmean(known) if len(known) == len(values) else None


async def _asked(generator: Generator, requests: Sequence[GenerationRequest]) -> list[Generation]:
    """Return the answers; the first failure is raised."""
    found: list[Generation] = []
    try:
        async for _, result in generator.generate_many(requests):
            if isinstance(result, PipelineError):
                raise result
            found.append(result)
    finally:
        await generator.aclose()
    return found


def _request(corpus: Corpus, question: Question, spec: PipelineSpec) -> GenerationRequest:
    core = spec.core
    contexts = (_context(corpus, question, context_characters(spec)),) if core.use_context else ()
    template = core.prompt if core.use_context else core.prompt_without_context
    prompt = prompts.fill(template, question=question.text, contexts=contexts, refusal=core.refusal)
    return GenerationRequest(question.text, contexts, prompt, template, core.refusal, core.use_context)


def _context(corpus: Corpus, question: Question, size: int) -> Context:
    evidence = question.evidence.select_related("document").first()
    document: Document = evidence.document if evidence else corpus.documents.order_by("id")[0]
    start = max(0, (evidence.start if evidence else 0) - size // 2)
    span = Span(document.pk, start, min(len(document.text), start + size))
    return Context(span, document.name, document.text[span.start : span.end], 1.0, 1)
