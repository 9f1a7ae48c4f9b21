"""The chat's message."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms

from rag_pipeline.errors import ConfigError
from rag_pipeline.settings.pipeline_spec import PipelineSpec

LONGEST = 4000


class ChatForm(forms.Form):
    """A question to the present pipeline; `spec` after checking is what answers it.

    `documents`: (id, name) of those that one can be chosen from to look in alone.
    """

    message = forms.CharField(
        label="Message",
        max_length=LONGEST,
        error_messages={
            "required": "Type a question first.",
            "max_length": f"A question has at most {LONGEST:,} characters.",
        },
        widget=forms.Textarea(attrs={"rows": 2, "placeholder": "Ask a question about the documents", "dir": "auto"}),
    )
    use_context = forms.BooleanField(label="Use context", required=False)
    document = forms.TypedChoiceField(
        label="Look in",
        required=False,
        coerce=int,
        widget=forms.Select(attrs={"class": "search-within"}),
        empty_value=None,
        error_messages={"invalid_choice": "This document does not belong to the corpus. Choose another."},
    )

    def __init__(
        self, *args: Any, spec: PipelineSpec, documents: Sequence[tuple[int, str]] = (), **kwargs: Any
    ) -> None:
        kwargs["initial"] = {"use_context": spec.core.use_context} | (kwargs.get("initial") or {})
        super().__init__(*args, **kwargs)
        self.fields["document"].choices = [("", "All documents"), *documents]  # type: ignore[attr-defined]
        self.several = bool(documents)
        self._present = spec
        self.spec = spec

    def clean_use_context(self) -> bool:
        """Refuse what the pipeline cannot do without context, in its own words."""
        wanted = bool(self.cleaned_data["use_context"])
        if wanted != self._present.core.use_context:
            try:
                self.spec = self._present.changed(use_context=wanted)
            except ConfigError as error:
                raise forms.ValidationError(str(error)) from None
        return wanted
