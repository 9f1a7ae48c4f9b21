"""The picker of metrics as its template draws it: groups, boxes, why some are closed, options, aspects of one's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any

from django import forms
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from evaluation.metrics.availability import NO_JUDGE, Available, unmet
from evaluation.metrics.base import Metric, metrics
from evaluation.metrics.groups import GROUPS
from rag_pipeline.setting_fields import Setting, settings_in
from workbench.forms.options import form_field

PREFIX = "aspect:"
OWN = ("definition", "scale")
"""Options of an aspect of one's own that have a control."""
_SHORT = 30
"""Characters of a reason that stands behind the name of its metric."""
_LONG = ("definition", "json_schema")
"""Options whose text takes more than a line."""


@dataclass(frozen=True, slots=True)
class OptionView:
    """A control for one option. `beside`: its label stands behind it (a box)."""

    name: str
    id: str
    label: str
    help: str
    html: SafeString
    beside: bool


@dataclass(frozen=True, slots=True)
class ChoiceView:
    """A metric to tick, in the picker called `name`.

    `unmet` says why it cannot give a number; `judge`: that hangs on a judge alone; `mendable`: an option may mend it,
    such as a folder of weights.
    """

    name: str
    key: str
    id: str
    label: str
    help: str
    checked: bool
    unmet: str
    judge: bool
    mendable: bool
    options: tuple[OptionView, ...]

    @property
    def without_judge(self) -> str:
        """What it says while there is no judge."""
        return NO_JUDGE

    @property
    def long(self) -> bool:
        """True when the reason takes a line of its own."""
        return len(self.unmet) > _SHORT

    @property
    def closed(self) -> bool:
        """True when it cannot be ticked; one that is ticked already can be given up."""
        return bool(self.unmet) and not self.checked

    @property
    def html(self) -> SafeString:
        """It as the page shows it."""
        return _drawn(self)


@lru_cache(maxsize=1000)
def _drawn(choice: ChoiceView) -> SafeString:
    """Draw a choice; kept, because most of the many choices look alike from page to page."""
    return render_to_string("_metric_choice.html", {"each": choice})


@dataclass(frozen=True, slots=True)
class GroupView:
    """Metrics under a heading."""

    id: str
    label: str
    choices: Sequence[ChoiceView]

    @property
    def checked(self) -> int:
        """How many are ticked."""
        return sum(choice.checked for choice in self.choices)

    @property
    def open(self) -> bool:
        """True where some are ticked and some not, or one is warned of: the rest is said by the count."""
        return 0 < self.checked < len(self.choices) or any(each.checked and each.unmet for each in self.choices)


@dataclass(frozen=True, slots=True)
class OwnView:
    """An aspect that somebody described: its controls."""

    place: int
    controls: Sequence[OptionView]


@dataclass(frozen=True, slots=True)
class PickerView:
    """All that the template draws. `judged`: there is a judge."""

    name: str
    id: str
    groups: Sequence[GroupView]
    own: Sequence[OwnView] = field(default_factory=tuple)
    judged: bool = True

    @property
    def checked(self) -> int:
        """How many are ticked or described."""
        return sum(group.checked for group in self.groups) + self.described

    @property
    def described(self) -> int:
        """How many aspects of one's own there are; the last row is for another."""
        return max(0, len(self.own) - 1)


def make_picker(
    name: str,
    id: str,
    offered: Sequence[type[Metric]],
    chosen: Sequence[str],
    options: Mapping[str, Mapping[str, Any]],
    available: Available,
) -> PickerView:
    """Return the picker of the metrics `offered` with `chosen` ticked and the options as they are set."""
    groups: dict[str, list[ChoiceView]] = {key: [] for key in GROUPS}
    for metric in [*offered, *derived(chosen)]:
        view = _choice(metric, name, id, metric.key in chosen, options.get(metric.key, {}), available)
        groups.setdefault(metric.group, []).append(view)
    views = [
        GroupView(f"{id}_{key}", GROUPS.get(key, key.capitalize()), choices)
        for key, choices in groups.items()
        if choices
    ]
    own = [key for key in chosen if key.startswith(PREFIX) and key not in {metric.key for metric in metrics}]
    rows = [_own(place, id, key, options.get(key, {})) for place, key in enumerate([*own, ""])]
    return PickerView(name, id, views, rows if metrics.find("aspect:any") else (), "judge" not in available.lacking)


def derived(chosen: Sequence[str]) -> list[type[Metric]]:
    """Return the metrics among those chosen that stand in no list: `must_match:greeting`, `ndcg@5`."""
    listed = {metric.key for metric in metrics}
    found = [metrics.find(key) for key in chosen if key not in listed and not key.startswith(PREFIX)]
    return [metric for metric in found if metric is not None]


def option_name(metric: str, option: str) -> str:
    """Return the name of an option's control; some signs would stand in the way of CSS."""
    return f"option-{_plain(metric)}-{option}"


def _plain(metric: str) -> str:
    return metric.replace(":", "-").replace("@", "-at-")


def own_name(place: int, part: str) -> str:
    """Return the name of a control of an aspect of one's own."""
    return f"aspect-{place}-{part}"


def _choice(
    metric: type[Metric], name: str, id: str, checked: bool, given: Mapping[str, Any], available: Available
) -> ChoiceView:
    own = _with_options(metric, given)
    judged = "judge" in metric.needs
    other = unmet(own, available.with_judge()) if judged else ""
    reason = other or unmet(own, available)
    mendable = "weights" in metric.needs and bool(reason)
    drawn = tuple(
        _untouched(metric.key, id, option) if given.get(option) is None else _option(metric, id, option, given[option])
        for option in metric.Options.model_fields
    )
    own_id = f"{id}_{_plain(metric.key)}"
    return ChoiceView(
        name, metric.key, own_id, metric.label, metric.help, checked, reason, judged and not other, mendable, drawn
    )


@cache
def _untouched(key: str, id: str, option: str) -> OptionView:
    """Return the control of an option that nobody set: the same on every page, and there are many of them."""
    return _option(metrics.get(key), id, option, None)


def _option(metric: type[Metric], id: str, option: str, given: Any) -> OptionView:
    """Return the control of an option of a metric."""
    name = option_name(metric.key, option)
    return _control(name, f"{id}_{name}", _field(settings_in(metric.Options)[option]), given)


def _field(option: Setting) -> forms.Field:
    """Return the form field of an option."""
    found = form_field(option)
    if option.name in _LONG:
        found.widget = forms.Textarea(attrs={"rows": 2})
    return found


def _with_options(metric: type[Metric], given: Mapping[str, Any]) -> Metric:
    """Return the metric as it is set; as it ships where what is typed does not fit."""
    try:
        return metric(metric.Options.model_validate(dict(given)))
    except ValueError:
        return metric()


def _control(name: str, id: str, control: forms.Field, given: Any) -> OptionView:
    """Return a control that shows what is typed, else what it ships with."""
    value = control.prepare_value(control.initial if given is None else given)
    if isinstance(value, list | tuple):
        value = ",".join(map(str, value))
    attrs = {"id": id, **control.widget_attrs(control.widget)}
    if control.help_text:
        attrs["aria-describedby"] = f"{id}_help"
    beside = isinstance(control, forms.BooleanField)
    if beside:
        value = str(value).lower() in ("true", "on", "1")
    html = control.widget.render(
        name, value, {**control.widget.attrs, **attrs, **({"value": "true"} if beside else {})}
    )
    return OptionView(name, id, str(control.label), str(control.help_text), html, beside)


def _own(place: int, id: str, key: str, given: Mapping[str, Any]) -> OwnView:
    """Return the row of an aspect of one's own; an empty one for another."""
    family = metrics.find(key or f"{PREFIX}any")
    fields = settings_in(family.Options) if family else {}
    name = forms.CharField(label="Name", max_length=40, required=False)
    controls: dict[str, tuple[forms.Field, Any]] = {"name": (name, key.removeprefix(PREFIX))}
    controls |= {part: (_field(fields[part]), given.get(part)) for part in OWN if part in fields}
    return OwnView(
        place,
        [
            _control(own_name(place, part), f"{id}_{own_name(place, part)}", control, value)
            for part, (control, value) in controls.items()
        ],
    )
