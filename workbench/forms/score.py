"""Forms of the page Score: a file of answers, and how it is scored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms

from evaluation.metrics.base import Metric, metrics
from evaluation.spec import EvaluationSpec
from rag_pipeline.errors import ConfigError
from rag_pipeline.spec import DEFAULT_REFUSAL
from workbench.forms.options import names_field

VOTES = [(1, "1"), (3, "3"), (5, "5")]


class ScoringForm(forms.Form):
    """How answers are scored. Valid, it holds `spec` and `names`."""

    judge = forms.CharField(
        label="Judge",
        required=False,
        help_text="provider:model, such as openai:gpt-4.1-mini, for the metrics that need one; empty for none.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    judge_votes = forms.TypedChoiceField(
        label="Judge votes", choices=VOTES, coerce=int, initial=1, help_text="Calls of which the majority counts."
    )
    refusal = forms.CharField(
        label="Refusal sentence",
        max_length=500,
        initial=DEFAULT_REFUSAL,
        help_text="With which that system declines; usual wordings are known.",
        error_messages={"required": "Give the sentence with which the system declines."},
    )

    def __init__(self, *args: Any, base: Mapping[str, Any] | None = None, **kwargs: Any) -> None:
        """`base`: the EvaluationSpec that this one changes."""
        super().__init__(*args, **({"auto_id": "score-%s"} | kwargs))
        self.base = dict(base or {})
        self.fields["metrics"] = names_field(
            [(unit.key, f"{unit.label} ({unit.group})") for unit in offered()],
            "Metrics",
            "A metric whose inputs a row lacks has no score for that row, and says why.",
        )
        self.fields["metrics"].initial = ",".join(usual())
        self.spec = EvaluationSpec()
        self.names: list[str] = []

    def clean(self) -> dict[str, Any]:
        """Check the values as the scoring does, and say it beside the field."""
        if not self.errors:
            self.names = [name for name in self.cleaned_data["metrics"].split(",") if name]
            given = {name: self.cleaned_data[name] for name in ("judge", "judge_votes", "metrics")}
            try:
                self.spec = EvaluationSpec.create(self.base | given)
            except ConfigError as error:
                self.refuse(error)
        return self.cleaned_data

    def refuse(self, error: ConfigError, fallback: str | None = None) -> None:
        """Show a refusal beside its field, or above the form where it has none."""
        self.add_error(error.field if error.field in self.fields else fallback, str(error))


class AnswerFileForm(ScoringForm):
    """A file of answers, and how it is scored."""

    file = forms.FileField(
        label="Answers",
        help_text="JSONL with an object for each question; a JSON list or a CSV with the same fields will do.",
        error_messages={"required": "Choose a file first.", "empty": "The file is empty."},
        widget=forms.FileInput(attrs={"accept": ".jsonl,.json,.csv,.txt"}),
    )


def offered() -> list[type[Metric]]:
    """Return the metrics that a file of another system can have, by group: it never has spans, nor complex twins."""
    found = [unit for unit in metrics if "evidence" not in unit.needs and unit.kinds & {"simple", "out_of_scope"}]
    return sorted(found, key=lambda unit: (unit.group != "headline", unit.group, unit.label))


def usual() -> list[str]:
    """Return those that are ticked at first: all that need no judge, no model of their own and no rule to be set."""
    return [
        unit.key
        for unit in offered()
        if not unit.needs & {"judge", "weights", "other_answer"} and unit.group not in ("rules", "model-based")
    ]
