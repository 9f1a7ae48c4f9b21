"""Values that travel through the pipeline: documents, spans, hits, contexts, traces."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

UNPLACED = "retrieved text"
"""What a passage is called whose source says nothing."""


@dataclass(frozen=True, slots=True)
class SourceDoc:
    """A document as plain text.

    `page_starts[i]` is the character offset at which page i + 1 begins; empty for formats without pages.
    One with a negative id is a *passage*: a text that somebody else retrieved and that stands in no document here.
    """

    id: int
    name: str
    text: str
    page_starts: tuple[int, ...] = ()

    @classmethod
    def of_passage(cls, text: str, name: str = "") -> SourceDoc:
        """Return a text without a place as a document of its own; the same text always has the same id."""
        digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).digest()
        return cls(-1 - int.from_bytes(digest), name or UNPLACED, text)

    def as_json(self) -> dict[str, Any]:
        """Return a passage as it is stored with the answer that got it."""
        return {"id": self.id, "name": self.name, "text": self.text}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> SourceDoc:
        """Return a stored passage."""
        return cls(stored["id"], stored["name"], stored["text"])

    def page_at(self, offset: int) -> int | None:
        """Return the 1-based page that holds character `offset`, or None without pages."""
        if not self.page_starts:
            return None
        return max(1, bisect_right(self.page_starts, offset))


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Characters `start` (inclusive) to `end` (exclusive) of a document's extracted text."""

    document_id: int
    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start

    def holds(self, other: Span) -> bool:
        """True where the other one lies within it."""
        return self.document_id == other.document_id and self.start <= other.start and other.end <= self.end

    def meets(self, other: Span) -> bool:
        """True where both have a character in common."""
        return self.document_id == other.document_id and self.start < other.end and other.start < self.end

    def text_in(self, texts: Mapping[int, str]) -> str:
        """Return the characters themselves; none where `texts` (by id) lack the document."""
        return texts.get(self.document_id, "")[self.start : self.end]

    def as_json(self) -> dict[str, Any]:
        """Return it as it is stored."""
        return {"document_id": self.document_id, "start": self.start, "end": self.end}

    def as_named_json(self, document: str) -> dict[str, Any]:
        """Return it by the name of its document, as files have it: ids mean nothing elsewhere."""
        return {"document": document, "start": self.start, "end": self.end}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Span:
        """Return the span of anything that is stored with one: a hit, a context, an answer's sentence."""
        return cls(stored["document_id"], stored["start"], stored["end"])


@dataclass(frozen=True, slots=True)
class Chunk:
    """What is searched: a span, the path of headings above it ("Guide > Install"), and the larger span it came from.

    The heading is embedded with the text; `span` is the text's alone. `parent`, where there is one, is what the model
    gets when the chunk is found.
    """

    span: Span
    heading: str = ""
    parent: Span | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A retrieved chunk; `score` is higher for better, `rank` counts from 1."""

    span: Span
    score: float
    rank: int

    def as_json(self) -> dict[str, Any]:
        """Return it as it is stored."""
        return self.span.as_json() | {"score": self.score, "rank": self.rank}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Hit:
        """Return a stored hit; a stored context holds one too."""
        return cls(Span.from_json(stored), stored["score"], stored["rank"])


@dataclass(frozen=True, slots=True)
class Query:
    """What a retriever is asked.

    `evidence`: the gold spans, known in an evaluation only (for the oracle). `given`: hits that are taken as they are,
    without retrieving (contexts of another run, or of a file). `passages`: the texts without a place among them.
    `repeat`: which of several answers to the same question is wanted.
    """

    text: str
    evidence: tuple[Span, ...] = ()
    given: tuple[Hit, ...] | None = None
    repeat: int = 0
    passages: tuple[SourceDoc, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """What one step of retrieval left, best first, so that what it dropped or moved can be seen.

    `name` is retrieve, rerank, parents, consolidate or budget.
    """

    name: str
    hits: tuple[Hit, ...]

    def as_json(self) -> dict[str, Any]:
        """Return it as it is stored."""
        return {"name": self.name, "hits": [hit.as_json() for hit in self.hits]}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Step:
        """Return a stored step."""
        return cls(stored["name"], tuple(Hit.from_json(hit) for hit in stored["hits"]))


@dataclass(frozen=True, slots=True)
class Context:
    """A chunk as it was given to the model."""

    span: Span
    document: str
    text: str
    score: float
    rank: int
    page: int | None = None

    @property
    def id(self) -> str:
        """`document:start-end`, the id used in `contexts_id`."""
        return f"{self.document}:{self.span.start}-{self.span.end}"

    def as_json(self) -> dict[str, Any]:
        """Return it as it is stored: without its text, which is the document's at that span."""
        named = {"document": self.document, "score": self.score, "rank": self.rank, "page": self.page}
        return self.span.as_json() | named

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], texts: Mapping[int, str]) -> Context:
        """Return a stored context; its text is cut from `texts`, by id. One of an early version knows no page."""
        hit = Hit.from_json(stored)
        text = hit.span.text_in(texts)
        return cls(hit.span, stored["document"], text, hit.score, hit.rank, stored.get("page"))


Number = TypeVar("Number", int, float)


def _sum(one: Number | None, other: Number | None) -> Number | None:
    return None if one is None or other is None else one + other


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and money of one model call; None where the provider or the price list does not say."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: float | None = None

    def __add__(self, other: Usage) -> Usage:
        """Return the sum; what one of both does not know, the sum does not know either."""
        return Usage(
            _sum(self.prompt_tokens, other.prompt_tokens),
            _sum(self.completion_tokens, other.completion_tokens),
            _sum(self.cost_usd, other.cost_usd),
        )


FREE = Usage(0, 0, 0.0)
"""No model was called."""


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """All a generator may look at to answer one question."""

    question: str
    contexts: tuple[Context, ...]
    prompt: str
    """The prompt as sent: template with context, question and refusal filled in."""
    template: str
    refusal: str
    use_context: bool = True


@dataclass(frozen=True, slots=True)
class Generation:
    """A finished answer. `ttft_s`: seconds to the first token, None where the model did not stream.

    `notes` are remarks for the user (for example a setting that the model rejected).
    `details` hold what a generator knows of its answer (the reader's sentence, its score ...), JSON-ready.
    """

    text: str
    usage: Usage = Usage()
    latency_s: float = 0.0
    ttft_s: float | None = None
    notes: tuple[str, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Trace:
    """One question through the whole pipeline.

    `latency_s` is retrieval plus generation in seconds. A failed question has `error` set and an empty answer.
    `permanent` marks an error that will come again for every question (a rejected key).
    `queries` is what was sent to the retriever; `steps` the candidates after each step of retrieval; `passages` the
    texts among these and the contexts that stand in no document of the corpus. `usage` is that of the whole,
    `retrieval_usage` the part of it that its steps before the answer asked of a model.
    """

    question: str
    answer: str
    contexts: tuple[Context, ...] = ()
    prompt: str = ""
    latency_s: float | None = None
    ttft_s: float | None = None
    retrieval_s: float | None = None
    usage: Usage = Usage()
    retrieval_usage: Usage = Usage()
    error: str = ""
    permanent: bool = False
    notes: tuple[str, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)
    queries: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    passages: tuple[SourceDoc, ...] = ()

    @property
    def searched_for(self) -> tuple[str, ...]:
        """What was searched for where that is not the question itself, else nothing."""
        return other_than(self.question, self.queries)


def other_than(question: str, queries: tuple[str, ...]) -> tuple[str, ...]:
    """Return what a question was turned into, nothing where it was searched for as it is."""
    return () if queries == (question,) else queries


@dataclass(frozen=True, slots=True)
class Progress:
    """`done` of `total` units of a step; `total` 0 = unknown."""

    step: str
    done: int
    total: int
    message: str = ""
