"""Draws the common form fields in Python: on a page with many, Django's templates for them take a fifth of the time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.forms.renderers import DjangoTemplates
from django.utils.html import conditional_escape
from django.utils.safestring import mark_safe

_Widget = Mapping[str, Any]
"""What Django's templates get of a widget: name, value, attrs, and type or optgroups."""


class FieldRenderer(DjangoTemplates):
    """Gives what Django's own renderer gives, blanks between options aside; other widgets are left to it."""

    def render(self, template_name: str, context: Mapping[str, Any], request: Any = None) -> str:
        """Return the HTML of a field."""
        draw = _DRAW.get(template_name)
        if draw is not None:
            return mark_safe(draw(context["widget"]))  # whatever was given is escaped below
        return super().render(template_name, context, request)  # type: ignore[arg-type]


def _input(widget: _Widget) -> str:
    value = None if widget["value"] is None else str(widget["value"])
    return f"<input{_attributes({'type': widget['type'], 'name': widget['name'], 'value': value}, widget['attrs'])}>"


def _textarea(widget: _Widget) -> str:
    attributes = _attributes({"name": widget["name"]}, widget["attrs"])
    return f"<textarea{attributes}>\n{conditional_escape(widget['value'] or '')}</textarea>"


def _select(widget: _Widget) -> str:
    groups = (_group(name, options) for name, options, _ in widget["optgroups"])
    return f"<select{_attributes({'name': widget['name']}, widget['attrs'])}>{''.join(groups)}</select>"


def _group(name: str | None, options: Sequence[_Widget]) -> str:
    drawn = "".join(map(_option, options))
    return f"<optgroup{_attributes({'label': name})}>{drawn}</optgroup>" if name else drawn


def _option(option: _Widget) -> str:
    attributes = _attributes({"value": str(option["value"])}, option["attrs"])
    return f"<option{attributes}>{conditional_escape(option['label'])}</option>"


def _attributes(*several: Mapping[str, Any]) -> str:
    """Return attributes as they stand in a tag; those that are True by their name alone, False and None not at all."""
    return "".join(
        f" {name}" if value is True else f' {name}="{conditional_escape(value)}"'
        for attributes in several
        for name, value in attributes.items()
        if value is not False and value is not None
    )


_WIDGETS = "django/forms/widgets"
_DRAW: dict[str, Callable[[_Widget], str]] = {
    f"{_WIDGETS}/text.html": _input,
    f"{_WIDGETS}/number.html": _input,
    f"{_WIDGETS}/hidden.html": _input,
    f"{_WIDGETS}/checkbox.html": _input,
    f"{_WIDGETS}/textarea.html": _textarea,
    f"{_WIDGETS}/select.html": _select,
}
