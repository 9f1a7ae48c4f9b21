"""The RAG task format: an object for each question, as other systems write them, to a sample, and with its scores."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeVar

from evaluation.exchange.fields import ordered, reference_list, whole_letters
from evaluation.exchange.problems import NOTHING_SCORED, RowError, each_row
from evaluation.exchange.run_fields import run_fields, with_run_fields
from evaluation.types import Sample, Score
from rag_pipeline.types import Context, Span, Trace, Usage

Task = dict[str, Any]
Answered = list[tuple[Task, Sample]]
"""The objects of a file, each with the sample that it is, in order."""
Row = TypeVar("Row")

TEXTS = ("question", "question_id", "answer")
LISTS = ("contexts", "contexts_id", "reference_answers", "reference_contexts", "reference_context_ids")
LABEL = "is_answerable_label"
METADATA = "metadata_field"
SECONDS, TOKENS, COST = ("latency_s", "ttft_s"), ("prompt_tokens", "completion_tokens"), "cost_usd"
"""What an object may say of what its answer took; named as in eval.csv."""
TAKEN = (*SECONDS, *TOKENS, COST)
KNOWN = (*TEXTS, METADATA, *LISTS, LABEL, *TAKEN)
"""Fields of the format."""
FIELDS = {
    "question": ("question",),
    "answer": ("answer",),
    "contexts": ("contexts",),
    "reference": ("reference_answers",),
    "reference_contexts": ("reference_contexts",),
    "gold_ids": ("contexts_id", "reference_context_ids"),
    "label": (LABEL,),
}
"""What metrics need, and the fields of the format that hold it."""

_MOST = 1e15
"""More of anything is a mistake, and may be more than a float can hold."""


def read_each(rows: Sequence[tuple[str, Row]], read: Callable[[Row], Task]) -> Answered:
    """Make an object and its sample of each row, given with its place in the file. Raises ConfigError."""

    def make(row: tuple[int, Row]) -> tuple[Task, Sample]:
        task = read(row[1])
        return task, sample_of(task, row[0])

    numbered = [(place, (number, row)) for number, (place, row) in enumerate(rows, 1)]
    return each_row(numbered, make, NOTHING_SCORED)


def with_scores(task: Task, scores: Mapping[str, Score]) -> Task:
    """Return the object with `scores` and, for those that are null, `notes` that say why."""
    notes = {name: score.reason for name, score in scores.items() if score.value is None}
    return task | {"scores": {name: score.value for name, score in scores.items()}, "notes": notes}


def json_line(task: Task) -> str:
    """Return an object as a line of JSONL, in the letters it has; what UTF-8 cannot hold is escaped."""
    line = json.dumps(task, ensure_ascii=False)
    half_a_pair = whole_letters(line) != line  # as a model may write
    return f"{json.dumps(task) if half_a_pair else line}\n"


def as_object(value: Any) -> Task:
    """Return a value that is a JSON object. Raises RowError for any other."""
    if not isinstance(value, dict):
        raise RowError("it is not a JSON object.")
    return value


def sample_of(task: Task, number: int) -> Sample:
    """Return the sample that an object is; its `number` names one without `question_id`. Raises RowError."""
    name = whole_letters(str(task.get("question_id") or f"row {number}"))
    references = reference_list(task.get("reference_answers") or [], "reference_answers")
    ids = _texts(task, "contexts_id")
    sample = Sample(
        question_id=name,
        pair_id=name,
        kind="out_of_scope" if _label(task) is False else "simple",
        trace=_trace(task, ids),
        reference_answers=tuple(whole_letters(each) for each in references),
        metadata=_metadata(task.get(METADATA)),
        context_ids=ids if task.get("contexts_id") is not None else None,
        reference_context_ids=_texts(task, "reference_context_ids"),
        reference_contexts=_texts(task, "reference_contexts"),
        missing=_missing(task),
    )
    return with_run_fields(sample, task)


def task_of(sample: Sample, scores: Mapping[str, float | None], *, use_context: bool = True) -> Task:
    """Return an answer of a run of our own as an object of the format, with its scores by name."""
    trace = sample.trace
    contexts = {
        "contexts": [context.text for context in trace.contexts],
        "contexts_id": [context.id for context in trace.contexts],
    }
    taken = dict(zip(TAKEN, (trace.latency_s, trace.ttft_s, *asdict(trace.usage).values()), strict=True))
    return {
        "question": trace.question,
        "question_id": sample.question_id,
        METADATA: ordered(sample.metadata),
        "answer": trace.answer,
        **(contexts if use_context else {}),
        "reference_answers": list(sample.reference_answers),
        "reference_contexts": list(sample.evidence_texts),
        "reference_context_ids": [_id(span, sample.document_names) for span in sample.evidence],
        LABEL: sample.answerable,
        **{name: value for name, value in taken.items() if value is not None},
        **run_fields(sample),
        "scores": dict(scores),
    }


def _id(span: Span, names: Mapping[int, str]) -> str:
    return f"{names.get(span.document_id, '')}:{span.start}-{span.end}"


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


def _metadata(value: Any) -> dict[str, Any]:
    """Return what an object can be grouped by: the keys of an object, else the field itself."""
    if isinstance(value, dict):
        return value
    return {} if value in (None, "", []) else {METADATA: value}


def _missing(task: Task) -> frozenset[str]:
    """Return the inputs that the object does not have; what cannot be had from a file at all is one of them."""
    absent = {need for need, fields in FIELDS.items() if any(task.get(field) is None for field in fields)}
    if all(task.get(field) is None for field in TAKEN):
        absent.add("usage")
    return frozenset(absent | {"evidence"})


def _contexts(texts: Sequence[str], ids: Sequence[str]) -> tuple[Context, ...]:
    """Return the texts as contexts; each counts as a document of its own."""
    return tuple(
        Context(Span(-rank, 0, len(text)), ids[rank - 1] if rank <= len(ids) else "", text, 0.0, rank)
        for rank, text in enumerate(texts, 1)
    )


def _label(task: Task) -> bool | None:
    label = task.get(LABEL)
    if label is not None and not isinstance(label, bool):
        raise RowError(f"{LABEL} is neither true nor false.")
    return label


def _text(task: Task, name: str) -> str:
    value = task.get(name)
    if value is not None and not isinstance(value, str):
        raise RowError(f"{name} is not a text.")
    return whole_letters(value or "")


def _amount(task: Task, name: str, *, whole: bool = False) -> float | None:
    """Return a measurement, None where there is none. Raises RowError for what is no number of at least 0."""
    value = task.get(name)
    if value is None:
        return None
    number = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _MOST
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
    return tuple(whole_letters(each) for each in value)
