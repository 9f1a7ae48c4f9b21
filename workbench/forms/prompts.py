"""A prompt of the library, and one of the judge."""

from __future__ import annotations

from django import forms

from rag_pipeline.services.prompts import LONGEST_NAME


class PromptForm(forms.Form):
    """Name and text; of an own prompt of that name it becomes the next version."""

    name = forms.CharField(
        label="Name",
        max_length=LONGEST_NAME,
        help_text="Shown in charts and tables. With the name of one of yours it becomes its next version.",
        error_messages={"required": "Give the prompt a name: it is shown in charts and tables."},
    )
    text = forms.CharField(
        label="Prompt",
        strip=False,
        help_text="{context}, {question} and {refusal} are replaced; other braces stay.",
        error_messages={"required": "The prompt is empty."},
        widget=forms.Textarea(attrs={"rows": 8, "class": "mono", "spellcheck": "false", "dir": "auto"}),
    )


class JudgePromptForm(forms.Form):
    """The text with which the judge is asked."""

    text = forms.CharField(
        label="Prompt",
        strip=False,
        help_text="Names in braces are where what is judged is filled in: each of them has to stay. "
        "The metric reads the fields of the JSON object, so keep their names.",
        error_messages={"required": "The prompt is empty. Reset it to have the shipped one again."},
        widget=forms.Textarea(attrs={"rows": 28, "class": "mono", "spellcheck": "false", "dir": "auto"}),
    )
