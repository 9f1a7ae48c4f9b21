"""Model calls: how long one waits beside what the server takes, and the processor time of a call."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from evaluation.generator_spec import GeneratorSpec
from evaluation.judge.claims.forms import extraction
from evaluation.judge.judge import Unjudged, make_judge
from evaluation.judge.prompts import JudgePrompts
from evaluation.question_writers.llm import ModelWriter
from evaluation.scoring.scoring import finished, score_samples
from evaluation.spec import EvaluationSpec
from evaluation.types import Sample
from rag_pipeline.embedders.base import embedders
from rag_pipeline.generators.base import generator_for
from rag_pipeline.llm.chat import ChatModel
from rag_pipeline.llm.loop_thread import gather_blocking
from rag_pipeline.management.base import collect_seldom
from rag_pipeline.pipeline.pipeline import Pipeline
from rag_pipeline.pipeline.runner import run_block
from rag_pipeline.runtime import ModelLimits, configured_limits
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from rag_pipeline.types import Context, Query, SourceDoc, Span, Trace
from tests.bench.corpora import chunking_eval

ORDER = 15
_JUDGED = ("faithfulness", "answer_relevancy", "context_precision", "context_recall", "answer_correctness")
_IMPATIENT = ModelLimits(timeout_s=3.0, max_retries=12, first_wait_s=0.1, longest_wait_s=5.0)


def run(data_dir: Path) -> dict[str, Any]:
    """Measure waiting and processor time against a local server that takes a second a call, or is crowded."""
    collect_seldom()  # as every command does
    documents, _ = chunking_eval(data_dir)
    embedder = embedders.get("local")("all-MiniLM-L6-v2")
    embedder.embed_passages(["warm"])
    figures: dict[str, Any] = {}
    with _server("--delay", "1.0"):
        figures["judged"] = _three(lambda: _judged(_samples(60), embedder.embed_passages))
        figures["answers"] = _three(lambda: _answers(75))
        figures["written"] = _three(lambda: _written(documents, embedder.embed_passages), times=1)
    with _server():
        figures["bare"] = _three(lambda: _bare(2000))
        figures["forms"] = _three(lambda: _forms(2000))
    with _server("--rate", "5"):
        figures["rate"] = _three(lambda: _forms(100, limits=replace(configured_limits(), longest_wait_s=60)), times=1)
    with _server("--delay", "1.0", "--places", "64"):
        figures["crowded"] = _three(lambda: _forms(640), times=1)
        figures["crowded_fixed"] = _three(lambda: _forms(640, limits=ModelLimits(concurrency=64)), times=1)
    with _server("--faults", "0.3"):
        figures["faults"] = _three(lambda: _plain(300, limits=_IMPATIENT), times=1)
    return figures


def table(figures: dict[str, Any]) -> str:
    """Return the figures as Markdown."""
    judged, answers, written = figures["judged"], figures["answers"], figures["written"]
    bare, forms, rate = figures["bare"], figures["forms"], figures["rate"]
    rows = [
        (f"60 rows, five metrics with a judge, {judged['calls']} calls: waiting", f"{judged['wall_s']:.1f} s", "3.5 s"),
        ("the same: processor time", f"{judged['cpu_s']:.1f} s", "4 s"),
        ("75 answers: waiting", f"{answers['wall_s']:.1f} s", "2 s"),
        (f"30 pairs and 15 out of scope, written, {written['calls']} calls", f"{written['wall_s']:.1f} s", "10 s"),
        ("2,000 calls without delay, read into a form: processor time a call", f"{_each(forms):.2f} ms", "2 ms"),
        ("the client of OpenAI alone, the same calls", f"{_each(bare):.2f} ms", ""),
        ("a server that takes 5 calls a second: share of it used", f"{_used(rate):.0%}", "90 %"),
        ("a server with 64 places: time beside a fixed 64 at once", f"{_slower(figures):.2f}", "1.15"),
        ("30 % faults: calls sent beside those wanted", f"{figures['faults']['sent']:.2f}", "1.6"),
    ]
    head = ["Against a local server that takes 1.0 s a call where nothing else is said.", ""]
    table = ["| what | here | limit |", "|---|---|---|", *(f"| {' | '.join(row)} |" for row in rows)]
    return "\n".join([*head, *table, "", _WHY])


_WHY = (
    "What stands in the way of more: 600 calls at 256 at once are three waves of 1.0 s, with 0.3 s before the "
    "first and after the last. A test set takes eight calls one after the other: what fails its check is asked for "
    "again, and the model is shown what was asked before."
)


def _each(figures: dict[str, Any]) -> float:
    return float(1000 * figures["cpu_s"] / figures["calls"])


def _used(figures: dict[str, Any]) -> float:
    return float(figures["calls"] / 5 / figures["wall_s"])


def _slower(figures: dict[str, Any]) -> float:
    return float(figures["crowded"]["wall_s"] / figures["crowded_fixed"]["wall_s"])


def _three(work: Callable[[], dict[str, Any]], times: int = 3) -> dict[str, Any]:
    """Do it so often; return the medians of its seconds, and what it counted the last time."""
    walls, cpus, counted = [], [], {}
    for _ in range(times):
        wall, cpu = time.perf_counter(), time.process_time()
        counted = work()
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    return {"wall_s": median(walls), "cpu_s": median(cpus)} | counted


@contextmanager
def _server(*options: str) -> Iterator[None]:
    """Have a server run in a process of its own, so that its processor time is not counted."""
    command = [sys.executable, "-m", "tests.fake_openai", "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        before = {name: os.environ.get(name) for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY")}
        os.environ |= {"OPENAI_BASE_URL": process.stdout.readline().strip(), "OPENAI_API_KEY": "bench"}
        try:
            yield
        finally:
            process.kill()
            for name, value in before.items():
                os.environ.pop(name) if value is None else os.environ.update({name: value})


class _Nothing:
    """A store that keeps nothing."""

    def get_many(self, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
        return {}

    def put_many(self, replies: Any) -> None:
        pass


def _judged(samples: Sequence[Sample], embed: Any) -> dict[str, Any]:
    spec = EvaluationSpec.create({"metrics": ",".join(_JUDGED), "judge": "openai:judge"})
    judge = make_judge("openai:judge", JudgePrompts(), _Nothing())
    finished(score_samples(samples, spec, "no", embed, names=_JUDGED, judge=judge))
    return {"calls": judge.usage["calls"]}


def _samples(count: int) -> list[Sample]:
    return [_sample(number) for number in range(count)]


def _sample(number: int) -> Sample:
    contexts = tuple(
        Context(
            Span(-10 * number - rank, 0, 60),
            "",
            f"Tower {number} was built in {1200 + number} by mason {rank} near the river. It has {rank} doors.",
            0.0,
            rank,
        )
        for rank in range(1, 5)
    )
    answer = f"Tower {number} was built in {1200 + number}. It stands near the river."
    trace = Trace(f"When was tower {number} built?", answer, contexts)
    return Sample(f"q{number}", f"q{number}", "simple", trace, (f"It was built in {1200 + number}.",))


def _answers(count: int) -> dict[str, Any]:
    spec = PipelineSpec.create({"llm": "openai:answers", "use_context": False})
    pipeline = Pipeline(spec, [], None, generator_for("openai:answers"))
    queries = [Query(f"What is known of tower {time.perf_counter()} {number}?") for number in range(count)]
    return {"calls": sum(len(batch) for batch in run_block(pipeline, queries))}


def _written(documents: Sequence[SourceDoc], embed: Any) -> dict[str, Any]:
    spec = GeneratorSpec.create({"llm": "openai:writer", "pairs": 30, "out_of_scope": 15})
    writer = ModelWriter(documents[:1], spec, embed)
    done = [question for step in writer.write_pairs() for question in step.questions]
    done += [question for step in writer.write_out_of_scope(done) for question in step.questions]
    return {"calls": writer.usage.calls, "questions": len(done)}


def _forms(count: int, limits: ModelLimits | None = None) -> dict[str, Any]:
    """Ask a judge for small forms, all at once, and keep its replies in the database."""
    judge = make_judge("openai:judge", JudgePrompts(), limits=limits, afresh=True)
    requests = [extraction(f"How high is tower {number}?", f"Tower {number} is high.") for number in range(count)]
    found = gather_blocking([judge.ask(request) for request in requests])
    return {"calls": count, "lost": sum(isinstance(each, Unjudged) for each in found)}


def _plain(count: int, limits: ModelLimits) -> dict[str, Any]:
    """Ask for texts, all at once."""
    model = ChatModel("openai", "answers", limits=limits)
    replies = gather_blocking([model.ask_afresh(f"How high is tower {number}?") for number in range(count)])
    return {"calls": count, "sent": sum(reply.attempts for reply in replies) / count}


def _bare(count: int) -> dict[str, Any]:
    """Ask the same of OpenAI's own client."""
    import openai

    async def all_() -> None:
        async with openai.AsyncOpenAI(max_retries=0, http_client=openai.DefaultAioHttpClient()) as client:
            places = asyncio.Semaphore(64)

            async def one(number: int) -> None:
                async with places:
                    prompt = f"List the claims of the answer. <answer>Tower {number} is {number} feet high.</answer>"
                    await client.chat.completions.create(
                        model="judge", messages=[{"role": "user", "content": prompt}], temperature=0
                    )

            await asyncio.gather(*(one(number) for number in range(count)))

    asyncio.run(all_())
    return {"calls": count}
