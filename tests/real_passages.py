"""Real paragraphs, and questions that one of them answers, for the tests of rerankers and consolidation."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from rag_pipeline.types import Context, Span

_FILE = Path(__file__).resolve().parent / "data" / "reader_questions.jsonl"


@dataclass(frozen=True)
class Asked:
    """A question, the place of the paragraph that answers it, and its answers."""

    text: str
    paragraph: int
    answers: tuple[str, ...]


@cache
def paragraphs() -> tuple[str, ...]:
    """Return 33 paragraphs of encyclopedia articles, a novel and a handbook."""
    return tuple(row["context"] for row in _rows())


@cache
def asked() -> tuple[Asked, ...]:
    """Return the questions that have an answer."""
    return tuple(
        Asked(question["question"], place, tuple(question["answers"]))
        for place, row in enumerate(_rows())
        for question in row["questions"]
        if question["answers"]
    )


def contexts(texts: tuple[str, ...]) -> list[Context]:
    """Return texts as retrieved contexts, each its own document, in this order."""
    return [
        Context(Span(number, 0, len(text)), f"{number}.txt", text, 1 / number, number)
        for number, text in enumerate(texts, 1)
    ]


def _rows() -> list[dict]:
    return [json.loads(line) for line in _FILE.read_text(encoding="utf-8").splitlines()]
