"""The settings of the Workbench as one form, drawn from the declared settings."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from django import forms
from django.http import QueryDict

from evaluation.metrics.availability import check_options
from evaluation.models import Run, TestSet
from evaluation.services.contexts import retrieval_names, runs_with_contexts, with_retrieval_of
from evaluation.services.scoring_inputs import available_inputs
from evaluation.spec import (
    FAILURES,
    HEADLINE,
    JUDGE,
    EvaluationSpec,
    RunOptions,
    evaluation_settings,
    run_settings,
)
from rag_pipeline.errors import ConfigError
from rag_pipeline.llm.target import BUILTIN_READER
from rag_pipeline.models import Corpus
from rag_pipeline.services.prompts import LibraryPrompt, library_name, list_prompts
from rag_pipeline.setting_fields import Stage
from rag_pipeline.settings.catalogue import pipeline_settings, settings_of, unread_names
from rag_pipeline.settings.core import CoreSettings
from rag_pipeline.settings.parts import PARTS
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from workbench.forms.metrics import further_metrics, judge_widget, metric_fields, sent_options, show_choices
from workbench.forms.options import FloatField, RowField, UnitSelect, fields_of
from workbench.forms.several import TICKED, grid_texts, take_several, tick_fields
from workbench.services.known_models import known_models
from workbench.services.preferences import WEIGHT, comparable, differing

CONTEXTS = "contexts_from"
_MOST_RUNS = 100
"""Runs that are offered to take contexts from; an older one is chosen on its page."""


class SettingsForm(forms.Form):
    """Corpus, test set, pipeline, scoring and run options.

    Valid, it holds `spec`, `evaluation` and `options`. Fields that the chosen parts do not read are kept, unseen.
    """

    def __init__(self, data: Mapping[str, Any] | None = None, *, initial: Mapping[str, Any]) -> None:
        super().__init__(data, initial=dict(initial))
        self.fields.update(_fields())
        take_several(self.fields)
        self.fields.update(tick_fields(lambda: [each.name for each in self.library], lambda: self.models))
        self._read_switches()
        self._offer_testsets()
        self._offer_contexts()
        for name, setting in run_settings().items():
            if setting.info.suggests:
                self.fields[name].widget.attrs["list"] = f"known-{setting.info.suggests}"
        self._explain_units()
        self._offer_metrics()
        for name in self.unread:
            self.fields[name].widget = forms.HiddenInput()
        for name in _redrawing():
            self.fields[name].widget.attrs["data-structure"] = ""

    @cached_property
    def library(self) -> list[LibraryPrompt]:
        """The named prompts."""
        return list_prompts()

    @cached_property
    def models(self) -> list[str]:
        """Models that answer, to choose from."""
        return known_models()

    def _read_switches(self) -> None:
        """Take a switch given as text, as in an address, for what it says: to Django any text is on."""
        for name, field in self.fields.items():
            if isinstance(field, forms.BooleanField) and name in self.initial:
                self.initial[name] = comparable(self.initial[name]) == "true"

    def _offer_testsets(self) -> None:
        """Offer the test sets of the corpus; when it was just chosen, its newest one with questions is."""
        offered = _testsets(self.value("corpus"))
        self.fields["testset"].queryset = offered  # type: ignore[attr-defined]
        if not self.is_bound and not any(str(each.pk) == str(self.initial.get("testset")) for each in offered):
            newest = offered.filter(questions__isnull=False).first() or offered.first()
            self.initial["testset"] = newest and newest.pk

    def _offer_contexts(self) -> None:
        """Offer the latest finished runs of the test set, and the chosen one; one of another test set is not kept."""
        able = runs_with_contexts(testset=self.key("testset") or 0)
        asked = str((self.data if self.is_bound else self.initial).get(CONTEXTS) or "")
        chosen = able.filter(pk=int(asked)).first() if asked.isdecimal() else None
        if not self.is_bound:
            self.initial[CONTEXTS] = chosen.pk if chosen else None
        offered = list(able.select_related(None).only("name")[:_MOST_RUNS])
        offered += [chosen] if chosen and chosen not in offered else []
        field: Any = self.fields[CONTEXTS]
        field.queryset = able
        field.choices = [("", field.empty_label), *((run.pk, str(run)) for run in offered)]

    def _offer_metrics(self) -> None:
        """Close the metrics that cannot give a number with this test set and these settings."""
        show_choices(
            self,
            lambda: available_inputs(
                testset=_testsets(self.value("corpus")).filter(pk=self.key("testset") or 0).first(),
                use_context=comparable(self.value("use_context")) == "true",
                judge=str(self.value("judge") or ""),
            ),
        )

    @property
    def judges_itself(self) -> bool:
        """True where the judge is the model under test."""
        judge = str(self.value("judge") or "").strip()
        return bool(judge) and judge == str(self.value("llm")).strip()

    def bound(self) -> SettingsForm:
        """Return the same form as if it had been sent as it stands, to check it."""
        shown = {name: _as_text(self.value(name)) for name in self.fields if not name.startswith(TICKED)}
        return SettingsForm(shown, initial=self.initial)

    def key(self, name: str) -> int | None:
        """Return the id chosen in a field, None where there is none."""
        text = str(self.value(name) or "")
        return int(text) if text.isdecimal() else None

    def value(self, name: str) -> Any:
        """Return what the form shows for a field: as typed, else as it started."""
        return self[name].value()

    def _explain_units(self) -> None:
        """Say when the chosen units help. With the built-in reader, those that need a language model are closed."""
        builtin = str(self.value("llm")).strip() == BUILTIN_READER
        for part in PARTS:
            field = self.fields[part.field]
            chosen = part.maybe(self.value(part.field))
            self[part.field].help_text = f"{field.help_text} {chosen.help if chosen else ''}".strip()
            if builtin and isinstance(field.widget, UnitSelect):
                field.widget.closed = {unit.key for unit in part.registry if getattr(unit, "needs_model", False)}

    @cached_property
    def unread(self) -> set[str]:
        """Names of the settings that the chosen parts do not read."""
        shown = {name: self.value(name) for name in pipeline_settings() if name in self.fields}
        shown["use_context"] = comparable(shown["use_context"]) == "true"
        shown["llm"] = str(shown["llm"]).strip()
        unread = set(unread_names(shown)) | {name for name, each in pipeline_settings().items() if each.info.label_only}
        return unread | retrieval_names() if self.key(CONTEXTS) else unread

    @cached_property
    def source(self) -> Run | None:
        """The run whose contexts are answered from; None where this run retrieves."""
        key = self.key(CONTEXTS)
        return runs_with_contexts(testset=self.key("testset") or 0).filter(pk=key).first() if key else None

    @property
    def no_chunks(self) -> str:
        """Why there is nothing to cut, in place of the chunk fields; empty where documents are cut."""
        if "chunk_size" not in self.unread or self.source is not None:
            return ""
        if comparable(self.value("use_context")) != "true":
            return "No context is used: the model answers alone."
        chosen = self.fields["retriever"]
        label = dict(chosen.choices).get(self.value("retriever"), "")  # type: ignore[attr-defined]
        return f"{label}: the gold evidence is the context, so nothing is cut into chunks."

    def changed_from(self, preferred: Mapping[str, Any]) -> set[str]:
        """Return the names of the shown fields that differ from the preferred settings."""
        shown = {name: self.value(name) for name in self.fields if name not in self.unread}
        return differing(shown, preferred)

    @property
    def grid(self) -> dict[str, str]:
        """What is to be swept, by setting: fields with several values, and what is ticked beside them."""
        shown = {name: self.value(name) for name in pipeline_settings() if name in self.fields}
        ticked = {
            name.removeprefix(TICKED): list(self.value(name) or []) for name in self.fields if name.startswith(TICKED)
        }
        texts = {name: values for name, values in ticked.items() if name not in self.unread}
        prompt = str(self.value("prompt") or "").replace("\r\n", "\n")
        named = library_name(prompt) if texts.get("prompt") else ""
        found = grid_texts(shown, texts, named or prompt)
        return {name: text for name, text in found.items() if name not in self.unread}

    @property
    def ticks(self) -> list[forms.BoundField]:
        """The boxes of the values that can be tried beside those of the fields."""
        return [
            self[name] for name in self.fields if name.startswith(TICKED) and name[len(TICKED) :] not in self.unread
        ]

    @property
    def marked(self) -> list[forms.BoundField]:
        """The fields that are marked where they differ from the preferred settings."""
        return [field for field in self if field.name not in self.unread and not field.name.startswith(TICKED)]

    @property
    def ticked(self) -> bool:
        """True where a box is ticked."""
        return any(field.value() for field in self.ticks)

    @property
    def more(self) -> list[tuple[str, list[forms.BoundField]]]:
        """Return the fields under *More settings*, by heading."""
        chunks = [name for part in PARTS if part.stage == Stage.INDEX for name in (part.field, *part.settings())]
        apart, weights = {"metric_options", *evaluation_settings(FAILURES)}, [f"{WEIGHT}{name}" for name in HEADLINE]
        groups = (
            ("Chunks", chunks),
            ("Retrieval", ["use_context", CONTEXTS, *settings_of(Stage.INDEX, Stage.RETRIEVAL)]),
            ("Answer", list(settings_of(Stage.PROMPT, Stage.ANSWER))),
            ("Metrics", [*evaluation_settings(JUDGE), "metrics"]),
            ("Scoring", [*(name for name in evaluation_settings() if name not in apart), *weights]),
            ("Failure points", list(evaluation_settings(FAILURES))),
            ("Questions", list(RunOptions.model_fields)),
        )
        seen = {name for name, each in pipeline_settings().items() if each.info.everyday} | self.unread
        result = []
        for heading, names in groups:
            fields = [self[name] for name in names if name in self.fields and name not in seen]
            seen |= set(names)
            result.append((heading, fields))
        return [(heading, fields) for heading, fields in result if fields]

    @property
    def units(self) -> dict[str, str]:
        """Return what the number of a field counts, by field: chunks, tokens."""
        declared = {name: each.info for name, each in run_settings().items()}
        units = {name: info.unit for name, info in declared.items() if info.unit}
        return units | {name: str(self.value(info.unit_from)) for name, info in declared.items() if info.unit_from}

    @property
    def unseen(self) -> list[forms.BoundField]:
        """Return the fields that are kept without being shown."""
        return [self[name] for name in sorted(self.unread)]

    def clean(self) -> dict[str, Any]:
        """Check the settings together, as a run would."""
        values = self.cleaned_data
        for name in self.unread & set(self.errors):
            del self.errors[name]
        pipeline = {name: values[name] for name in pipeline_settings() if name in values and name not in self.unread}
        try:
            self.spec = PipelineSpec.create(pipeline | {"prompt_name": _prompt_name(pipeline)}, drop_unread=True)
            if values.get(CONTEXTS):
                self.spec = with_retrieval_of(values[CONTEXTS], self.spec)
            self.evaluation = self._scoring()
            check_options(self.evaluation)
            self.options = RunOptions.create({name: values[name] for name in RunOptions.model_fields if name in values})
        except ConfigError as error:
            self.refuse(error)
        return values

    def _scoring(self) -> EvaluationSpec:
        """Return the scoring as it was sent. Raises ConfigError."""
        values = self.cleaned_data
        weights = {name: values[f"{WEIGHT}{name}"] for name in HEADLINE if f"{WEIGHT}{name}" in values}
        scoring = {name: values[name] for name in EvaluationSpec.model_fields if name in values}
        return EvaluationSpec.create(scoring | {"weights": _given(weights), "metric_options": sent_options(self)})

    def refuse(self, error: ConfigError) -> None:
        """Show a refused setting beside its field, or above the form where it has none."""
        field = error.field if error.field in self.fields else None
        field = {"weights": f"{WEIGHT}recall", "metric_options": "metrics"}.get(field or "", field)
        if field not in self.errors:
            self.add_error(field, str(error))

    def as_query(self, base: Mapping[str, Any]) -> str:
        """Return the query string of this state: only what differs from `base`; a prompt of the library by its name."""
        query = QueryDict(mutable=True)
        shown = {name: self.value(name) for name in self.fields}
        other = differing(shown, base)
        query.update({name: _as_text(shown[name]) for name in self.fields if name in other})
        named = library_name(query.get("prompt", ""))
        if named:
            query["library"] = named
            del query["prompt"]
        return query.urlencode()


def _fields() -> dict[str, forms.Field]:
    fields: dict[str, forms.Field] = {
        "corpus": RowField(
            Corpus.objects.all(),
            label="Corpus",
            empty_label=None,
            error_messages={"required": "Choose a corpus.", "invalid_choice": "This corpus is no longer there."},
        ),
        "testset": RowField(
            TestSet.objects.none(),
            label="Test set",
            empty_label=None,
            error_messages={
                "required": "Choose a test set, or generate one on the page Test sets.",
                "invalid_choice": "This test set does not belong to the corpus. Choose another.",
            },
        ),
    }
    fields[CONTEXTS] = RowField(
        Run.objects.none(),
        label="Contexts from",
        required=False,
        empty_label="this run's own retrieval",
        help_text="A run of this test set: its contexts are answered from, to compare prompts and models on the same.",
        error_messages={"invalid_choice": "This run does not belong to the test set, or has no contexts to give."},
    )
    for part in reversed(PARTS):
        for unit in part.registry:
            fields |= fields_of(unit.Options)
    fields |= fields_of(CoreSettings) | fields_of(EvaluationSpec) | fields_of(RunOptions)
    for name in HEADLINE:
        wrong = f"The weight of {name.replace('_', ' ')} must be a number of at least 0."
        fields[f"{WEIGHT}{name}"] = FloatField(
            min_value=0,
            label=f"Weight of {name.replace('_', ' ')}",
            error_messages=dict.fromkeys(("required", "invalid", "min_value"), wrong),
        )
    fields |= metric_fields(further_metrics())
    fields["judge"].widget = judge_widget()
    fields["prompt"].help_text = ""
    fields["llm"].widget.attrs |= {"autocomplete": "off", "spellcheck": "false"}
    return fields


def _testsets(corpus: Any) -> Any:
    chosen = getattr(corpus, "pk", corpus)
    if not str(chosen or "").isdigit():
        return TestSet.objects.none()
    return TestSet.objects.filter(corpus=chosen).order_by("-created", "-pk")


def _redrawing() -> list[str]:
    """Return the fields whose change shows other fields, or another chart."""
    settings = run_settings().items()
    return ["corpus", "testset", CONTEXTS, *(name for name, each in settings if each.info.redraws or each.info.units)]


def _given(weights: Mapping[str, float]) -> dict[str, float]:
    """Return only the weights that are not 1: all 1 is the default."""
    return {name: weight for name, weight in weights.items() if weight != 1}


def _prompt_name(pipeline: Mapping[str, Any]) -> str:
    """Return the library's name of a prompt, else that of an earlier run with the same text; empty = made up."""
    text = str(pipeline.get("prompt", "")).strip()
    named = library_name(text) if text else ""
    if named or not text:
        return named
    names = Run.objects.filter(pipeline__prompt=text).values_list("pipeline__prompt_name", flat=True)
    return next((name for name in names if name), "")


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(getattr(value, "pk", value))
