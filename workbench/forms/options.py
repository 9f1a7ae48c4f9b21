"""Form fields drawn from declared settings: title, help, choices and limits are written once, in the pydantic field."""

from __future__ import annotations

import json
from collections.abc import Sequence
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from django import forms
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from rag_pipeline.registry import Registry
from rag_pipeline.settings.parts import NONE


class JsonListField(forms.CharField):
    """A list, shown and typed as JSON."""

    def prepare_value(self, value: Any) -> Any:
        """Return text as it was typed, a list as JSON."""
        return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def fields_of(model: type[BaseModel]) -> dict[str, forms.Field]:
    """Return a form field for each setting of `model` that a form can draw, by name."""
    return {name: form_field(name, info) for name, info in model.model_fields.items() if _drawable(info)}


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


def unit_field(registry: Registry[Any], title: str, default: str, *, optional: bool = False) -> UnitField:
    """Return a choice among the units of a registry; what is not installed says so."""
    choices = [(NONE, "None")] if optional else []
    choices += [
        (unit.key, f"{unit.label or unit.key}{' (not installed)' if unit.missing() else ''}") for unit in registry
    ]
    field = UnitField(
        choices=choices,
        initial=default,
        label=title,
        widget=UnitSelect,
        error_messages=_choice_messages(title, [key for key, _ in choices]),
    )
    field.explained = _explained(registry)
    return field


def named_unit_field(registry: Registry[Any], title: str, default: str, *, optional: bool = False) -> NamedUnitField:
    """Return a text field for units that may carry a name; its help says what can be typed."""
    known = [NONE] if optional else []
    known += [f"{unit.key}:NAME" if getattr(unit, "needs_name", False) else unit.key for unit in registry]
    field = NamedUnitField(
        initial=default,
        label=title,
        help_text=f"{', '.join(known[:-1])} or {known[-1]}.".capitalize(),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        error_messages={"required": f"{title} cannot be empty."},
    )
    field.explained = _explained(registry)
    return field


def _explained(registry: Registry[Any]) -> tuple[tuple[str, str], ...]:
    return tuple((unit.label or unit.key, unit.help) for unit in registry if unit.help)


def form_field(name: str, info: FieldInfo) -> forms.Field:
    """Return the Django field for one declared setting."""
    kind, optional = _kind(info.annotation)
    common: dict[str, Any] = {
        "label": info.title or name.replace("_", " ").capitalize(),
        "help_text": info.description or "",
        "initial": info.get_default(call_default_factory=True),
        "required": not optional,
    }
    if get_origin(kind) is Literal:
        choices = [(value, str(value).replace("_", " ").capitalize()) for value in get_args(kind)]
        messages = _choice_messages(common["label"], [str(value) for value in get_args(kind)])
        return forms.ChoiceField(choices=choices, error_messages=messages, **common)
    if kind is bool:
        return forms.BooleanField(**(common | {"required": False}))
    if kind in (int, float):
        return _number(kind, info, common)
    if get_origin(kind) is list:
        return JsonListField(strip=False, **common)
    longest = _limit(info, "max_length")
    wrong = {"required": f"{common['label']} cannot be empty."}
    return forms.CharField(max_length=longest, error_messages=wrong, **(common | {"required": _needed(info)}))


def _choice_messages(title: str, keys: Sequence[str]) -> dict[str, str]:
    """Return what is said of a value that is none of the choices, as an old address may hold one."""
    offered = f"Choose one of: {', '.join(keys)}."
    return {"required": offered, "invalid_choice": f"{title} cannot be “%(value)s”. {offered}"}


class FloatField(forms.FloatField):
    """A number without a needless .0."""

    def prepare_value(self, value: Any) -> Any:
        """Return a whole number as one; what was typed stays."""
        return int(value) if isinstance(value, float) and value.is_integer() else value


def _number(kind: type, info: FieldInfo, common: dict[str, Any]) -> forms.Field:
    low, high = _limit(info, "ge"), _limit(info, "le")
    noun = "a whole number" if kind is int else "a number"
    if low is not None and high is not None:
        noun += f" from {low:,g} to {high:,g}" if kind is float else f" from {low:,} to {high:,}"
    elif low is not None:
        noun += f" of at least {low:,}"
    sentence = f"{common['label']} must be {noun}."
    messages = dict.fromkeys(("required", "invalid", "min_value", "max_value"), sentence)
    field: forms.Field
    if kind is int:
        field = forms.IntegerField(min_value=low, max_value=high, error_messages=messages, **common)
    else:
        field = FloatField(min_value=low, max_value=high, step_size=None, error_messages=messages, **common)
        field.widget.attrs["step"] = "any"
    return field


def _drawable(info: FieldInfo) -> bool:
    kind, _ = _kind(info.annotation)
    return get_origin(kind) is not dict


def _kind(annotation: Any) -> tuple[Any, bool]:
    """Return the type without None, and whether None was allowed."""
    if get_origin(annotation) in (Union, UnionType):
        rest = [part for part in get_args(annotation) if part is not type(None)]
        return rest[0], True
    return annotation, False


def _limit(info: FieldInfo, name: str) -> Any:
    return next((getattr(part, name) for part in info.metadata if hasattr(part, name)), None)


def _needed(info: FieldInfo) -> bool:
    return info.get_default(call_default_factory=True) not in ("", None)
