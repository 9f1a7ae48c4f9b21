"""Reports: a page as one file that opens anywhere, without a network: styles, charts and numbers are in it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import HttpResponse
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.timezone import now

from workbench.downloads import saved_as

_STYLES = ("css/tokens.css", "css/base.css", "css/components.css", "css/runs.css")
_SCRIPTS = ("vendor/plotly/plotly-cartesian.min.js", "js/charts.js")


def report_of(template: str, context: Mapping[str, Any], filename: str) -> HttpResponse:
    """Return the answer with which a browser saves a report."""
    return saved_as(filename, report_html(template, context).encode("utf-8", errors="replace"), "text/html")


def report_html(template: str, context: Mapping[str, Any]) -> str:
    """Return a report. Where it has a `figure`, the program that draws charts is in it: 1.5 MB."""
    drawn = any(getattr(each, "figure", None) for each in context.values())
    own = {
        "plain_report": True,  # parts of pages leave out what leads to other pages
        "made": now(),
        "styles": _inlined(_STYLES, "style"),
        "scripts": _inlined(_SCRIPTS, "script") if drawn else "",
    }
    return render_to_string(template, {**context, **own})


@cache
def _inlined(names: tuple[str, ...], tag: str) -> SafeString:
    """Return files of ours, in which no text of a user is, as elements of a page."""
    folder = Path(settings.BASE_DIR) / "static"
    elements = (f"<{tag}>{(folder / name).read_text(encoding='utf-8')}</{tag}>" for name in names)
    return mark_safe("\n".join(elements))
