"""The form that tunes an embedding on a test set."""

from __future__ import annotations

import re
from itertools import chain, count
from typing import Any

from django import forms

from evaluation.models import TestSet
from evaluation.tuning_spec import TuningSpec
from rag_pipeline.embedders.tuned import is_tuned_name
from rag_pipeline.errors import ConfigError
from workbench.forms.options import fields_of


class TuningForm(forms.Form):
    """A name, and how to tune; `spec` after checking."""

    name = forms.CharField(
        label="Name of the tuned model",
        max_length=60,
        help_text="It is then offered as tuned:NAME in Embedding.",
        error_messages={"required": "Give the tuned model a name."},
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **({"auto_id": "tuning-%s"} | kwargs))
        self.fields.update(fields_of(TuningSpec))
        self.spec = TuningSpec()

    @property
    def folded(self) -> list[forms.BoundField]:
        """The settings that few need to change."""
        return [self[name] for name in TuningSpec.model_fields]

    @property
    def folded_errors(self) -> bool:
        """True when one of the folded settings is wrong."""
        return any(field.errors for field in self.folded)

    def clean(self) -> dict[str, Any]:
        """Check the values as the tuning does, and say it beside the field."""
        if not self.errors:
            try:
                self.spec = TuningSpec.create({name: self.cleaned_data[name] for name in TuningSpec.model_fields})
            except ConfigError as error:
                self.refuse(error)
        return self.cleaned_data

    def refuse(self, error: ConfigError) -> None:
        """Show a refusal beside its field, or above the form where it has none."""
        self.add_error(error.field if error.field in self.fields else None, str(error))


def free_tuned_name(testset: TestSet, taken: set[str]) -> str:
    """Return a name after the test set that no tuned model has."""
    stem = re.sub("[^a-z0-9]+", "-", str(testset).lower()).strip("-")[:50]
    stem = stem if is_tuned_name(stem) else "tuned"
    lower = {each.lower() for each in taken}
    return next(name for name in chain([stem], (f"{stem}-{number}" for number in count(2))) if name not in lower)
