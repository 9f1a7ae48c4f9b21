"""Questions of public data with their contexts, as the built-in reader is asked them, and what it says."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rag_pipeline.embedders.base import Embedder
from rag_pipeline.generators.builtin import BuiltinReader
from rag_pipeline.retrievers.base import retrievers
from rag_pipeline.settings.core import DEFAULT_REFUSAL
from rag_pipeline.settings.prompt_templates import default_prompt, fill
from rag_pipeline.types import Context, GenerationRequest, Hit, Query, SourceDoc, Span
from tests.bench.cache import ROOT
from tests.bench.corpora import chunking_eval, cut, index_of

TOP = 4
OWN, CLAPNQ, INSTRUCTQA, CHUNKING, FOREIGN = "own", "clapnq", "instructqa", "chunking_eval", "foreign"


@dataclass(frozen=True)
class Trial:
    """A question with its contexts. `references`: gold answers as text; `gold`: as spans of documents."""

    question: str
    contexts: tuple[Context, ...]
    answerable: bool
    references: tuple[str, ...] = ()
    gold: tuple[Span, ...] = ()

    @property
    def holds(self) -> bool:
        """True where one of the contexts covers at least half of a gold span."""
        return any(2 * shared(context.span, gold) >= len(gold) for context in self.contexts for gold in self.gold)

    @property
    def request(self) -> GenerationRequest:
        """The question with the default prompt."""
        prompt = fill(default_prompt(), question=self.question, contexts=self.contexts, refusal=DEFAULT_REFUSAL)
        return GenerationRequest(self.question, self.contexts, prompt, default_prompt(), DEFAULT_REFUSAL)


@dataclass(frozen=True)
class Said:
    """What the reader said: `answer` is also there where it declined."""

    declined: bool
    answer: str
    sentence: str
    place: Span | None
    probability: float


def ask(reader: BuiltinReader, trials: Sequence[Trial]) -> list[Said]:
    """Return what the reader says to each trial; one batch."""
    return asyncio.run(_ask(reader, trials))


async def _ask(reader: BuiltinReader, trials: Sequence[Trial]) -> list[Said]:
    found = {place: result async for place, result in reader.generate_many([trial.request for trial in trials])}
    return [_said(found[place].details["reader"]) for place in range(len(trials))]


def _said(details: dict[str, Any]) -> Said:
    if "answer" not in details:
        return Said(details["declined"], "", "", None, 0.0)
    place = Span(details["document_id"], details["start"], details["end"])
    return Said(details["declined"], details["answer"], details["sentence"], place, details["probability"])


def shared(one: Span, other: Span) -> int:
    """Return how many characters two spans share."""
    return max(0, min(one.end, other.end) - max(one.start, other.start)) if one.document_id == other.document_id else 0


def own() -> list[Trial]:
    """Return the questions of tests/data, each with its paragraph."""
    found = []
    for number, row in enumerate(_rows(ROOT / "tests" / "data" / "reader_questions.jsonl"), 1):
        contexts = (_passage(number, row["source"], row["context"], 1),)
        for each in row["questions"]:
            answers = tuple(each["answers"])
            found.append(Trial(each["question"], contexts, bool(answers), answers))
    return found


def clapnq(folder: Path) -> list[Trial]:
    """Return the 40 questions of ClapNQ, answerable from their passage or not."""
    rows = {row["question"]: row for row in _rows(folder / "human_judged" / "clapnq_human_160.jsonl")}
    return [Trial(row["question"], _passages(row), row["answerability"] == "ANSWERABLE") for row in rows.values()]


def instructqa(folder: Path) -> list[Trial]:
    """Return the 24 questions of instruct-qa with the gold passage and the right answers."""
    rows = {row["question"]: row for row in _rows(folder / "human_judged" / "instructqa_nq_96.jsonl")}
    return [
        Trial(row["question"], _passages(row), True, (row["ground_truth"], *row["ground_truths"]))
        for row in rows.values()
    ]


def retrieved(folder: Path, embedder: Embedder, **settings: str) -> tuple[list[Trial], list[Trial]]:
    """Return the questions of chunking_eval with the nearest chunks of all corpora, and of the other corpora alone.

    `settings` say how the corpora are cut.
    """
    documents, asked = chunking_eval(folder)
    by_id = {doc.id: doc for doc in documents}
    spans = cut(documents, embedder, **settings)
    index = index_of(documents, spans, embedder)
    rankings = retrievers.get("dense")(index).retrieve_many([Query(each.text) for each in asked], len(spans))
    near, foreign = [], []
    for each, hits in zip(asked, rankings, strict=True):
        texts = tuple(by_id[gold.document_id].text[gold.start : gold.end] for gold in each.references)
        near.append(Trial(each.text, _contexts(by_id, hits[:TOP]), True, texts, each.references))
        own_corpus = each.references[0].document_id
        others = [hit for hit in hits if hit.span.document_id != own_corpus][:TOP]
        foreign.append(Trial(each.text, _contexts(by_id, others), False))
    return near, foreign


def _contexts(documents: dict[int, SourceDoc], hits: Sequence[Hit]) -> tuple[Context, ...]:
    found = []
    for rank, hit in enumerate(hits, 1):
        document = documents[hit.span.document_id]
        found.append(Context(hit.span, document.name, document.text[hit.span.start : hit.span.end], hit.score, rank))
    return tuple(found)


def _passages(row: dict[str, Any]) -> tuple[Context, ...]:
    return tuple(_passage(place, each["title"], each["text"], place) for place, each in enumerate(row["passages"], 1))


def _passage(number: int, title: str, text: str, rank: int) -> Context:
    return Context(Span(number, 0, len(text)), title, text, 1.0, rank)


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    for line in file.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)
