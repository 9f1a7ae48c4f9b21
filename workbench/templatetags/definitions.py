"""Definitions in place: a button with a question mark that opens what a word means."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any

from django import template

from evaluation.scoring.glossary import Definition, term, term_of_field

register = template.Library()
_numbers = count(1)


@register.inclusion_tag("_define.html", takes_context=True)
def define(context: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Explain a term of the glossary or a metric; nothing for what is neither."""
    return _shown(term(key)) | {"plain_report": context.get("plain_report")}


@register.inclusion_tag("_define.html")
def define_field(name: str) -> dict[str, Any]:
    """Explain the term that the label of a field needs; nothing for most."""
    return _shown(term_of_field(name))


def _shown(found: Definition | None) -> dict[str, Any]:
    """A part of a page may come later than the page: no id is given twice."""
    return {"term": found, "number": next(_numbers)}
