"""Another system's answers beside the rows of a file, question by question."""

from __future__ import annotations

from dataclasses import replace

from evaluation.exchange.rag_tasks import Answered, Task
from evaluation.types import Sample
from rag_pipeline.errors import ConfigError

Key = tuple[str, str]


def with_other_answers(answered: Answered, others: Answered) -> Answered:
    """Return the rows with `other_answer` filled in where `others` has an answer to the same question.

    Rows belong together by their question_id, else by the words of the question; of several with the same one, the
    first goes with the first. Raises ConfigError where no row has a counterpart.
    """
    places: dict[Key, list[int]] = {}
    for place, (task, _) in enumerate(others):
        for key in _keys(task):
            places.setdefault(key, []).append(place)
    joined, taken = [], set[int]()
    for task, sample in answered:
        free = [place for key in _keys(task) for place in places.get(key, ()) if place not in taken][:1]
        taken.update(free)
        joined.append((task, replace(sample, other_answer=_answer(*others[free[0]]) if free else None)))
    if not taken:
        raise ConfigError(
            "No row has a counterpart with the same question_id or question in the other file. Nothing was scored.",
            "against",
        )
    return joined


def _answer(task: Task, sample: Sample) -> str | None:
    return None if task.get("answer") is None else sample.trace.answer


def _keys(task: Task) -> list[Key]:
    """Return what a row is found by, the surest first."""
    named = [("id", str(task["question_id"]))] if task.get("question_id") else []
    asked = str(task.get("question") or "").split()
    return [*named, ("question", " ".join(asked))] if asked else named
