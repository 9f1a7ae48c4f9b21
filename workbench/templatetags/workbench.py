"""Number and text formats of the pages, and small parts that many templates draw."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django import template
from django.forms import BoundField, CheckboxInput
from django.templatetags.static import static
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()

UNKNOWN = "unknown"
MINUS = "−"


@register.filter
def score(value: float | None) -> str:
    """Two decimals; a missing score is a dash."""
    return "—" if value is None else f"{value:.2f}"


@register.filter
def thousands(value: float | None) -> str:
    """12400 as 12,400."""
    return UNKNOWN if value is None else f"{value:,.0f}"


@register.filter
def plain(value: Any) -> str:
    """Return a number without separators, for ids and attributes."""
    return str(value)


@register.filter
def seconds(value: float | None) -> str:
    """1.2 s; below a tenth in milliseconds."""
    if value is None:
        return UNKNOWN
    if 0 < value < 0.0995:
        return f"{value * 1000:.0f} ms"
    return f"{value:.1f} s" if value < 99.95 else duration(value)


@register.filter
def duration(value: float | None) -> str:
    """A rough time for waiting: 8 s, 3 min, 2 h 5 min."""
    if value is None:
        return UNKNOWN
    whole = max(1, round(value))
    if whole < 90:
        return f"{whole} s"
    minutes = round(whole / 60)
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"


@register.filter
def money(value: float | None) -> str:
    """$0.0042: two decimals from a dollar on, four below."""
    if value is None:
        return UNKNOWN
    return f"${value:,.2f}" if value >= 1 or value == 0 else f"${value:.4f}"


@register.filter
def percent(value: float | None) -> str:
    """0.125 as 13 %."""
    return UNKNOWN if value is None else f"{value * 100:.0f} %"


@register.filter
def share(value: float | None) -> str:
    """0.125 as 12.5, for widths and positions in a style, held to 0..100."""
    return f"{min(1.0, max(0.0, value or 0.0)) * 100:.1f}"


@register.filter
def delta(value: float | None) -> str:
    """A difference with its sign: +0.12, −0.05, ±0.00."""
    if value is None:
        return "—"
    if abs(value) < 0.005:
        return "±0.00"
    return f"{'+' if value > 0 else MINUS}{abs(value):.2f}"


@register.filter
def or_unknown(value: Any) -> Any:
    """Return the value, or “unknown” where there is none."""
    return UNKNOWN if value in (None, "") else value


@register.filter
def words(value: str) -> str:
    """knowledge_bounding as Knowledge bounding."""
    return value.replace("_", " ").capitalize()


@register.filter
def ago(value: dt.datetime | None) -> str | SafeString:
    """Relative time, the exact one on hover."""
    if value is None:
        return UNKNOWN
    exact = value.astimezone(dt.UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    return format_html('<time datetime="{}" title="{}">{}</time>', value.isoformat(), exact, _relative(value))


def _relative(value: dt.datetime) -> str:
    passed = (timezone.now() - value).total_seconds()
    for unit, size in (("day", 86400), ("hour", 3600), ("minute", 60)):
        count = int(passed // size)
        if count >= 30 and unit == "day":
            return value.strftime("%-d %b %Y")
        if count >= 1:
            return f"{count} {unit}{'' if count == 1 else 's'} ago"
    return "just now"


@register.filter
def is_checkbox(field: BoundField) -> bool:
    """Return True for a field whose label stands beside its box."""
    return isinstance(field.field.widget, CheckboxInput)


@register.filter
def task_percent(task: Any) -> str:
    """Return how far a task is, for the width of its bar; a finished one is full."""
    if task.state == task.State.DONE:
        return "100"
    return share(task.done / task.total if task.total else 0.0)


@register.simple_tag
def icon(name: str) -> SafeString:
    """An icon of the sprite, out of sight of screen readers: put words beside it."""
    html = '<svg class="icon" aria-hidden="true"><use href="{}#{}"></use></svg>'
    return format_html(html, static("img/icons.svg"), name)


@register.simple_tag
def null(reason: str = "") -> SafeString:
    """A dash for a value that could not be computed; its reason on hover and focus."""
    why = reason or "not computed"
    return format_html(
        '<span class="null" role="note" tabindex="0" data-tip="{}" aria-label="No value: {}">—</span>', why, why
    )


@register.inclusion_tag("_interval.html")
def interval(summary: Any, tick: float | None = None) -> dict[str, Any]:
    """A mean and its 95 % interval on a 0–1 track; `tick` marks another run's value."""
    return {"summary": summary, "tick": tick}


@register.inclusion_tag("_score_cell.html")
def score_cell(value: float | None, reason: str = "", top: float = 1.0) -> dict[str, Any]:
    """A score in a table: the number, and a bar of its share of `top` behind it."""
    return {"value": value, "reason": reason, "part": None if value is None else value / top}
