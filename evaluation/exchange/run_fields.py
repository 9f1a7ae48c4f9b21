"""What a run of our own says of an answer beyond the RAG task format: so much that it is scored the same elsewhere.

Kind, pair, slip and repeat; where contexts and evidence lie, by the names of their documents; what failed. A file of
another system may have fields of these names that mean something else: what has not our form is left alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from evaluation.types import Sample
from rag_pipeline.types import Context, Span

Fields = dict[str, Any]
KINDS = ("simple", "complex", "out_of_scope")
PLACES, GOLD, REPEATS = "context_spans", "reference_spans", "reference_copies"
_PASSAGE = "passage"
_FIELDS = frozenset(
    [
        "pair_id",
        "kind",
        "transformation",
        "error",
        "repeat",
        "error_message",
        "top_k",
        "answer_tokens",
        PLACES,
        GOLD,
        REPEATS,
    ]
)


def run_fields(sample: Sample) -> Fields:
    """Return these fields of an answer."""
    trace = sample.trace
    names = {context.span.document_id: context.document for context in trace.contexts}
    fields_given: Fields = {
        "pair_id": sample.pair_id,
        "kind": sample.kind,
        "transformation": sample.transformation,
        "error": sample.error,
        "repeat": sample.repeat,
        "error_message": trace.error,
        "top_k": sample.ranks_asked,
        "answer_tokens": trace.details.get("answer_tokens"),
        PLACES: [_place(context.span, names) for context in trace.contexts],
        GOLD: [_place(span, sample.document_names) for span in sample.evidence],
        REPEATS: [[_place(span, names | dict(sample.document_names)) for span in each] for each in sample.equivalents],
    }
    return {name: value for name, value in fields_given.items() if value not in (None, "")}


def with_run_fields(sample: Sample, task: Mapping[str, Any]) -> Sample:
    """Return a sample of a file with what these fields of its object say."""
    if _FIELDS.isdisjoint(task):
        return sample
    kind = task.get("kind")
    known = sample.answerable and kind in KINDS
    sample = replace(
        sample,
        kind=str(kind) if known else sample.kind,
        pair_id=_text(task, "pair_id") or sample.pair_id,
        transformation=_text(task, "transformation") if known else "",
        error=_text(task, "error") if known else "",
        repeat=_number(task, "repeat") or 0,
        ranks_asked=_number(task, "top_k"),
        trace=replace(sample.trace, error=_text(task, "error_message"), details=_details(task)),
    )
    return _with_places(sample, task)


def _with_places(sample: Sample, task: Mapping[str, Any]) -> Sample:
    """Return the sample with spans in place of ids, where the object says where contexts and evidence lie."""
    ids: dict[tuple[str, Any], int] = {}
    texts = [context.text for context in sample.trace.contexts]
    places, gold = _spans(task.get(PLACES), texts, ids), _spans(task.get(GOLD), sample.reference_contexts, ids)
    if places is None or gold is None:
        return sample
    copies = task.get(REPEATS)
    repeats = [_spans(each, None, ids) for each in copies] if isinstance(copies, list) else []
    contexts = tuple(
        Context(span, _name(span, ids), each.text, each.score, each.rank)
        for span, each in zip(places, sample.trace.contexts, strict=True)
    )
    return replace(
        sample,
        trace=replace(sample.trace, contexts=contexts),
        evidence=gold,
        evidence_texts=sample.reference_contexts,
        equivalents=tuple(each or () for each in repeats),
        context_ids=None,
        missing=sample.missing - {"evidence"},
    )


def _place(span: Span, names: Mapping[int, str]) -> Fields:
    """Return a span by the name of its document; a text that stands in none by its own id too."""
    own = {_PASSAGE: span.document_id} if span.document_id < 0 else {}
    return span.as_named_json(names.get(span.document_id, "")) | own


def _spans(value: Any, texts: Sequence[str] | None, ids: dict[tuple[str, Any], int]) -> tuple[Span, ...] | None:
    """Return spans with a number for each document, None for what has not the form of spans of these texts."""
    if not isinstance(value, list) or not all(_is_place(each) for each in value):
        return None
    if texts is not None and [each["end"] - each["start"] for each in value] != [len(text) for text in texts]:
        return None
    keys = [(each["document"], each.get(_PASSAGE)) for each in value]
    return tuple(
        Span(ids.setdefault(key, len(ids) + 1), each["start"], each["end"])
        for key, each in zip(keys, value, strict=True)
    )


def _is_place(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("document"), str)
        and all(isinstance(value.get(name), int) and value[name] >= 0 for name in ("start", "end"))
        and isinstance(value.get(_PASSAGE), int | None)
    )


def _name(span: Span, ids: Mapping[tuple[str, Any], int]) -> str:
    return next(name for (name, _), number in ids.items() if number == span.document_id)


def _details(task: Mapping[str, Any]) -> Fields:
    tokens = _number(task, "answer_tokens")
    return {} if tokens is None else {"answer_tokens": tokens}


def _text(task: Mapping[str, Any], name: str) -> str:
    value = task.get(name)
    return value if isinstance(value, str) else ""


def _number(task: Mapping[str, Any], name: str) -> int | None:
    value = task.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 1_000_000 else None
