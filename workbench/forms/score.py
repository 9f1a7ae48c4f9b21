"""Forms of the page Score: a file of answers, and how it is scored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms

from evaluation.exchange.base import AnswersReader, accepted
from evaluation.exchange.formats.answers_jsonl import AnswersJsonl
from evaluation.metrics.availability import NO_JUDGE, Available, check_options, unmet
from evaluation.metrics.base import Metric, metrics
from evaluation.spec import JUDGE, REPLIES, EvaluationSpec, evaluation_settings
from rag_pipeline.english.wording import listed
from rag_pipeline.errors import ConfigError
from rag_pipeline.settings.core import DEFAULT_REFUSAL
from workbench.forms.metrics import judge_widget, metric_fields, names_of, sent_options, show_choices
from workbench.forms.options import form_field

NO_OTHER_FILE = "it compares two files: manage.py score --against"
VOTES = [(1, "1"), (3, "3"), (5, "5")]
LIMITS = ("judge_max_tokens", "judge_batch")


class ScoringForm(forms.Form):
    """How answers are scored. Valid, it holds `spec` and `names`."""

    judge = forms.CharField(
        label="Judge",
        required=False,
        help_text="provider:model, such as openai:gpt-4.1-mini, for the metrics that need one; empty for none.",
        widget=judge_widget(),
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
        limits = {name: form_field(evaluation_settings(JUDGE, REPLIES)[name]) for name in LIMITS}
        for field in limits.values():
            field.required = False
        self.fields.update(limits)
        self.fields.update(metric_fields(offered()))
        self.fields["metrics"].help_text = "A metric whose inputs a row lacks has no score for that row, and says why."
        self.fields["metrics"].initial = ",".join(usual())
        show_choices(self, self._available)
        self.spec = EvaluationSpec()
        self.names: list[str] = []

    def _available(self) -> Available:
        """Return what is known before the file is read: whether there is a judge."""
        lacking = {"other_answer": NO_OTHER_FILE}
        return Available(lacking if str(self["judge"].value() or "").strip() else lacking | {"judge": NO_JUDGE})

    def clean(self) -> dict[str, Any]:
        """Check the values as the scoring does, and say it beside the field."""
        if not self.errors:
            self.names = names_of(self.cleaned_data["metrics"])
            sent = {name: self.cleaned_data[name] for name in EvaluationSpec.model_fields if name in self.fields}
            given = {name: value for name, value in sent.items() if value is not None}
            try:
                self.spec = EvaluationSpec.create(self.base | given | {"metric_options": sent_options(self)})
                check_options(self.spec)
            except ConfigError as error:
                self.refuse(error)
        return self.cleaned_data

    def refuse(self, error: ConfigError, fallback: str | None = None) -> None:
        """Show a refusal beside its field, or above the form where it has none."""
        field = "metrics" if error.field == "metric_options" else error.field
        self.add_error(field if field in self.fields else fallback, str(error))


class AnswerFileForm(ScoringForm):
    """A file of answers, and how it is scored."""

    file = forms.FileField(
        label="Answers",
        error_messages={"required": "Choose a file first.", "empty": "The file is empty."},
        widget=forms.FileInput(),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        readers = AnswersReader.units()
        others = listed([unit.help for unit in readers if unit is not AnswersJsonl], "or")
        self.fields["file"].help_text = f"{AnswersJsonl.help}; {others} will do."
        self.fields["file"].widget.attrs["accept"] = accepted(readers)


def offered() -> list[type[Metric]]:
    """Return the metrics that a file of another system can have, by group: it never has spans, nor complex twins."""
    found = [unit for unit in metrics if "evidence" not in unit.needs and unit.kinds & {"simple", "out_of_scope"}]
    return sorted(found, key=lambda unit: (unit.group != "headline", unit.group, unit.label))


def usual() -> list[str]:
    """Return those that are ticked at first: all that need no judge, no model of their own and no rule to be set."""
    unasked = Available(dict.fromkeys(("judge", "weights", "other_answer"), "not asked for"))
    return [unit.key for unit in offered() if unit.group != "rules" and not unmet(unit(), unasked)]
