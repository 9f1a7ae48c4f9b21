"""Number and text formats of the pages, and small parts that many templates draw."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Mapping
from typing import Any

from django import template
from django.db.models import Max, Sum
from django.forms import BoundField, CheckboxInput
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from evaluation.metrics.base import metrics
from evaluation.models import Answer
from evaluation.queries.settings import setting_label
from evaluation.queries.word_changes import word_changes
from evaluation.scoring.scales import money_text, scale_of, seconds_text
from rag_pipeline.extractive_qa.strictness import let_through
from rag_pipeline.extractive_qa.trained_model import card
from rag_pipeline.models import BackgroundTask
from rag_pipeline.setting_fields import Stage
from rag_pipeline.settings.core import NONE, CoreSettings
from rag_pipeline.settings.parts import PARTS

register = template.Library()

UNKNOWN = "unknown"
MINUS = "−"


@register.filter
def score(value: float | str | None) -> str:
    """Two decimals; a missing score (None, or nothing where a template found none) is a dash."""
    return f"{value:.2f}" if isinstance(value, int | float) else "—"


@register.filter
def decimals(value: float | None) -> str:
    """Return a number that may be negative, with two decimals and a true minus sign: −0.32."""
    return score(0.0 if value is not None and abs(value) < 0.005 else value).replace("-", MINUS)


@register.filter
def as_metric(value: Any, name: str) -> str:
    """Return a value of the metric called `name` as that metric reads: 0.83, 1.2 s, $0.0042; a dash for none."""
    # A template gives an empty text for what a run without scores does not have.
    return "—" if value in (None, "") else scale_of(name).text(value)


@register.filter
def change_of(value: float | None, name: str) -> str:
    """Return a difference in the metric called `name`, with its sign."""
    return "—" if value is None else scale_of(name).change(value)


@register.filter
def end_of(value: float | None, name: str = "") -> str:
    """Return an end of the interval of a difference in the metric called `name`; one near 0 with its side of it."""
    return "—" if value is None else scale_of(name).end(value)


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
    return seconds_text(value) if value < 99.95 else duration(value)


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
    return UNKNOWN if value is None else money_text(value)


@register.filter
def percent(value: float | None) -> str:
    """0.125 as 13 %."""
    return UNKNOWN if value is None else f"{value * 100:.0f} %"


@register.filter
def unbroken(text: str) -> str:
    """Words in which no line breaks between a number and its unit."""
    return re.sub(r"(?<=\d) (?=(?:%|s|ms|min|h)(?:\W|$))", "\N{NO-BREAK SPACE}", text)


@register.filter
def part_of(value: float, whole: float) -> float:
    """A part of a whole, 0..1; 0 of nothing."""
    return value / whole if whole else 0.0


@register.filter
def share(value: float | None) -> str:
    """0.125 as 12.5, for widths and positions in a style, held to 0..100."""
    return f"{min(1.0, max(0.0, value or 0.0)) * 100:.1f}"


@register.filter
def delta(value: float | None) -> str:
    """A difference with its sign: +0.12, −0.05, ±0.00."""
    return change_of(value, "")


@register.filter
def words(value: str) -> str:
    """knowledge_bounding as Knowledge bounding."""
    return value.replace("_", " ").capitalize()


@register.filter
def metric_name(key: str) -> str:
    """The name of a metric on screen; its key in words where there is no such metric any more."""
    unit = metrics.find(key)
    return unit.label if unit else words(key)


@register.filter
def setting_name(name: str) -> str:
    """The name of a setting on screen."""
    return setting_label(name)


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
def task_facts(task: BackgroundTask) -> list[str]:
    """What the model calls of a run took so far: the slowest one, and money where prices are known."""
    if task.kind != "evaluate":
        return []
    taken = Answer.objects.filter(run__task=task).aggregate(slowest=Max("latency_s"), cost=Sum("cost_usd"))
    facts = [f"slowest answer {seconds(taken['slowest'])}"] if taken["slowest"] is not None else []
    return facts + ([money(taken["cost"])] if taken["cost"] else [])


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


@register.simple_tag
def passage_address(document_id: int, start: int, end: int) -> str:
    """Return where a document is shown with the characters from `start` to `end` marked."""
    return f"{reverse('document', args=[document_id])}?start={start}&end={end}#marked"


@register.simple_tag
def passage_link(document_id: int, start: int, end: int, name: str) -> str:
    """Return the name of a document as a link to a passage in it; without one for a text that is in no document."""
    if document_id < 0:
        return format_html('<span class="break" title="A text that stands in none of the documents">{}</span>', name)
    return format_html('<a class="break" href="{}">{}</a>', passage_address(document_id, start, end), name)


@register.simple_tag
def answer_address(run_id: int, question_id: int, repeat: int = 0) -> str:
    """Return the page of the answer that a run gave to a question at a repeat, counted from 0."""
    address = reverse("run-question", args=[run_id, question_id])
    return f"{address}?repeat={repeat}" if repeat else address


@register.inclusion_tag("_interval.html")
def interval(summary: Any, tick: float | None = None, top: float = 1.0) -> dict[str, Any]:
    """A mean and its 95 % interval on a track from 0 to `top`; `tick` marks the preferred run's value."""
    values = {"low": summary.ci_low, "high": summary.ci_high, "mean": summary.mean, "tick": tick}
    at = {name: None if value is None else value / top for name, value in values.items()}
    label = score(summary.mean)
    if summary.ci_low is not None:
        label += f", 95 % interval {score(summary.ci_low)} to {score(summary.ci_high)}"
    if tick is not None:
        label += f", preferred run {score(tick)}"
    return {"summary": summary, "tick": tick, "at": at, "label": label}


@register.inclusion_tag("_score_cell.html")
def score_cell(value: float | None, reason: str = "", top: float = 1.0, older: str | None = None) -> dict[str, Any]:
    """A score in a table: the number, and a bar of its share of `top` behind it.

    `older`: metrics whose older formula gave it; it is then marked.
    """
    part = None if value is None else value / top
    return {"text": score(value), "value": value, "reason": reason, "part": part, "older": older}


@register.inclusion_tag("_score_cell.html")
def metric_cell(name: str, value: float | None, reason: str = "") -> dict[str, Any]:
    """A value of the metric called `name` in a table, with its unit; a bar where its range has both ends."""
    scale = scale_of(name)
    part = None if value is None else scale.place(value)
    return {"text": as_metric(value, name), "value": value, "reason": reason, "part": part}


@register.inclusion_tag("_sort_header.html", takes_context=True)
def sort_header(context: Mapping[str, Any], name: str, label: str, number: bool = False) -> dict[str, Any]:
    """A column head that sorts: numbers and times from the highest on the first click, again turns it round."""
    current = str(context.get("sort", ""))
    first = f"-{name}" if number else name
    other = name if first.startswith("-") else f"-{name}"
    query = context["request"].GET.copy()
    query.pop("page", None)
    query["sort"] = other if current == first else first
    state = ("descending" if current.startswith("-") else "ascending") if current.removeprefix("-") == name else ""
    target = context.get("sort_target", "")
    return {"label": label, "address": f"?{query.urlencode()}", "state": state, "number": number, "target": target}


@register.filter
def get(mapping: Mapping[str, Any], key: str) -> Any:
    """Look a key up; nothing when it, or what it should be in, is not there."""
    return mapping.get(key) if mapping else None


@register.filter
def count(value: int, noun: str) -> str:
    """1 question, 12,400 questions."""
    return f"{value:,} {noun}{'' if value == 1 else 's'}"


@register.filter
def chunking(settings: Mapping[str, Any]) -> str:
    """How a run cuts its documents: 1,000 characters, overlap 15%; the retriever alone where none are cut (oracle)."""
    size = settings.get("chunk_size")
    if not isinstance(size, int):
        return str(settings["retriever"]) if settings.get("use_context") and "retriever" in settings else "no context"
    plain = CoreSettings.model_fields["chunker"].default
    chunker = settings.get("chunker", plain)
    named = f"{chunker} " if chunker != plain else ""
    overlap = f", overlap {settings['chunk_overlap']}" if "chunk_overlap" in settings else ""
    return f"{named}{size:,} {settings.get('chunk_unit', 'characters')}{overlap}"


@register.filter
def steps_of(settings: Mapping[str, Any]) -> str:
    """How a run finds contexts: hybrid · rewrite · cross_encoder:MiniLM; a dash without context."""
    steps = [part.field for part in PARTS if part.stage == Stage.RETRIEVAL]
    chosen = [str(settings[name]) for name in steps if settings.get(name, NONE) != NONE]
    return " · ".join(_short_path(each) for each in chosen) or "—"


@register.filter
def retrieving(settings: Mapping[str, Any]) -> str:
    """How a run cuts and finds, the plain case unsaid: 1,000 characters, overlap 15% · hybrid · rewrite."""
    cut, steps = chunking(settings), steps_of(settings)
    return cut if steps in (CoreSettings.model_fields["retriever"].default, cut, "—") else f"{cut} · {steps}"


def _short_path(value: str) -> str:
    """Leave the folders out of a name: cross_encoder:/models/mine is cross_encoder:mine."""
    key, colon, name = value.partition(":")
    return f"{key}{colon}{name.rstrip('/').rpartition('/')[2]}"


@register.filter
def reader_name(settings: Mapping[str, Any]) -> str:
    """Who answers: “reader: extractive” for the built-in reader, else the model."""
    llm = str(settings.get("llm", ""))
    return f"reader: {llm.removeprefix('builtin:')}" if llm.startswith("builtin:") else llm


@register.inclusion_tag("_reader_note.html")
def reader_note() -> dict[str, Any]:
    """What to expect of the built-in reader, with the share of unanswerable questions that it answers as shipped."""
    share = let_through(card())
    return {"through": None if share is None else round(10 * share)}


@register.filter
def split(text: str) -> list[str]:
    """Return the words of a text, to loop over names."""
    return text.split()


@register.filter
def detail_value(value: Any) -> str:
    """A value that a part of the pipeline reported, short: numbers with two decimals, lists joined."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, list | tuple):
        return ", ".join(detail_value(each) for each in value) or "none"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {detail_value(each)}" for name, each in value.items()) or "none"
    return UNKNOWN if value is None else str(value)


@register.filter
def setting_value(value: Any) -> str:
    """A setting in a table: on or off, a number without a needless .0, a dash where it is not read."""
    if value is None or value == "":
        return "—"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list):
        names = all(isinstance(each, str) and each.strip() == each != "" for each in value)
        return (", ".join(value) or "none") if names else json.dumps(value, ensure_ascii=False)
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:g}" if isinstance(value, float) else detail_value(value)


@register.filter
def p_value(value: float | None) -> str:
    """< 0.001, else = 0.023."""
    return "—" if value is None else "< 0.001" if value < 0.001 else f"= {value:.3f}"


@register.inclusion_tag("_word_changes.html", name="word_changes")
def changed_words(before: str, after: str) -> dict[str, Any]:
    """A text with the words that were taken out and put in."""
    return {"pieces": word_changes(before, after)}


@register.inclusion_tag("_difference_bar.html")
def difference_bar(difference: Any) -> dict[str, Any]:
    """The interval of a difference on a track as wide as the metric's range in both directions, with a line at 0.

    Where the range has no end, the track is as wide as the interval asks for.
    """
    values = {"low": difference.ci_low, "high": difference.ci_high, "mean": difference.mean_diff}
    widest = max((abs(value) for value in values.values() if value is not None), default=0.0) * 1.25
    top = scale_of(difference.metric).span or widest or 1.0
    return {"at": {name: None if value is None else (value / top + 1) / 2 for name, value in values.items()}}
