"""Several values in one field of the Workbench: `200, 400, 800`, or ticked beside it, make a sweep of a run."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from django import forms

from evaluation.experiments.space import read_values
from rag_pipeline.errors import ConfigError
from rag_pipeline.setting_fields import Setting
from rag_pipeline.settings.catalogue import pipeline_settings
from rag_pipeline.settings.parts import PARTS

TICKED = "also_"
"""Before the name of a setting: the field of the values that are ticked beside its own."""


def take_several(fields: dict[str, forms.Field]) -> None:
    """Let the fields of numbers and names take several values; alone, each is checked as the first of them."""
    for name, setting in pipeline_settings().items():
        if name in fields and (_is_named(name) or setting.type in (int, float)):
            field = fields[name]
            if isinstance(field.widget, forms.NumberInput):
                mode = "numeric" if setting.type is int else "decimal"
                field.widget = forms.TextInput(attrs={"inputmode": mode, "autocomplete": "off"})
            field.clean = _first_of(field.clean)  # type: ignore[assignment,method-assign]


def _first_of(clean: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return the check of a field that looks at the first of several values."""

    def cleaned(value: Any) -> Any:
        found = values_in(value)
        return clean(str(found[0]) if found else value)

    return cleaned


def values_in(text: Any) -> list[Any]:
    """Return the values in what was typed where there are several, else nothing."""
    if not isinstance(text, str) or not ("," in text or ".." in text):
        return []
    try:
        found = read_values(text)
    except ConfigError:
        return []
    return found if len(found) > 1 else []


def tick_fields(prompts: Callable[[], Iterable[str]], models: Callable[[], Iterable[str]]) -> dict[str, forms.Field]:
    """Return a field of boxes for each setting whose values can be ticked."""
    known = pipeline_settings()
    offered: dict[str, Any] = {
        "prompt": lambda: [(each, each) for each in prompts()],
        "llm": lambda: [(each, each) for each in models()],
        **{part.field: _units_of(known[part.field]) for part in PARTS if not part.named},
    }
    return {
        f"{TICKED}{name}": forms.MultipleChoiceField(
            choices=choices, required=False, label=known[name].title, widget=forms.CheckboxSelectMultiple
        )
        for name, choices in offered.items()
        if choices
    }


def _units_of(setting: Setting) -> list[tuple[str, str]]:
    units = setting.info.units
    return [] if units is None else [(unit.key, unit.label or unit.key) for unit in units.registry]


def grid_texts(typed: dict[str, Any], ticked: dict[str, list[str]], prompt: str) -> dict[str, str]:
    """Return the values to try by setting, as `manage.py sweep --grid` takes them; empty where there is one of each.

    `typed`: what the fields show. What is ticked comes after the value of the field itself; `prompt`: the name of the
    prompt in the field, or its text.
    """
    grid = {name: str(text) for name, text in typed.items() if name in pipeline_settings() and _is_several(name, text)}
    for name, values in ticked.items():
        own = prompt if name == "prompt" else str(typed.get(name, ""))
        typed_values = values_in(own) if _is_named(name) else []
        both = list(dict.fromkeys([*(typed_values or [own]), *values]))
        if values and len(both) > 1:
            grid[name] = json.dumps(both, ensure_ascii=False)
    return grid


def _is_several(name: str, text: Any) -> bool:
    return (_is_named(name) or pipeline_settings()[name].type in (int, float)) and bool(values_in(text))


def _is_named(name: str) -> bool:
    """Return whether a setting is text that holds no comma by itself: a name, or a number with its unit."""
    info = pipeline_settings()[name].info
    return bool(info.suggests or info.unit_from or (info.units and info.units.named))
