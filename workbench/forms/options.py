"""Form fields drawn from declared settings: title, help, choices and limits are written once, in the pydantic field."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, get_origin

from django import forms
from django.forms.models import ModelChoiceIterator
from pydantic import BaseModel

from rag_pipeline.registry import Registry
from rag_pipeline.setting_fields import Setting, UnitChoice, settings_in
from rag_pipeline.settings.core import NONE


class _RowsReadOnce(ModelChoiceIterator):
    """The choices of a field, read once where Django asks for them twice to draw it."""

    @cached_property
    def _choices(self) -> list[Any]:
        return list(super().__iter__())

    def __iter__(self) -> Iterator[Any]:
        return iter(self._choices)


class RowField(forms.ModelChoiceField):
    """A choice among rows of a table."""

    iterator = _RowsReadOnce


class JsonListField(forms.CharField):
    """A list, shown and typed as JSON."""

    def prepare_value(self, value: Any) -> Any:
        """Return text as it was typed, a list as JSON."""
        return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def fields_of(model: type[BaseModel]) -> dict[str, forms.Field]:
    """Return a form field for each setting of `model` that a form can draw, by name."""
    drawable = {name: each for name, each in settings_in(model).items() if get_origin(each.type) is not dict}
    return {name: form_field(each) for name, each in drawable.items()}


class UnitSelect(forms.Select):
    """A choice among units; those in `closed` are shown with a reason and cannot be chosen."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.closed: set[str] = set()

    def create_option(self, name: str, value: Any, label: Any, selected: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the option as Django makes it, closed where it must be."""
        option = super().create_option(name, value, label, selected, *args, **kwargs)
        if value in self.closed:
            option["label"] = f"{label} (needs a language model)"
            if not selected:
                option["attrs"]["disabled"] = True
        return option


class UnitField(forms.ChoiceField):
    """A choice among units; `explained` holds each one's label and when it helps."""

    explained: tuple[tuple[str, str], ...] = ()


class NamedUnitField(forms.CharField):
    """Units that are chosen by `key` or `key:NAME`, typed; `explained` as in UnitField."""

    explained: tuple[tuple[str, str], ...] = ()


def unit_field(units: UnitChoice, title: str, default: str) -> UnitField:
    """Return a choice among units; what is not installed says so."""
    choices = [(NONE, "None")] if units.optional else []
    choices += [
        (unit.key, f"{unit.label or unit.key}{' (not installed)' if unit.missing() else ''}") for unit in units.registry
    ]
    field = UnitField(
        choices=choices,
        initial=default,
        label=title,
        widget=UnitSelect,
        error_messages=_choice_messages(title, [key for key, _ in choices]),
    )
    field.explained = _explained(units.registry)
    return field


def named_unit_field(units: UnitChoice, title: str, default: str) -> NamedUnitField:
    """Return a text field for units that may carry a name; its help says what can be typed."""
    known = [NONE] if units.optional else []
    known += [f"{unit.key}:NAME" if getattr(unit, "needs_name", False) else unit.key for unit in units.registry]
    field = NamedUnitField(
        initial=default,
        label=title,
        help_text=f"{', '.join(known[:-1])} or {known[-1]}.".capitalize(),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        error_messages={"required": f"{title} cannot be empty."},
    )
    field.explained = _explained(units.registry)
    return field


def _explained(registry: Registry[Any]) -> tuple[tuple[str, str], ...]:
    return tuple((unit.label or unit.key, unit.help) for unit in registry if unit.help)


def form_field(setting: Setting) -> forms.Field:
    """Return the Django field for one declared setting."""
    if setting.info.units is not None:
        make = named_unit_field if setting.info.units.named else unit_field
        return make(setting.info.units, setting.title, setting.default)
    common: dict[str, Any] = {
        "label": setting.title,
        "help_text": setting.help,
        "initial": setting.default,
        "required": not setting.may_be_none,
    }
    choices = setting.choices
    if choices is not None:
        messages = _choice_messages(setting.title, [str(value) for value in choices])
        return forms.ChoiceField(choices=list(choices.items()), error_messages=messages, **common)
    if setting.type is bool:
        return forms.BooleanField(**(common | {"required": False}))
    if setting.type in (int, float):
        return _number(setting, common)
    if get_origin(setting.type) is list:
        return JsonListField(strip=False, **common)
    return _text(setting, common)


def _text(setting: Setting, common: dict[str, Any]) -> forms.Field:
    wrong = {"required": f"{setting.title} cannot be empty."}
    needed = {"required": setting.default not in ("", None)}
    field = forms.CharField(max_length=setting.limit("max_length"), error_messages=wrong, **(common | needed))
    if setting.info.lines > 1:
        field.widget = forms.Textarea(attrs={"class": "mono", "rows": setting.info.lines, "spellcheck": "false"})
    return field


def _choice_messages(title: str, keys: Sequence[str]) -> dict[str, str]:
    """Return what is said of a value that is none of the choices, as an old address may hold one."""
    offered = f"Choose one of: {', '.join(keys)}."
    return {"required": offered, "invalid_choice": f"{title} cannot be “%(value)s”. {offered}"}


class FloatField(forms.FloatField):
    """A number without a needless .0."""

    def prepare_value(self, value: Any) -> Any:
        """Return a whole number as one; what was typed stays."""
        return int(value) if isinstance(value, float) and value.is_integer() else value


def _number(setting: Setting, common: dict[str, Any]) -> forms.Field:
    low, high, whole = setting.limit("ge"), setting.limit("le"), setting.type is int
    noun = "a whole number" if whole else "a number"
    if low is not None and high is not None:
        noun += f" from {low:,} to {high:,}" if whole else f" from {low:,g} to {high:,g}"
    elif low is not None:
        noun += f" of at least {low:,}"
    sentence = f"{setting.title} must be {noun}."
    messages = dict.fromkeys(("required", "invalid", "min_value", "max_value"), sentence)
    field: forms.Field
    if whole:
        field = forms.IntegerField(min_value=low, max_value=high, error_messages=messages, **common)
    else:
        field = FloatField(min_value=low, max_value=high, step_size=None, error_messages=messages, **common)
        field.widget.attrs["step"] = "any"
    return field
