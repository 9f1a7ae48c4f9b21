"""What the Dashboard shows: which runs, and the chart above them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

from django import forms
from django.http import QueryDict

from evaluation.models import Question, Run, TestSet
from evaluation.queries.differences import metric_label
from evaluation.queries.rows import RunRow
from evaluation.queries.settings import HeldSettings, all_settings, setting_label
from workbench.charts.figures import CHUNK_SIZE
from workbench.ids import ids_of
from workbench.services.current_settings import chosen_corpus
from workbench.services.listing import METRICS, matching
from workbench.services.preferences import newest_testset
from workbench.templatetags.workbench import setting_value

FORM = "board-form"
CHARTS = {
    "setting": "Score by setting",
    "radar": "Radar",
    "cost": "Quality and cost",
    "latency": "Quality and latency",
    "spread": "Spread",
    "pivot": "Pivot",
}
"""The charts, and how they are called."""
MOST_FACETS = 6
"""Settings to filter by; more would hide the table."""
_EVERY = ("", "All")
_LAST = ("tag", "state", "q", "archived")


class BoardForm(forms.Form):
    """Filters and charts of the Dashboard; what does not fit falls back to the default."""

    testset = forms.ModelChoiceField(
        TestSet.objects.select_related("corpus").order_by("corpus__name", "name", "-version"),
        required=False,
        empty_label="All test sets",
        label="Test set",
    )
    tag = forms.CharField(required=False, label="Tag")
    state = forms.CharField(required=False, label="State")
    q = forms.CharField(required=False, label="Name, note or tag", widget=forms.SearchInput)
    archived = forms.BooleanField(required=False, label="Archived too")
    chart = forms.CharField(required=False, widget=forms.HiddenInput)
    score = forms.CharField(required=False, label="Score")
    x = forms.CharField(required=False, label="Setting")
    metrics = forms.MultipleChoiceField(required=False, label="Metrics", widget=forms.CheckboxSelectMultiple)
    question = forms.CharField(required=False, label="Values of")
    down = forms.CharField(required=False, label="Down")
    across = forms.CharField(required=False, label="Across")
    runs = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, data: QueryDict) -> None:
        self.given = data.copy()
        if "testset" not in self.given:
            self.given["testset"] = str(self._latest() or "")
        super().__init__(self.given)
        for name, field in self.fields.items():
            field.widget.attrs["form"] = FORM
            if name != "q":
                field.widget.attrs["data-autosubmit"] = ""
        self.fields["testset"].label_from_instance = lambda each: f"{each.corpus} · {each}"  # type: ignore[attr-defined]

    @cached_property
    def chosen_testset(self) -> TestSet | None:
        """Return the chosen test set, that of the latest run unless told; None for all."""
        self.is_valid()
        chosen: TestSet | None = self.cleaned_data.get("testset")
        return chosen

    def value(self, name: str) -> str:
        """Return what was given for a field, as it was given."""
        return str(self.given.get(name) or "")

    @property
    def filters(self) -> list[forms.BoundField]:
        """Return the fields that choose among the runs."""
        drawn = ("chart", "score", "x", "metrics", "question", "down", "across", "runs")
        places = ["testset", *(name for name in self.fields if name not in _LAST and name != "testset"), *_LAST]
        return [self[name] for name in places if name in self.fields and name not in drawn]

    @property
    def chosen_runs(self) -> list[int]:
        """Return the ids of the runs that a chart of some runs draws; empty unless they were chosen."""
        return ids_of(self.value("runs"))

    @cached_property
    def ticked_runs(self) -> list[int]:
        """Return the ids of the runs that are ticked: those of the last action, else those that are drawn."""
        return ids_of(self.value("ticked")) or self.chosen_runs

    @property
    def chart_name(self) -> str:
        """Return the chosen chart."""
        return self.value("chart") if self.value("chart") in CHARTS else "setting"

    def filtered(self, rows: Sequence[RunRow], held: HeldSettings) -> list[RunRow]:
        """Return the runs that the filters let through, and let the filters offer what there is."""
        wanted = {name: value for name in self._offer_kinds(held) if (value := self.value(name))}
        tags = sorted({tag for row in rows for tag in row.run.tags}, key=str.casefold)
        self._offer("tag", tags, str, fewest=1)
        self._offer("state", sorted({row.state for row in rows}), str, fewest=2)
        kept = list(rows)
        if tag := self.value("tag"):
            kept = [row for row in kept if tag in row.run.tags]
        if state := self.value("state"):
            kept = [row for row in kept if state == row.state]
        if wanted:
            kept = [row for row in kept if {name: str(all_settings(row).get(name)) for name in wanted} == wanted]
        return matching(kept, self.value("q"))

    def _offer_kinds(self, held: HeldSettings) -> list[str]:
        """Let the runs be filtered by the settings in which they differ, and return these."""
        names = held.kinds[:MOST_FACETS]
        for name in names:
            field = forms.CharField(required=False, label=setting_label(name))
            field.widget.attrs |= {"form": FORM, "data-autosubmit": ""}
            self.fields[name] = field
            found = {str(value): setting_value(value) for value in held.values[name]}
            self._offer(name, sorted(found), found.__getitem__, fewest=2)
        return names

    def _offer(self, name: str, values: Sequence[str], words: Callable[[str], str], fewest: int) -> None:
        if len(values) >= fewest or self.value(name):
            self._choose(name, [_EVERY, *((value, words(value)) for value in values)], self.value(name))
        else:
            del self.fields[name]

    def offer_charts(self, held: HeldSettings, scores: Sequence[str], score: str) -> None:
        """Let the charts choose among the scores and settings that the runs have."""
        further = [name for name in scores if name not in METRICS]
        groups = (("Scores", METRICS), ("Further metrics", further))
        self._choose("score", [(label, _labelled(names)) for label, names in groups if names], score)
        self._choose("x", [(name, setting_label(name)) for name in held.numeric], self.setting(held))
        varying = [(name, setting_label(name)) for name in held.varying]
        for name, value in zip(("down", "across"), self.pivoted(held), strict=True):
            self._choose(name, varying, value)

    def offer_radar(self, names: Sequence[str], shown: Sequence[str]) -> None:
        """Let the radar choose among metrics, and among the questions of the test set."""
        field = self.fields["metrics"]
        field.choices = _labelled(names)  # type: ignore[attr-defined]
        self.initial["metrics"] = list(shown)
        self.given.setlist("metrics", list(shown))
        asked = self.chosen_testset.questions.order_by("position") if self.chosen_testset else Question.objects.none()
        choices = [(str(pk), text[:90]) for pk, text in asked.values_list("pk", "text")]
        self._choose("question", [("", "The mean"), *choices], self.value("question"))

    @property
    def chosen_metrics(self) -> list[str]:
        """Return the metrics that were chosen for the radar."""
        return [str(each) for each in self.given.getlist("metrics")]

    def setting(self, held: HeldSettings) -> str:
        """Return the setting on the axis: the chosen one, the chunk size, or another that the runs have."""
        offered = held.numeric
        wanted = [self.value("x"), CHUNK_SIZE, *offered]
        return next((name for name in wanted if name in offered), CHUNK_SIZE)

    def pivoted(self, held: HeldSettings) -> tuple[str, str]:
        """Return the two settings of the pivot: the chosen ones, else the first that vary."""
        varying = held.varying
        down = next((name for name in (self.value("down"), *varying) if name in varying), CHUNK_SIZE)
        others = [name for name in (self.value("across"), *varying) if name in varying and name != down]
        return down, others[0] if others else "prompt_name"

    def _choose(self, name: str, choices: Iterable[Any], value: str) -> None:
        attrs = self.fields[name].widget.attrs
        self.fields[name].widget = forms.Select(attrs=attrs, choices=list(choices))
        self.given[name] = value

    def _latest(self) -> int | None:
        """Return the test set of the latest run on the chosen corpus, else the newest."""
        runs, corpus = Run.objects.filter(archived=False), chosen_corpus()
        runs = runs if corpus is None else runs.filter(corpus=corpus)
        run = runs.order_by("-id").values_list("testset", flat=True).first()
        newest = newest_testset(corpus)
        return run or (newest.pk if newest else None)


def _labelled(names: Iterable[str]) -> list[tuple[str, str]]:
    return [(name, metric_label(name)) for name in names]
