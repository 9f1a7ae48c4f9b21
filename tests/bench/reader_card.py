"""What the card of the shipped reader says of its training, as Markdown."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from typing import Any

from tests.bench.reader_training.trials import FOUND, GOLD

Figures = Mapping[str, Any]
_TARGETS = {
    "f1": ("0.72", "0.62"),
    "right_sentence": ("0.88", ""),
    "auroc": ("0.78", ""),
    "balanced_accuracy": ("0.70", ""),
    "balanced_accuracy_at_best": ("0.70", ""),
    "declined": ("", "0.50"),
    "foreign_declined": ("", "0.98"),
}
"""With the own paragraph, and with four found ones."""


def trained_tables(card: Figures) -> str:
    """Return the figures of the card: answers and declining in all, by article, and by strictness; or that it has none.

    They are those of `cross_validation.figures`.
    """
    figures = card.get("figures")
    if not figures:
        return "The card has no figures."
    strictness = card["declining"]["strictness_for"]
    return "\n\n".join(
        (
            as_table(["", "own paragraph", "target", "4 found", "target"], list(_overall(figures))),
            as_table(["article", *_ARTICLE.values()], [_article(*each) for each in figures["articles"].items()]),
            "Declining by strictness (the shipped default answers 80%):",
            as_table(_COVERAGE, list(_coverage(figures["declining"], strictness))),
        )
    )


def as_table(head: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _overall(figures: Figures) -> Iterator[list[str]]:
    answers, declining = figures["answers"], figures["declining"]
    yield ["answerable questions", str(answers[GOLD]["questions"]), "", str(answers[FOUND]["questions"]), ""]
    for name, label, part in (
        ("f1", "token F1 of the answer", answers),
        ("recall", "token recall of the answer", answers),
        ("right_sentence", "right sentence", answers),
        ("words", "words of an answer", answers),
        ("auroc", "AUROC of answerable against unanswerable, all questions together", declining),
        ("balanced_accuracy", "balanced accuracy of the two at the default strictness", declining),
        (
            "balanced_accuracy_at_best",
            "balanced accuracy at the strictness that is best on the other articles",
            declining,
        ),
        ("answered", "answerable answered", declining),
        ("declined", "unanswerable declined", declining),
        ("foreign_declined", "questions on other articles declined", declining),
    ):
        own, found = _TARGETS.get(name, ("", ""))
        yield [label, f"{part[GOLD][name]:.3f}", own, f"{part[FOUND][name]:.3f}", found]
        inside = [each["auroc"] for each in figures["articles"].values() if each["auroc"] is not None]
        if name == "auroc" and inside:
            yield ["AUROC within an article, mean", f"{statistics.mean(inside):.3f}", own, "", ""]


_ARTICLE = {
    "questions": "answerable",
    "f1": "F1, own paragraph",
    "right": "right sentence",
    "found f1": "F1, 4 found",
    "found right": "right sentence, 4 found",
    "auroc": "AUROC, own paragraph",
}


def _article(title: str, figures: Figures) -> list[str]:
    gold, found, auroc = figures[GOLD], figures[FOUND], figures["auroc"]
    values = (gold["f1"], gold["right_sentence"], found["f1"], found["right_sentence"], auroc)
    cells = ("" if value is None else f"{value:.3f}" for value in values)
    return [title.replace("_", " "), str(gold["questions"]), *cells]


_COVERAGE = [
    "answerable answered",
    "strictness",
    "unanswerable declined, own paragraph",
    "unanswerable declined, 4 found",
    "other articles' declined",
]


def _coverage(declining: Figures, strictness: Figures) -> Iterator[list[str]]:
    for share, (bad, foreign) in declining[FOUND]["coverage"].items():
        shares = (declining[GOLD]["coverage"][share][0], bad, foreign)
        yield [f"{float(share):.0%}", f"{strictness[share]:.2f}", *(f"{value:.3f}" for value in shares)]
