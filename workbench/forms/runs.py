"""Forms about runs: filters of the lists, name and note, how refusals are recognised."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from evaluation.metrics.base import Metric, metrics
from evaluation.models import Question, Run
from evaluation.queries.rows import QuestionFilters
from evaluation.scoring.diagnosis.points import LABELS, ORDER
from evaluation.scoring.scales import Scale, scale_of
from evaluation.services import files
from evaluation.services.scoring_inputs import available_inputs
from evaluation.spec import HEADLINE, JUDGE, REFUSALS, REPLIES, EvaluationSpec, evaluation_settings
from rag_pipeline.errors import ConfigError
from workbench.forms.metrics import further_metrics, judge_widget, metric_fields, sent_options, show_choices
from workbench.forms.options import form_field

LONGEST_TAG = 40
_ANY = ("", "Any")
_LIMITS = ("below", "above")


def _words(kind: str) -> str:
    return kind.replace("_", " ").capitalize()


def _metric_choices(further: Sequence[str]) -> list[Any]:
    """Return the metrics to filter by: the five, then those that the run is scored with beside them."""
    groups = (("Scores", HEADLINE), ("Further metrics", further))
    return [_ANY, *((label, [(name, metrics.get(name).label) for name in names]) for label, names in groups if names)]


class RunNameForm(forms.ModelForm):
    """Name, note and tags of a run."""

    tags = forms.CharField(required=False, help_text="Separated by commas.")

    class Meta:
        model = Run
        fields = ("name", "note")
        widgets = {"note": forms.Textarea(attrs={"rows": 3})}

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.initial["tags"] = ", ".join(self.instance.tags)

    def clean_tags(self) -> list[str]:
        """Return each tag once."""
        tags = [each.strip() for each in self.cleaned_data["tags"].split(",")]
        long = next((each for each in tags if len(each) > LONGEST_TAG), None)
        if long:
            raise forms.ValidationError(f"A tag has at most {LONGEST_TAG} characters: shorten “{long}”.")
        return list(dict.fromkeys(filter(None, tags)))


class QuestionFilterForm(forms.Form):
    """Which questions of a run to show."""

    kind = forms.ChoiceField(
        choices=[_ANY, *((each.value, _words(each.value)) for each in Question.Kind)], required=False
    )
    transformation = forms.ChoiceField(required=False)
    error_kind = forms.ChoiceField(required=False, label="Slip")
    refused = forms.ChoiceField(
        choices=[
            _ANY,
            ("refused", "Refused"),
            ("partial", "Partial"),
            ("attempt", "Attempted"),
            ("empty", "Empty"),
            ("failed", "Failed"),
        ],
        required=False,
        label="Answer",
    )
    failure_point = forms.ChoiceField(
        choices=[_ANY, ("any", "One of the seven"), *((str(point), f"{point} {LABELS[point]}") for point in ORDER)],
        required=False,
        label="Failure point",
    )
    metric = forms.ChoiceField(required=False)
    below = forms.FloatField(required=False, label="At most")
    above = forms.FloatField(required=False, label="At least")
    text = forms.CharField(required=False, label="Text", widget=forms.SearchInput)

    def __init__(self, data: Mapping[str, Any], *, run: Run) -> None:
        super().__init__(data, auto_id="filter_%s")
        testset = run.testset
        self.further = [name for name in files.further_metrics(run) if metrics.find(name)]
        self.fields["metric"].choices = _metric_choices(self.further)  # type: ignore[attr-defined]
        self._show_range(scale_of(self.chosen_metric))
        for field, column in (("transformation", "transformation"), ("error_kind", "error")):
            kinds = testset.questions.exclude(**{column: ""}).order_by(column).values_list(column, flat=True).distinct()
            choices = [_ANY, *((kind, _words(kind)) for kind in kinds)]
            self.fields[field].choices = choices  # type: ignore[attr-defined]

    @property
    def chosen_metric(self) -> str:
        """Return the metric that is filtered by, an empty string for none."""
        name = str(self.data.get("metric") or "")
        return name if name in (*HEADLINE, *self.further) else ""

    def extra_column(self, sort: str) -> type[Metric] | None:
        """Return the further metric that the table is filtered or sorted by, to show it beside the five."""
        wanted = (self.chosen_metric, sort.removeprefix("-"))
        return next((metrics.get(name) for name in wanted if name in self.further), None)

    def _show_range(self, scale: Scale) -> None:
        """Let the limits take the values that the metric has, in its own unit."""
        for name, end in (("below", scale.high), ("above", scale.low)):
            field = self.fields[name]
            field.widget.attrs["step"] = "0.05" if scale.span == 1 else "any"
            if math.isfinite(end):
                field.widget.attrs["placeholder"] = f"{end:g}"
            if scale.unit:
                field.label = f"{field.label} ({scale.unit})"

    @property
    def filters(self) -> QuestionFilters:
        """Return the filters that are valid."""
        self.is_valid()
        limits: dict[str, Any] = {name: self.cleaned_data.get(name) for name in _LIMITS}
        given: dict[str, Any] = {name: self.cleaned_data.get(name) or "" for name in self.fields if name not in limits}
        return QuestionFilters(**given, **limits)

    @property
    def twin_filters(self) -> QuestionFilters:
        """Return the filters for the view of twins: simple questions, each with its complex twin beside it."""
        return QuestionFilters(kind=Question.Kind.SIMPLE, text=self.filters.text)

    @property
    def active(self) -> bool:
        """True when something is filtered."""
        return self.filters != QuestionFilters()


class MetricsForm(forms.Form):
    """Which further metrics the stored answers are scored with, with which options, and who judges."""

    def __init__(self, data: Mapping[str, Any] | None = None, *, initial: Mapping[str, Any], run: Run) -> None:
        super().__init__(data, auto_id="further_%s")
        self.run = run
        judge = {name: form_field(each) for name, each in evaluation_settings(JUDGE, REPLIES).items()}
        self.fields.update(judge | metric_fields(further_metrics()))
        self.initial = {name: initial[name] for name in self.fields if name in initial}
        self.fields["judge"].widget = judge_widget()
        for name in judge.keys() - {"judge"}:
            self.fields[name].required = False
        show_choices(
            self,
            lambda: available_inputs(
                testset=run.testset,
                use_context=run.pipeline.get("use_context", True),
                judge=str(self["judge"].value() or ""),
            ),
        )

    @property
    def judges_itself(self) -> bool:
        """True where the judge is the model that answered."""
        judge = str(self["judge"].value() or "").strip()
        return bool(judge) and judge == self.run.pipeline.get("llm")

    def spec(self, base: Mapping[str, Any]) -> EvaluationSpec:
        """Return the scoring `base` with these metrics. Raises ConfigError."""
        given = {name: value for name, value in self.cleaned_data.items() if value is not None}
        given["metric_options"] = sent_options(self)
        return EvaluationSpec.create(dict(base) | given)

    def refuse(self, error: ConfigError) -> None:
        """Show a refusal beside its field."""
        field = "metrics" if error.field == "metric_options" else error.field
        self.add_error(field if field in self.fields else None, str(error))


class RefusalForm(forms.Form):
    """How refusals are recognised: the part of the scoring that can be tried on stored answers."""

    def __init__(self, data: Mapping[str, Any] | None = None, *, initial: Mapping[str, Any]) -> None:
        super().__init__(data, initial=dict(initial))
        self.fields.update({name: form_field(each) for name, each in evaluation_settings(REFUSALS).items()})
        self.fields["refusal_threshold"].widget = forms.NumberInput(
            attrs={"type": "range", "min": "0", "max": "1", "step": "0.01", "data-shows-value": ""}
        )

    def spec(self, base: Mapping[str, Any]) -> EvaluationSpec:
        """Return the scoring `base` with these values. Raises ConfigError."""
        return EvaluationSpec.create(dict(base) | {name: self.cleaned_data[name] for name in self.fields})
