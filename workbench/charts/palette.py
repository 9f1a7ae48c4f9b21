"""The same colour for the same prompt on every page."""

from __future__ import annotations

from evaluation.models import Run
from rag_pipeline.settings.prompt_templates import SHIPPED

SERIES = 8
"""Colours in the palette (--series-1 to --series-8)."""


def prompt_series() -> dict[str, int]:
    """Return the place of each prompt in the palette: the shipped ones, then the others in order of first use."""
    used = Run.objects.order_by("id").values_list("pipeline__prompt_name", flat=True)
    names = dict.fromkeys([*SHIPPED, *(name or "No context" for name in used)])
    return {name: place for place, name in enumerate(names)}
