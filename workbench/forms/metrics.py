"""Choosing metrics, their options and aspects of one's own: two fields whose values travel as one text each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from unicodedata import combining, normalize

from django import forms
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from evaluation.metrics.availability import Available
from evaluation.metrics.base import Metric, metrics
from evaluation.spec import HEADLINE, EvaluationSpec
from workbench.forms.metric_picker import OWN, PREFIX, derived, make_picker, option_name, own_name
from workbench.services.metric_options import Options, fits, options_text, read_options

_NOT_A_LETTER = re.compile(r"[^a-z0-9]+")


class MetricsWidget(forms.Widget):
    """All further metrics to tick, by group, with their options; the value is their names with commas between.

    `options` are what the options are set to, and `available` says what there is to score with: the form sets both.
    """

    def __init__(self, offered: Sequence[type[Metric]]) -> None:
        super().__init__()
        self.offered = offered
        self.options: Options = {}
        self.available: Callable[[], Available] = Available

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        """Return the picker."""
        chosen = names_of(value)
        own_id = (attrs or {}).get("id", f"id_{name}")
        picker = make_picker(name, own_id, self.offered, chosen, self.options, self.available())
        return render_to_string("_metric_picker.html", {"picker": picker})

    def value_from_datadict(self, data: Any, files: Any, name: str) -> str:
        """Return the ticked names as one text, those of aspects of one's own behind them."""
        sent = data.getlist(name) if hasattr(data, "getlist") else [data.get(name) or ""]
        own = [f"{PREFIX}{aspect}" for aspect, _ in _own_rows(data)]
        return ",".join(dict.fromkeys([each for text in sent for each in names_of(text)] + own))

    def value_omitted_from_data(self, data: Any, files: Any, name: str) -> bool:
        """Boxes that are not ticked are not sent."""
        return False

    def id_for_label(self, id_: str) -> str:
        """Return nothing: there is no one control to point at."""
        return ""


class OptionsWidget(forms.Widget):
    """The options of all metrics as one JSON text; drawn by the picker, beside the tick boxes."""

    is_hidden = True

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        """Return nothing."""
        return SafeString("")

    def value_from_datadict(self, data: Any, files: Any, name: str) -> str:
        """Return what is sent in one piece, overlaid with what is sent option by option."""
        found = read_options(data.get(name) or "")
        sent_names = names_of(",".join(data.getlist("metrics") if hasattr(data, "getlist") else []))
        for metric in [*metrics, *derived(sent_names)]:
            for option, info in metric.Options.model_fields.items():
                key = option_name(metric.key, option)
                if key in data:
                    sent = _last(data, key)
                    found.setdefault(metric.key, {})[option] = None if sent == "" and info.default is None else sent
        for aspect, given in _own_rows(data):
            found[f"{PREFIX}{aspect}"] = given
        return options_text(found)

    def value_omitted_from_data(self, data: Any, files: Any, name: str) -> bool:
        """What is left as it ships is not sent."""
        return False


class OptionsField(forms.CharField):
    """Options by metric; as text JSON, checked later with the settings as a whole."""

    def prepare_value(self, value: Any) -> Any:
        """Return text."""
        return options_text(value) if isinstance(value, Mapping) else value

    def to_python(self, value: Any) -> Any:
        """Return the options by metric."""
        return read_options(value or "")


def metric_fields(offered: Sequence[type[Metric]]) -> dict[str, forms.Field]:
    """Return the fields that choose among metrics and set their options, by the names of EvaluationSpec.

    Once the form has its values, `show_choices` has to be called.
    """
    info = EvaluationSpec.model_fields
    chosen, options = info["metrics"], info["metric_options"]
    return {
        "metrics": forms.CharField(
            required=False, label=chosen.title, help_text=chosen.description or "", widget=MetricsWidget(offered)
        ),
        "metric_options": OptionsField(required=False, label=options.title, widget=OptionsWidget()),
    }


def judge_widget() -> forms.TextInput:
    """Return the control of the judge: a model's name, those in use suggested."""
    return forms.TextInput(
        attrs={"list": "known-judges", "autocomplete": "off", "spellcheck": "false", "data-judge": ""}
    )


def show_choices(form: forms.Form, available: Callable[[], Available]) -> None:
    """Let the picker of a form show its options, and close what cannot give a number; asked once it is drawn."""
    widget = form.fields["metrics"].widget
    assert isinstance(widget, MetricsWidget)
    widget.options = read_options(form["metric_options"].value())
    widget.available = available


def sent_options(form: forms.Form) -> Options:
    """Return the options that were sent; those of metrics that are not ticked only where they fit: nobody sees them."""
    chosen = set(names_of(form.cleaned_data.get("metrics")))
    options: Options = form.cleaned_data.get("metric_options") or {}
    return {name: given for name, given in options.items() if name in chosen or fits(name, given)}


def further_metrics() -> list[type[Metric]]:
    """Return the metrics to choose from: all but the five."""
    return [metric for metric in metrics if metric.key not in HEADLINE]


def names_of(value: Any) -> list[str]:
    """Return names from a text with commas between, or from a list."""
    names = value.split(",") if isinstance(value, str) else value or []
    return [str(name).strip() for name in names if str(name).strip()]


def _own_rows(data: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield name and options of each aspect that somebody described; an empty row is none."""
    place = 0
    while own_name(place, "name") in data:
        options = {option: _last(data, own_name(place, option)) for option in OWN if own_name(place, option) in data}
        name = _as_name(str(data[own_name(place, "name")]))
        if not name and str(options.get("definition", "")).strip():
            name = f"own_{place + 1}"  # no name, or one of other letters: what was described is not lost
        if name:
            yield name, options
        place += 1


def _as_name(typed: str) -> str:
    """Return what was typed as a name: Höflicher Ton as hoflicher_ton."""
    plain = "".join(letter for letter in normalize("NFKD", typed.lower()) if not combining(letter))
    return _NOT_A_LETTER.sub("_", plain).strip("_")[:40].strip("_")


def _last(data: Any, key: str) -> Any:
    """Return the value of a control; a box that is ticked stands behind the one that says that it could be."""
    return data.getlist(key)[-1] if hasattr(data, "getlist") else data[key]
