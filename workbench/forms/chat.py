"""The chat's message, to one pipeline or to several side by side."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from django import forms

from rag_pipeline.errors import ConfigError
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from workbench.services.side_by_side import FEWEST, MOST, SavedSettings

LONGEST = 4000


class MessageForm(forms.Form):
    """A question."""

    message = forms.CharField(
        label="Message",
        max_length=LONGEST,
        error_messages={
            "required": "Type a question first.",
            "max_length": f"A question has at most {LONGEST:,} characters.",
        },
        widget=forms.Textarea(attrs={"rows": 2, "placeholder": "Ask a question about the documents", "dir": "auto"}),
    )


class ChatForm(MessageForm):
    """A question to the present pipeline; `spec` after checking is what answers it.

    `documents`: (id, name) of those that one can be chosen from to look in alone.
    """

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


class SideBySideForm(MessageForm):
    """A question to two to four saved settings; after checking, `chosen` are these."""

    blind = forms.BooleanField(label="Blind", required=False)
    settings = forms.MultipleChoiceField(
        label="Saved settings",
        widget=forms.CheckboxSelectMultiple,
        error_messages={
            "required": f"Tick {FEWEST} to {MOST} saved settings.",
            "invalid_choice": "These settings are no longer there. Reload the page.",
        },
    )

    def __init__(self, *args: Any, saved: Sequence[SavedSettings], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.saved = list(saved)
        self.fields["settings"].choices = [(each.key, each.name) for each in saved]  # type: ignore[attr-defined]
        self.chosen: list[SavedSettings] = []

    def clean_settings(self) -> list[str]:
        """Refuse too few, too many, and the same settings under two names."""
        keys: list[str] = self.cleaned_data["settings"]
        if not FEWEST <= len(keys) <= MOST:
            raise forms.ValidationError(f"Tick {FEWEST} to {MOST} saved settings; these are {len(keys)}.")
        self.chosen = [each for each in self.saved if each.key in keys]
        for one, other in combinations(self.chosen, 2):
            if one.pipeline == other.pipeline:
                raise forms.ValidationError(f"“{one.name}” and “{other.name}” are the same settings. Tick others.")
        return keys
