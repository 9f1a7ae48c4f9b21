"""The same colour for the same prompt, and the same shape for the same model, wherever they are drawn."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Min

from evaluation.models import Run
from evaluation.queries.rows import RunRow
from rag_pipeline.settings.prompt_templates import SHIPPED
from workbench.templatetags.workbench import reader_name

SERIES = 8
"""Colours in the palette (--series-1 to --series-8)."""
SHAPES = ("circle", "square", "diamond", "triangle-up", "cross", "x", "star", "hexagon")


def prompt_series() -> dict[str, int]:
    """Return the place of each prompt in the palette: the shipped ones, then the others in order of first use."""
    first = Run.objects.values("pipeline__prompt_name").annotate(first=Min("id")).order_by("first")
    used = first.values_list("pipeline__prompt_name", flat=True)
    names = dict.fromkeys([*SHIPPED, *(name or "No context" for name in used)])
    return {name: place for place, name in enumerate(names)}


def colour(place: int) -> str:
    """Return the colour at a place of the palette."""
    return f"var(--series-{place % SERIES + 1})"


def model_shapes(rows: Iterable[RunRow]) -> dict[str, str]:
    """Return a shape for each model, by its name on screen, in the order of first use."""
    models = dict.fromkeys(reader_name(row.settings) for row in sorted(rows, key=lambda row: row.run.pk))
    return {name: SHAPES[place % len(SHAPES)] for place, name in enumerate(models)}
