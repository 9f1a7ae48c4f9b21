"""What the card of the shipped reader says of its training, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Group = Mapping[str, Any]
_NAMES = {
    "f1": "token F1",
    "recall": "token recall",
    "right_sentence": "right sentence",
    "words": "words",
    "auroc": "AUROC",
    "balanced_accuracy": "balanced accuracy",
    "balanced_accuracy_at_best": "balanced accuracy at best",
    "answered": "answerable answered",
    "declined": "unanswerable declined",
    "foreign_declined": "foreign declined",
    "answerable": "answerable",
    "unanswerable": "unanswerable",
}


def trained_table(card: Group) -> str:
    """Return the figures of the card: a line for each group of them, and the coverage; empty where it has none."""
    figures = card.get("figures", {})
    groups = dict(_groups(figures))
    columns = [name for name in _NAMES if any(name in group for group in groups.values())]
    parts = []
    if groups:
        rows = [[name, *(_cell(group.get(column)) for column in columns)] for name, group in groups.items()]
        parts.append(as_table(["", *(_NAMES[column] for column in columns)], rows))
    parts += [_coverage(name, each, card) for name, each in _coverages(figures)]
    return "\n\n".join(parts)


def as_table(head: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _groups(figures: Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Group]]:
    """Yield each set of figures that holds one of the known names, by the path to it."""
    if any(isinstance(figures.get(name), int | float) for name in _NAMES):
        yield ", ".join(path).replace("_", " "), figures
    for name, each in figures.items():
        if isinstance(each, Mapping) and name != "coverage":
            yield from _groups(each, (*path, name))


def _coverages(figures: Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Group]]:
    for name, each in figures.items():
        if name == "coverage":
            yield ", ".join(path).replace("_", " "), each
        elif isinstance(each, Mapping):
            yield from _coverages(each, (*path, name))


def _coverage(name: str, shares: Group, card: Group) -> str:
    strictness = card["declining"].get("strictness_for", {})
    rows = [
        [f"{float(answered):.0%}", _cell(strictness.get(answered)), *(f"{value:.1%}" for value in _listed(declined))]
        for answered, declined in shares.items()
    ]
    longest = max(len(row) for row in rows)
    head = ["answerable answered", "strictness", "unanswerable declined", "foreign declined"][:longest]
    return (f"{name}:\n\n" if name else "") + as_table(head, rows)


def _listed(value: Any) -> list[float]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _cell(value: Any) -> str:
    return "" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)
