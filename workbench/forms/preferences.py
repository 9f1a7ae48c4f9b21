"""Which judge compares two runs, and with how many votes."""

from __future__ import annotations

from django import forms

from evaluation.spec import EvaluationSpec
from workbench.forms.options import fields_of

VOTES = (1, 3, 5)


class PreferenceForm(forms.Form):
    """The judge of a comparison; the fields are those of the scoring."""

    judge = forms.CharField(
        label="Judge",
        max_length=200,
        help_text="A model that did not write the answers itself, such as openai:gpt-4.1-mini.",
        error_messages={"required": "Choose a judge: a model such as openai:gpt-4.1-mini."},
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "list": "known-judges"}),
    )
    judge_votes = forms.TypedChoiceField(
        label="Judge votes",
        choices=[(votes, str(votes)) for votes in VOTES],
        coerce=int,
        help_text=fields_of(EvaluationSpec)["judge_votes"].help_text,
    )
