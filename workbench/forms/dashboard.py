"""What the Dashboard shows: test set, agreement, chunk unit, score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from django import forms

from evaluation.models import Run, TestSet
from evaluation.queries.differences import metric_label
from evaluation.queries.rows import RunRow
from evaluation.registry import DEFAULT_AGREEMENT
from evaluation.scoring.summaries import TOTAL
from evaluation.spec import EvaluationSpec
from rag_pipeline.chunkers.sizes import SizeOptions
from workbench.forms.options import fields_of
from workbench.services.current_settings import chosen_corpus
from workbench.services.preferences import newest_testset
from workbench.services.results_panel import SCORES


class DashboardForm(forms.Form):
    """Filters of the Dashboard; what does not fit falls back to the default."""

    testset = forms.ModelChoiceField(
        TestSet.objects.select_related("corpus").order_by("corpus__name", "name", "-version"),
        required=False,
        empty_label=None,
        label="Test set",
    )
    score = forms.CharField(required=False, label="Chart shows", widget=forms.Select)

    def __init__(self, data: Mapping[str, Any]) -> None:
        super().__init__({**self._defaults(), **{name: value for name, value in data.items() if value}})
        self.further: list[str] = []
        self.offer([])
        for name, field in (
            ("agreement", fields_of(EvaluationSpec)["agreement"]),
            ("chunk_unit", fields_of(SizeOptions)["chunk_unit"]),
        ):
            field.required, field.help_text = False, ""
            self.fields[name] = field
        for field in self.fields.values():
            field.widget.attrs["data-autosubmit"] = ""
        self.fields["testset"].label_from_instance = lambda each: f"{each.corpus} · {each}"  # type: ignore[attr-defined]

    @cached_property
    def chosen_testset(self) -> TestSet | None:
        """Return the chosen test set, else that of the latest run."""
        self.is_valid()
        chosen: TestSet | None = self.cleaned_data.get("testset")
        return chosen

    def offer(self, further: Sequence[str]) -> None:
        """Let the chart show these metrics beside the five scores and the total."""
        self.further = list(further)
        groups = (("Scores", SCORES), ("Further metrics", self.further))
        self.fields["score"].widget.choices = [  # type: ignore[attr-defined]
            (label, [(name, metric_label(name)) for name in names]) for label, names in groups if names
        ]

    @property
    def chosen_score(self) -> str:
        """Return the score on the chart: one that is offered, else the total."""
        wanted = str(self.data.get("score"))
        return wanted if wanted in (*SCORES, *self.further) else TOTAL

    def extra_column(self, sort: str) -> str:
        """Return the further metric that is drawn or sorted by, to show it beside the five; empty for none."""
        wanted = (self.chosen_score, sort.removeprefix("-"))
        return next((name for name in wanted if name in self.further), "")

    def fits(self, row: RunRow) -> bool:
        """Return True for a run whose scores can stand on one axis with the others."""
        self.is_valid()
        unit = self.cleaned_data.get("chunk_unit") or "characters"
        agreement = self.cleaned_data.get("agreement") or DEFAULT_AGREEMENT
        return row.agreement == agreement and row.settings.get("chunk_unit", unit) == unit

    def _defaults(self) -> dict[str, Any]:
        runs, corpus = Run.objects.filter(archived=False).select_related("testset"), chosen_corpus()
        run = runs.filter(corpus=corpus).first() or (runs.first() if corpus is None else None)
        testset = run.testset if run else newest_testset(corpus)
        return {
            "testset": testset.pk if testset else "",
            "agreement": run.evaluation.get("agreement", DEFAULT_AGREEMENT) if run else DEFAULT_AGREEMENT,
            "chunk_unit": run.pipeline.get("chunk_unit", "characters") if run else "characters",
            "score": "total",
        }
