"""Form fields drawn from declared settings."""

from __future__ import annotations

from typing import Literal

import pytest
from django import forms
from pydantic import BaseModel, Field

from evaluation.spec import EvaluationSpec
from workbench.forms.options import fields_of


class Drawn(BaseModel):
    """Settings of every kind."""

    size: int = Field(10, ge=1, le=2000, title="Size", description="How large.")
    least: int = Field(0, ge=0)
    share: float = Field(0.5, ge=0, le=1, title="Share")
    way: Literal["one_way", "other"] = "one_way"
    on: bool = True
    name: str = Field("a", min_length=1)
    purpose: str = ""
    limit: int | None = Field(None, ge=1)
    marks: list[str] = ["\n", ""]
    weights: dict[str, float] = {}


def bound(**values):
    """Return a form with all drawn fields."""

    class Form(forms.Form):
        pass

    form = Form({"size": "5", "least": "1", "share": "0.1", "way": "other", "name": "x", "marks": "[]"} | values)
    form.fields.update(fields_of(Drawn))
    return form


def test_title_help_and_default_are_written_once():
    field = fields_of(Drawn)["size"]
    assert (field.label, field.help_text, field.initial) == ("Size", "How large.", 10)
    assert fields_of(Drawn)["least"].label == "Least"


def test_what_a_form_cannot_draw_is_left_out():
    assert "weights" not in fields_of(Drawn)


@pytest.mark.parametrize("text", ["0", "2001", "x", "", "1.5"])
def test_limits_are_said_in_words(text):
    form = bound(size=text)
    assert form.errors["size"] == ["Size must be a whole number from 1 to 2,000."]


def test_each_kind_of_value_comes_back_typed():
    form = bound(on="on", limit="")
    assert form.is_valid(), form.errors
    assert form.cleaned_data == {
        "size": 5, "least": 1, "share": 0.1, "way": "other", "on": True, "name": "x", "purpose": "", "limit": None,
        "marks": "[]",
    }  # fmt: skip


def test_an_open_limit_and_an_empty_text():
    form = bound(least="-1", name="")
    assert form.errors["least"] == ["Least must be a whole number of at least 0."]
    assert form.errors["name"] == ["Name cannot be empty."]


def test_lists_are_shown_as_json():
    assert "[&quot;\\n&quot;, &quot;&quot;]" in str(bound(marks='["\\n", ""]')["marks"])
    assert fields_of(Drawn)["marks"].prepare_value(["\n", ""]) == '["\\n", ""]'


def test_agreement_offers_the_metrics_that_can_be_one():
    choices = fields_of(EvaluationSpec)["agreement"].choices
    assert choices == [
        ("correctness_offline", "Correctness (offline)"),
        ("semantic_similarity", "Semantic similarity"),
        ("token_recall", "Token recall"),
        ("answer_correctness", "Answer correctness"),
    ]
