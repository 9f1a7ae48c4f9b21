"""Answers of any other system in the RAG task format: JSONL to samples, scores back into the objects."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.exchange.fields import reference_list
from evaluation.exchange.problems import RowError, each_row
from evaluation.types import Sample, Score
from rag_pipeline.types import Context, Span, Trace, Usage

Task = dict[str, Any]
FIELDS = {
    "answer": ("answer",),
    "contexts": ("contexts",),
    "reference": ("reference_answers",),
    "reference_contexts": ("reference_contexts",),
    "gold_ids": ("contexts_id", "reference_context_ids"),
    "label": ("is_answerable_label",),
}
"""What metrics need, and the fields of the format that hold it."""
SECONDS, TOKENS, COST = ("latency_s", "ttft_s"), ("prompt_tokens", "completion_tokens"), "cost_usd"
"""What an object may say of what its answer took; named as in eval.csv."""


def read_answered(text: str) -> list[tuple[Task, Sample]]:
    """Return each line's object and the sample that it is, in order. Raises ConfigError naming the lines that fail."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    return each_row(
        [(f"Line {number}", (number, line)) for number, line in lines],
        lambda row: _answered(*row),
        nothing="Nothing was scored.",
    )


def with_scores(task: Task, scores: Mapping[str, Score]) -> Task:
    """Return the object with `scores` and, for those that are null, `notes` that say why."""
    notes = {name: score.reason for name, score in scores.items() if score.value is None}
    return task | {"scores": {name: score.value for name, score in scores.items()}, "notes": notes}


def _answered(number: int, line: str) -> tuple[Task, Sample]:
    try:
        task = json.loads(line)
    except ValueError as error:
        raise RowError(f"it is not JSON ({error}).") from error
    if not isinstance(task, dict):
        raise RowError("it is not a JSON object.")
    return task, _sample(task, number)


def _sample(task: Task, number: int) -> Sample:
    name = str(task.get("question_id") or f"line {number}")
    references = reference_list(task.get("reference_answers") or [], "reference_answers")
    ids = _texts(task, "contexts_id")
    return Sample(
        question_id=name,
        pair_id=name,
        kind="out_of_scope" if _label(task) is False else "simple",
        trace=_trace(task, ids),
        reference_answers=references,
        metadata={"metadata_field": task["metadata_field"]} if task.get("metadata_field") else {},
        context_ids=ids if task.get("contexts_id") is not None else None,
        reference_context_ids=_texts(task, "reference_context_ids"),
        reference_contexts=_texts(task, "reference_contexts"),
        missing=_missing(task),
    )


def _trace(task: Task, ids: Sequence[str]) -> Trace:
    latency, first = (_amount(task, name) for name in SECONDS)
    prompt, completion = (_amount(task, name, whole=True) for name in TOKENS)
    return Trace(
        _text(task, "question"),
        _text(task, "answer"),
        _contexts(_texts(task, "contexts"), ids),
        latency_s=latency,
        ttft_s=first,
        usage=Usage(_count(prompt), _count(completion), _amount(task, COST)),
    )


def _missing(task: Task) -> frozenset[str]:
    """Return the inputs that the object does not have; what cannot be had from a file at all is one of them."""
    absent = {need for need, fields in FIELDS.items() if any(task.get(field) is None for field in fields)}
    if all(task.get(field) is None for field in (*SECONDS, *TOKENS, COST)):
        absent.add("usage")
    return frozenset(absent | {"evidence"})


def _contexts(texts: Sequence[str], ids: Sequence[str]) -> tuple[Context, ...]:
    """Return the texts as contexts; each counts as a document of its own."""
    return tuple(
        Context(Span(-rank, 0, len(text)), ids[rank - 1] if rank <= len(ids) else "", text, 0.0, rank)
        for rank, text in enumerate(texts, 1)
    )


def _label(task: Task) -> bool | None:
    label = task.get("is_answerable_label")
    if label is not None and not isinstance(label, bool):
        raise RowError("is_answerable_label is neither true nor false.")
    return label


def _text(task: Task, name: str) -> str:
    value = task.get(name)
    if value is not None and not isinstance(value, str):
        raise RowError(f"{name} is not a text.")
    return value or ""


def _amount(task: Task, name: str, *, whole: bool = False) -> float | None:
    """Return a measurement, None where there is none. Raises RowError for what is no number of at least 0."""
    value = task.get(name)
    if value is None:
        return None
    number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value >= 0
    if not number or (whole and value != int(value)):
        raise RowError(f"{name} is not a {'whole ' if whole else ''}number of at least 0.")
    return float(value)


def _count(value: float | None) -> int | None:
    return None if value is None else int(value)


def _texts(task: Task, name: str) -> tuple[str, ...]:
    value = task.get(name)
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise RowError(f"{name} is not a list of texts.")
    return tuple(value)
