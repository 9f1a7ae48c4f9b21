"""Fields drawn in Python are those that Django's templates draw."""

from __future__ import annotations

import re

import pytest
from django import forms
from django.forms.renderers import DjangoTemplates
from hypothesis import given
from hypothesis import strategies as st

from workbench.forms.rendering import FieldRenderer
from workbench.forms.workbench import SettingsForm
from workbench.services.preferences import preferred_bench

HOSTILE = "\"><script>alert('1')</script> & 5 € ‘x’"
GROUPS = [("", "none"), ("Group & <b>", [("a", HOSTILE), (HOSTILE, "label")]), (3, 4.5)]
WIDGETS = [
    forms.TextInput(attrs={"list": HOSTILE, "required": True, "disabled": False}),
    forms.NumberInput(attrs={"step": 0.1, "min": 0}),
    forms.HiddenInput(),
    forms.CheckboxInput(),
    forms.Textarea(attrs={"rows": 3}),
    forms.Select(choices=GROUPS),
    forms.PasswordInput(),
    forms.RadioSelect(choices=GROUPS),
]


def without_blanks(html: str) -> str:
    return re.sub(r">\s+<", "><", html)


@pytest.mark.parametrize("widget", WIDGETS, ids=lambda widget: type(widget).__name__)
@pytest.mark.parametrize("value", [None, "", HOSTILE, 0, 4.5, True, "3"])
def test_every_widget_is_drawn_as_by_django(widget: forms.Widget, value: object) -> None:
    drawn, expected = (
        widget.render("name", value, {"id": "id_name", "title": HOSTILE}, renderer=renderer())
        for renderer in (FieldRenderer, DjangoTemplates)
    )
    assert without_blanks(drawn) == without_blanks(expected)


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cs"])))
def test_any_text_is_drawn_as_by_django(text: str) -> None:
    for widget in (forms.TextInput(), forms.Textarea(), forms.Select(choices=[(text, text)])):
        drawn, expected = (
            widget.render("name", text, {"title": text}, renderer=renderer())
            for renderer in (FieldRenderer, DjangoTemplates)
        )
        assert without_blanks(drawn) == without_blanks(expected)


@pytest.mark.django_db
def test_all_settings_are_drawn_as_by_django() -> None:
    ours, theirs = (SettingsForm(initial=preferred_bench().values) for _ in range(2))
    theirs.renderer = DjangoTemplates()
    for name in ours.fields:
        assert without_blanks(str(ours[name])) == without_blanks(str(theirs[name])), name
