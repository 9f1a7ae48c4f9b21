"""`manage.py ask`: one answer with its contexts, latencies, tokens and cost."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError, CommandParser

from rag_pipeline.errors import ProviderError
from rag_pipeline.management.base import (
    WRONG_USAGE,
    WorkbenchCommand,
    add_document_argument,
    add_set_argument,
    pipeline_spec,
)
from rag_pipeline.pipeline.pipeline import Pipeline
from rag_pipeline.services.corpora import document_ids, get_corpus
from rag_pipeline.services.pipelines import open_pipeline, prepare_pipeline
from rag_pipeline.types import Trace


class Command(WorkbenchCommand):
    """Ask one question."""

    help = "Answer one question from a corpus and show what the answer rests on."
    example = 'manage.py ask "Who pays the trustee?" --corpus handbook --json'

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("question", metavar="QUESTION")
        parser.add_argument("--corpus", required=True, metavar="NAME")
        add_set_argument(parser)
        add_document_argument(parser)
        parser.add_argument("--json", action="store_true", help="write a JSON object instead of text")

    def run(self, **options: Any) -> None:
        """Answer and print."""
        if not options["question"].strip():
            raise CommandError("Write a question.", returncode=WRONG_USAGE)
        spec = pipeline_spec(options["set"])
        corpus = get_corpus(name=options["corpus"])
        only = document_ids(corpus=corpus, names=options["document"])
        self.progress(prepare_pipeline(corpus=corpus, spec=spec))
        trace = asyncio.run(_answer(open_pipeline(corpus=corpus, spec=spec, only=only), options["question"]))
        if trace.error:
            raise ProviderError(trace.error)
        self.out(json.dumps(trace_json(trace), ensure_ascii=False, indent=2) if options["json"] else as_text(trace))


async def _answer(pipeline: Pipeline, question: str) -> Trace:
    try:
        async for piece in pipeline.answer_stream(question):
            if isinstance(piece, Trace):
                return piece
    finally:
        await pipeline.generator.aclose()
    raise ProviderError("The model ended its answer without a result. Try again.")


def trace_json(trace: Trace) -> dict[str, Any]:
    """Return a trace as JSON: answer, contexts with spans, prompt, seconds, tokens, cost (null where unknown).

    `queries` is what was searched for, `steps` the candidates after each step of retrieval with their ranks.
    """
    return {
        "question": trace.question,
        "answer": trace.answer,
        "contexts": [asdict(context) | {"id": context.id} for context in trace.contexts],
        "prompt": trace.prompt,
        "latency_s": trace.latency_s,
        "ttft_s": trace.ttft_s,
        "retrieval_s": trace.retrieval_s,
        **asdict(trace.usage),
        "notes": list(trace.notes),
        "queries": list(trace.queries),
        "steps": [step.as_json() for step in trace.steps],
        "details": trace.details,
    }


def as_text(trace: Trace) -> str:
    """Return the answer, one line of figures, and the contexts by rank."""
    usage = trace.usage
    tokens = "unknown" if usage.prompt_tokens is None else f"{usage.prompt_tokens} + {usage.completion_tokens}"
    cost = "unknown" if usage.cost_usd is None else f"${usage.cost_usd:.4f}"
    seconds = "unknown" if trace.latency_s is None else f"{trace.latency_s:.2f} s"
    lines = [trace.answer, "", f"latency {seconds} · tokens {tokens} · cost {cost}", *trace.notes]
    lines += [f"Searched for: {query}" for query in trace.searched_for]
    lines += [f"{context.rank}. {context.score:.3f}  {context.id}" for context in trace.contexts]
    return "\n".join(lines)
